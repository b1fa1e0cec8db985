import { AssayError } from '@assay/service-kit/errors'
import { hostOf } from '../databases/place.ts'
import { addressesOf, type ReachOptions } from '../databases/reach.ts'
import { isStoreSource, type StoreSource } from '../dataset.ts'
import { type StoreTarget, storeTarget } from './target.ts'

/** Finds the store of a source (with a sealed key), or of an assembly by its id. Throws `invalid`, `unprocessable`. */
export type StoreReach = (of: StoreSource | number, tenant: string, sourceId?: number) => Promise<StoreTarget>

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
    await addressesOf({ host, port: hostOf(endpoint).port }, hostsOf(tenant), lookup, 'endpoint')
    return storeTarget(found, id, unseal(found.secretAccessKey, tenant))
  }
}
