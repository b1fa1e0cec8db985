import { annotationOperations as operations } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Route, route } from '@assay/service-kit'
import { contextOf } from '../assemblies/assembly-routes.ts'
import { assetLabels, assetLabelsAggregate } from '../asset-labels/aggregate.ts'
import { namedAsset } from '../assets/named-asset.ts'

/** Maximum number of labels in a request: more than an asset can have. */
const maxLabels = 1000

/** Labels of assets: exactly `key` and `value`, in the order in which they were sent. */
export function labelRoutes(deps: { handler: CommandHandler; documents: Documents; clock: Clock }): Route[] {
  const { handler, documents, clock } = deps
  return [
    route(operations.getAssetLabels, async (call) => {
      const { tenant } = call.identity
      const { id } = await namedAsset(documents, tenant, call.params.id)
      const { documents: found } = await documents.find(assetLabels, tenant, {
        where: [{ field: 'assetId', is: id }],
        sort: [{ field: 'index', direction: 'asc' }],
        size: maxLabels,
      })
      return { body: found.map(({ key, value }) => ({ key, value })) }
    }),
    route(operations.updateAssetLabels, async (call) => {
      const { tenant } = call.identity
      const context = contextOf(call)
      const { id, uid } = await namedAsset(documents, tenant, call.params.id)
      const { labels } = call.body
      const of = { assetId: id, uid, at: isoTime(clock.now()), by: context.actor }
      const command = { type: 'ReplaceLabels', ...of, labels } as const
      const { state } = await handler.handle(assetLabelsAggregate, { tenant, id, command, context })
      return { body: state.labels }
    }),
  ]
}
