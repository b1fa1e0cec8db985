import type { ServiceName } from '@assay/contracts'
import { type Documents, defineCollection, documentPut } from '@assay/documents'
import type { Position } from '@assay/event-store'
import type { Clock } from '@assay/service-kit'
import { z } from 'zod'
import { systemTenant } from '../dependencies.ts'
import { hashOf } from '../keys/key-text.ts'
import type { OtherGateways } from './other-gateways.ts'
import type { Patience } from './patience.ts'
import { createTogether } from './together.ts'

/** Positions of the logs of services. */
export type Positions = ReadonlyMap<ServiceName, readonly Position[]>

/** What one answer said of its writes: where the service then stood, and where its log has what was written. */
export interface Wrote {
  positions: Positions
  written: Positions
}

/** As long as a gateway remembers its own answers. */
const keptMs = 10_000
/** Of one key and gateway. More than a key writes within the time that copies take to follow. */
const maxNotes = 32

const services = z.enum(['gateway', 'catalog', 'policy', 'execution', 'sampling', 'notification'])
const positions = z.array(z.object({ service: services, position: z.string() }))
const note = z.object({ at: z.int(), positions, written: positions })
type Note = z.infer<typeof note>
const noted = z.object({ notes: z.array(note) })

/**
 * What keys wrote lately: one document of each key and number of a gateway, which that gateway alone writes. Made of answers,
 * not of events: a rebuild leaves it as it is.
 */
export const keyWrites = defineCollection<z.infer<typeof noted>>({
  name: 'api_key_writes',
  version: 1,
  idType: 'text',
  schema: noted,
  fields: {},
})

/**
 * What the gateways of one Assay tell each other of the writes of a key, so that a client that knows nothing of positions
 * reads what it wrote through another gateway.
 */
export interface SharedWrites {
  /**
   * Resolves once every gateway sees it, or after two seconds; `undefined` where there is no other. Never rejects: the write
   * has been made.
   */
  share(accessKey: string, wrote: Wrote): Promise<void> | undefined
  /**
   * What the key wrote lately through other gateways, oldest first; `undefined` where there is none. Nothing where the store
   * does not answer within two seconds, or did not just now.
   */
  of(accessKey: string): Promise<Wrote> | undefined
  /** Tells what others were not told yet, because there was none, or because the store did not answer; forgets what is old. */
  tellAgain(): void
}

const nothing: Wrote = { positions: new Map(), written: new Map() }

const listed = (all: Positions): Note['positions'] =>
  [...all].flatMap(([service, each]) => each.map((position) => ({ service, position })))

/** `first` and then what `second` has besides. */
export function mergedPositions(first: Positions, second: Positions): Positions {
  if (first.size === 0) return second
  if (second.size === 0) return first
  const all = new Map(first)
  for (const [service, more] of second) all.set(service, [...new Set([...(all.get(service) ?? []), ...more])])
  return all
}

function gathered(each: readonly Note['positions'][]): Positions {
  const all = new Map<ServiceName, Position[]>()
  for (const { service, position } of each.flat()) {
    const known = all.get(service)
    if (known === undefined) all.set(service, [position])
    else if (!known.includes(position)) known.push(position)
  }
  return all
}

export function createSharedWrites(deps: {
  documents: Pick<Documents, 'get' | 'put'>
  others: Pick<OtherGateways, 'own' | 'isAlone' | 'numbers' | 'known'>
  patience: Patience
  clock: Clock
}): SharedWrites {
  const { documents, others, patience, clock } = deps
  /** What was written through this gateway, by the hash of the key: the oldest first. */
  const notes = new Map<string, readonly Note[]>()
  const untold = new Set<string>()
  let revision = 0
  const idOf = (number: number, hash: string) => `${number}/${hash}`
  const isKept = ({ at }: Note) => at > clock.now() - keptMs

  /** All that is known goes each time, so that of puts that pass each other the later has everything. */
  const tell = createTogether(async (hash) => {
    const told = notes.get(hash) ?? []
    revision = Math.max(revision + 1, clock.now())
    const document = { notes: [...told] }
    await documents.put([
      documentPut(keyWrites, systemTenant, idOf(others.own, hash), document, { revision, position: '' }),
    ])
    if (notes.get(hash) === told) untold.delete(hash)
  })

  const look = createTogether(async (hash): Promise<Wrote> => {
    const found = await Promise.all(
      others.numbers().map((number) => documents.get(keyWrites, systemTenant, idOf(number, hash))),
    )
    const all = found.flatMap((stored) => stored?.document.notes ?? []).filter(isKept)
    if (all.length === 0) return nothing
    all.sort((left, right) => left.at - right.at)
    return {
      positions: gathered(all.map((each) => each.positions)),
      written: gathered(all.map((each) => each.written)),
    }
  })

  async function telling(hash: string): Promise<void> {
    await Promise.all([patience.within(() => tell(hash)), others.known()])
  }

  return {
    share(accessKey, wrote) {
      const told = { at: clock.now(), positions: listed(wrote.positions), written: listed(wrote.written) }
      if (told.positions.length === 0 && told.written.length === 0) return undefined
      const hash = hashOf(accessKey)
      notes.set(hash, [...(notes.get(hash) ?? []).filter(isKept), told].slice(-maxNotes))
      untold.add(hash)
      return others.isAlone() ? undefined : telling(hash)
    },
    of(accessKey) {
      if (others.isAlone()) return undefined
      return patience.within(() => look(hashOf(accessKey))).then((found) => found ?? nothing)
    },
    tellAgain() {
      for (const [hash, all] of notes) {
        if (all.some(isKept)) continue
        notes.delete(hash)
        untold.delete(hash)
      }
      if (others.isAlone()) return
      for (const hash of untold) void patience.within(() => tell(hash))
    },
  }
}
