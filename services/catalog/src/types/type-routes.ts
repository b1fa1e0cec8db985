import { catalogOperations } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { type Route, route } from '@assay/service-kit'
import { assets } from '../asset/collections.ts'
import { assetTypes, crawlableTypes } from './asset-types.ts'
import { sourceTypes } from './source-types.ts'

/** Whether this build can open such sources. Older clients refuse additional fields, so the record does not say it. */
const isAvailable = ({ connectionTypeId }: (typeof sourceTypes)[number]) => connectionTypeId !== null

export function typeRoutes(deps: { documents: Documents }): Route[] {
  /** Types of assets that crawls of the tenant have found, deleted or not. */
  async function crawledTypes(tenant: string) {
    const counts = await Promise.all(
      crawlableTypes.map(({ id }) =>
        deps.documents.find(assets, tenant, { where: [{ field: 'assetTypeId', is: id }], size: 0 }),
      ),
    )
    const crawled = crawlableTypes.filter((_, index) => (counts[index]?.count ?? 0) > 0)
    return crawled.sort((a, b) => a.id - b.id)
  }

  return [
    route(catalogOperations.listAssetTypes, async (call) => {
      const only = call.query.onlyCrawledAssetTypes === true
      const data = only ? await crawledTypes(call.identity.tenant) : [...assetTypes]
      return { body: { data, assetTypes: data } }
    }),
    route(catalogOperations.listSourceTypes, async (call) => {
      const { available } = call.query
      const data = sourceTypes.filter((type) => available === undefined || available === isAvailable(type))
      return { body: { data } }
    }),
  ]
}
