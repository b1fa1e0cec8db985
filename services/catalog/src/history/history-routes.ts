import { annotationOperations } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import { type Route, route } from '@assay/service-kit'
import { namedAsset } from '../assets/named-asset.ts'
import { assetHistory } from './collection.ts'

/** The changes of an asset. */
export function historyRoutes({ documents }: { documents: Documents }): Route[] {
  return [
    route(annotationOperations.getAssetHistory, async (call) => {
      const { tenant } = call.identity
      const { id } = await namedAsset(documents, tenant, call.params.id)
      const { page, size, sortBy } = call.query
      const { documents: found, count } = await findPage(documents, call, assetHistory, {
        tenant,
        where: [{ field: 'assetId', is: id }],
        sort: [sortBy ?? { field: 'at', direction: 'desc' }],
        page,
        size,
      })
      return { body: { data: found.map(({ assetId: _, ...line }) => line), meta: { count, page, size } } }
    }),
  ]
}
