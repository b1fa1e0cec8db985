import { activityDenied, annotationOperations as operations, type ThreadComment } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import type { CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Clock, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { contextOf } from '../assemblies/assembly-routes.ts'
import { namedAsset } from '../assets/named-asset.ts'
import { type CommentDocument, commentAggregate, comments } from '../comment/aggregate.ts'
import type { CommentState } from '../comment/comment.ts'

/** What is read at once of the short list, which has no pages. */
const readAtOnce = 1000

function recordOf(comment: Omit<CommentDocument, 'assetId'>): ThreadComment {
  const { id, parentId, comment: text, author: userName, createdAt, updatedAt } = comment
  return { id, parentId, comment: text, userName, createdAt, updatedAt }
}

function shown(state: CommentState): ThreadComment {
  if (state.status !== 'shown') throw new AssayError('internal', 'A comment that was written is not there.')
  return recordOf(state)
}

/** Comments on assets, threaded. */
export function commentRoutes(deps: {
  handler: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  clock: Clock
}): Route[] {
  const { handler, documents, numbers, clock } = deps
  const now = () => isoTime(clock.now())

  async function checkParent(tenant: string, assetId: number, parentId: number | undefined): Promise<void> {
    if (parentId === undefined) return
    const parent = await documents.get(comments, tenant, parentId)
    if (parent?.document.assetId !== assetId)
      throw new AssayError('invalid', 'parentId: there is no such comment on this asset.')
  }

  /** Every comment on an asset, in the order of their ids; what is written meanwhile moves none of them. */
  async function allOf(tenant: string, assetId: number): Promise<CommentDocument[]> {
    const found: CommentDocument[] = []
    for (let after = 0; ; ) {
      const where = [
        { field: 'assetId', is: assetId },
        { field: 'id', from: after + 1 },
      ]
      const { documents: next } = await documents.find(comments, tenant, { where, size: readAtOnce })
      found.push(...next)
      const last = next.at(-1)
      if (last === undefined || next.length < readAtOnce) return found
      after = last.id
    }
  }

  return [
    route(operations.getAssetComments, async (call) => {
      const { tenant } = call.identity
      const { id } = await namedAsset(documents, tenant, call.params.id, activityDenied)
      const all = await allOf(tenant, id)
      const list = all.map(({ comment, createdAt, updatedAt, author: userName }) => {
        return { comment, createdAt, updatedAt, userName }
      })
      return { body: { comments: list } }
    }),
    route(operations.listCommentThreads, async (call) => {
      const { tenant } = call.identity
      const { page, size, sortBy } = call.query
      const { id } = await namedAsset(documents, tenant, call.params.id, activityDenied)
      const { documents: found, count } = await findPage(documents, call, comments, {
        tenant,
        where: [{ field: 'assetId', is: id }],
        ...(sortBy === undefined ? {} : { sort: [sortBy] }),
        page,
        size,
      })
      return { body: { data: found.map(recordOf), meta: { count, page, size } } }
    }),
    route(operations.addAssetComment, async (call) => {
      const { tenant } = call.identity
      const context = contextOf(call)
      const { id: assetId, uid } = await namedAsset(documents, tenant, call.params.id)
      const { comment, parentId } = call.body
      await checkParent(tenant, assetId, parentId)
      const [id = 0] = await numbers.take(tenant, 'comment')
      const of = { commentId: id, assetId, uid, at: now(), by: context.actor }
      const command = { type: 'AddComment', ...of, parentId: parentId ?? null, comment } as const
      const { state } = await handler.handle(commentAggregate, { tenant, id, command, context })
      return { body: shown(state) }
    }),
    route(operations.editAssetComment, async (call) => {
      const { tenant, permissions } = call.identity
      const context = contextOf(call)
      const { id: assetId, commentId: id } = call.params
      await namedAsset(documents, tenant, assetId)
      const mayChangeAll = permissions.has('ASSET_CONFIGURATION_MODIFY')
      const of = { assetId, at: now(), by: context.actor, mayChangeAll }
      const command = { type: 'EditComment', ...of, comment: call.body.comment } as const
      const { state } = await handler.handle(commentAggregate, { tenant, id, command, context })
      return { body: shown(state) }
    }),
    route(operations.deleteAssetComment, async (call) => {
      const { tenant, permissions } = call.identity
      const context = contextOf(call)
      const { id: assetId, commentId: id } = call.params
      await namedAsset(documents, tenant, assetId)
      const mayChangeAll = permissions.has('ASSET_CONFIGURATION_MODIFY')
      const command = { type: 'DeleteComment', assetId, at: now(), by: context.actor, mayChangeAll } as const
      await handler.handle(commentAggregate, { tenant, id, command, context })
      return {}
    }),
  ]
}
