import { AssayError } from '@assay/service-kit/errors'
import { addressesOf, type ReachOptions } from '../databases/reach.ts'
import { isStoreSource, type StoreSource } from '../dataset.ts'
import { type StoreTarget, storeTarget } from './target.ts'

/** Finds the store of a source (with a sealed key), or of an assembly by its id. Throws `invalid`, `unprocessable`. */
export type StoreReach = (of: StoreSource | number, tenant: string, sourceId?: number) => Promise<StoreTarget>

const ports: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Reaches the stores of all tenants: checks their hosts and opens their keys. */
export function createStoreReach({
  sourceOf,
  unseal,
  hostsOf,
  lookup,
}: Pick<ReachOptions, 'sourceOf' | 'unseal' | 'hostsOf' | 'lookup'>): StoreReach {
  return async (of, tenant, sourceId) => {
    const found = typeof of === 'number' ? await sourceOf(tenant, of) : of
    if (found === undefined || !isStoreSource(found))
      throw new AssayError('unprocessable', 'The source of these objects is unknown. Crawl its assembly again.')
    const id = typeof of === 'number' ? of : sourceId
    const { endpoint, host } = storeTarget(found, id, '')
    const url = new URL(endpoint)
    const port = url.port === '' ? (ports[url.protocol] ?? 443) : Number(url.port)
    await addressesOf({ host, port }, hostsOf(tenant), lookup, 'endpoint')
    return storeTarget(found, id, unseal(found.secretAccessKey, tenant))
  }
}
