import { annotationOperations } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import { type Route, route } from '@assay/service-kit'
import { z } from 'zod'
import { namedAsset } from '../assets/named-asset.ts'
import { assetHistory, type HistoryDocument } from './collection.ts'

const variableKey = z.object({ key: z.string() }).nullable()

/** The line with the keys of variables only, like public events. Pure. */
function withoutVariableValues(line: HistoryDocument): HistoryDocument {
  if (line.entityType !== 'UDF_VARIABLE') return line
  return { ...line, before: variableKey.parse(line.before), after: variableKey.parse(line.after) }
}

/** The changes of an asset. */
export function historyRoutes({ documents }: { documents: Documents }): Route[] {
  return [
    route(annotationOperations.getAssetHistory, async (call) => {
      const { tenant, permissions } = call.identity
      const { id } = await namedAsset(documents, tenant, call.params.id)
      const { page, size, sortBy } = call.query
      const { documents: found, count } = await findPage(documents, call, assetHistory, {
        tenant,
        where: [{ field: 'assetId', is: id }],
        sort: [sortBy ?? { field: 'at', direction: 'desc' }],
        page,
        size,
      })
      const shown = permissions.has('USER_DEFINED_FUNCTION_VIEW') ? found : found.map(withoutVariableValues)
      return { body: { data: shown.map(({ assetId: _, ...line }) => line), meta: { count, page, size } } }
    }),
  ]
}
