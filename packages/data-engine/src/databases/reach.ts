import type { LookupAddress } from 'node:dns'
import type { Clock } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { type DatabaseSource, isDatabaseSource, type RemoteSource } from '../dataset.ts'
import { Slots } from '../duckdb/slots.ts'
import type { RelationLocator } from '../locators.ts'
import type { EngineCall } from '../port.ts'
import { type HostAccess, hostRefusal, isForbiddenAddress } from './host-access.ts'
import { type DatabasePlace, placeOf } from './place.ts'

/** A database to connect to. */
export interface Target<S extends DatabaseSource = DatabaseSource> {
  source: S
  /**
   * Checked addresses of its host. Connect to one of them and never to the name, which may resolve to another address.
   */
  addresses: readonly string[]
  /** The password in clear. */
  password: S['password']
}

/** Finds the database of a source or table, and runs `work` once one of the database's slots is free. */
export type Reach = <T>(
  of: DatabaseSource | RelationLocator,
  call: Pick<EngineCall, 'signal' | 'tenant' | 'key' | 'purpose'>,
  work: (target: Target) => Promise<T>,
) => Promise<T>

export interface ReachOptions {
  /** The stored source of an assembly, with sealed secrets; `undefined` if there is none. */
  sourceOf: (tenant: string, id: number) => Promise<RemoteSource | undefined>
  /** Opens a sealed secret of a tenant. */
  unseal: (sealed: string, tenant: string) => string
  hostsOf: (tenant: string) => HostAccess
  /** All addresses of a name. */
  lookup: (host: string) => Promise<readonly Pick<LookupAddress, 'address'>[]>
  clock: Clock
}

const nobody = ''
const waitMs = 8_000

/** The addresses of a host, if the tenant may connect to it. `field`: the setting that names the host. */
export async function addressesOf(
  { host, port }: Pick<DatabasePlace, 'host' | 'port'>,
  access: HostAccess,
  lookup: ReachOptions['lookup'],
  field: 'host' | 'endpoint' | 'url' = 'host',
): Promise<string[]> {
  const refusal = hostRefusal(access, { host, port })
  if (refusal !== null) throw new AssayError('invalid', `${host} ${refusal}.`, { details: { field } })
  const found = await lookup(host).catch((cause: unknown) => {
    const sentence = `The host ${host} was not found. Check its name.`
    throw new AssayError('unprocessable', sentence, { cause })
  })
  const addresses = found.map(({ address }) => address)
  if (addresses.length === 0) throw new AssayError('unprocessable', `The host ${host} has no address.`)
  if (addresses.some(isForbiddenAddress)) {
    const sentence = `${host} has an address that sources are never read from: it is link-local, or of a metadata service.`
    throw new AssayError('invalid', sentence, { details: { field } })
  }
  return addresses
}

/** Reaches the databases of all tenants. In each process, every source has its own slots. */
export function createReach({ sourceOf, unseal, hostsOf, lookup, clock }: ReachOptions): Reach {
  const slots = new Map<string, { slots: Slots; users: number }>()

  async function sourceNamed(of: DatabaseSource | RelationLocator, tenant: string): Promise<DatabaseSource> {
    if (!('kind' in of)) return of
    const found = of.source === undefined ? undefined : await sourceOf(tenant, of.source)
    if (found !== undefined && isDatabaseSource(found) && found.sourceType === of.engine) return found
    throw new AssayError('unprocessable', `The source of the table ${of.table} is unknown. Crawl its assembly again.`)
  }

  async function inSlot<T>(
    source: DatabaseSource,
    { tenant = nobody, key, signal, purpose }: Parameters<Reach>[1],
    work: () => Promise<T>,
  ): Promise<T> {
    const { maxConcurrentQueries: capacity } = source
    const { host, port, database } = placeOf(source)
    const name = JSON.stringify([tenant, host, port, database, capacity])
    const isCheck = purpose === 'check'
    const own = slots.get(name) ?? { slots: new Slots({ name: 'runs', clock, capacity }), users: 0 }
    slots.set(name, own)
    own.users += 1
    const late = AbortSignal.timeout(waitMs)
    const waiting = isCheck ? AbortSignal.any([signal, late]) : signal
    let begun = false
    try {
      return await own.slots.run({ tenant, key, signal: waiting, isJob: true }, () => {
        begun = true
        return work()
      })
    } catch (error) {
      if (begun || signal.aborted || !late.aborted || !isCheck) throw error
      const sentence = `All ${capacity} sessions that the source allows are in use. Try again later.`
      throw new AssayError('unavailable', sentence, { retryAfterSeconds: 10 })
    } finally {
      own.users -= 1
      if (own.users === 0) slots.delete(name)
    }
  }

  return async (of, call, work) => {
    const { tenant = nobody, signal } = call
    const source = await sourceNamed(of, tenant)
    signal.throwIfAborted()
    return inSlot(source, call, async () => {
      const place = placeOf(source)
      const addresses = await addressesOf(place, hostsOf(tenant), lookup, place.field)
      const { password } = source
      return work({ source, addresses, password: password === undefined ? undefined : unseal(password, tenant) })
    })
  }
}
