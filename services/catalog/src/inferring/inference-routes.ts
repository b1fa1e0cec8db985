import { annotationOperations as operations } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { type Route, route } from '@assay/service-kit'
import { namedAsset } from '../assets/named-asset.ts'
import type { Inference } from './inference.ts'
import { selectableTable } from './selectable-table.ts'
import { strategiesOf } from './strategies.ts'

/** Routes for what derives from a table's columns and their values. */
export function inferenceRoutes(deps: { documents: Documents; inference: Inference }): Route[] {
  const { documents, inference } = deps
  return [
    route(operations.getIncrementalStrategies, async (call) => {
      const { tenant } = call.identity
      const asset = await namedAsset(documents, tenant, call.params.id)
      const { incremental, selective } = strategiesOf(await selectableTable(documents, tenant, asset))
      return {
        body: {
          strategies: [
            ...incremental,
            ...selective.filter(({ type }) => !incremental.some((one) => one.type === type)),
          ],
          incremental: { strategies: incremental },
          selective: { strategies: selective },
        },
      }
    }),
    route(operations.getInferredMetadata, async (call) => {
      const { tenant } = call.identity
      const asset = await namedAsset(documents, tenant, call.params.id)
      const columns = asset.tableId === null ? await inference.columnsOf(tenant, asset.id) : undefined
      const data = (columns ?? []).map(({ name, dataType, nullable }) => ({ name, dataType, nullable }))
      return { body: { data } }
    }),
  ]
}
