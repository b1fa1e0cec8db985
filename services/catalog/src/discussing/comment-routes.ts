import { activityDenied, annotationOperations as operations, type ThreadComment } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import type { CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Clock, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { contextOf } from '../assemblies/assembly-routes.ts'
import { namedAsset } from '../assets/named-asset.ts'
import { type CommentDocument, commentAggregate, comments } from '../comment/aggregate.ts'
import type { CommentState } from '../comment/comment.ts'
import { createThreads } from './threads.ts'

function recordOf(comment: Omit<CommentDocument, 'assetId'>): ThreadComment {
  const { id, parentId, comment: text, author: userName, createdAt, updatedAt } = comment
  return { id, parentId, comment: text, userName, createdAt, updatedAt }
}

function shownOf(state: CommentState): ThreadComment {
  if (state.status !== 'shown') throw new AssayError('internal', 'The comment was written, but does not exist.')
  return recordOf(state)
}

/** Comments on assets, in threads. */
export function commentRoutes(deps: {
  handler: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  clock: Clock
}): Route[] {
  const { handler, documents, numbers, clock } = deps
  const now = () => isoTime(clock.now())
  const threads = createThreads(deps)

  return [
    route(operations.getAssetComments, async (call) => {
      const { tenant } = call.identity
      const { id } = await namedAsset(documents, tenant, call.params.id, activityDenied)
      const all = await threads.allOf(tenant, id)
      const list = all.map(({ comment, createdAt, updatedAt, author: userName }) => {
        return { comment, createdAt, updatedAt, userName }
      })
      return { body: { comments: list } }
    }),
    route(operations.listCommentThreads, async (call) => {
      const { tenant } = call.identity
      const { page, size, sortBy } = call.query
      const { id } = await namedAsset(documents, tenant, call.params.id, activityDenied)
      const read = async () => {
        const { documents: found, count } = await findPage(documents, call, comments, {
          tenant,
          where: [{ field: 'assetId', is: id }],
          ...(sortBy === undefined ? {} : { sort: [sortBy] }),
          page,
          size,
        })
        const shown = await threads.withParents(tenant, found)
        return { body: { data: shown.map(recordOf), meta: { count, page, size } }, hides: shown.length < found.length }
      }
      const first = await read()
      if (!first.hides) return { body: first.body }
      // Otherwise the count would include the hidden comments forever.
      await threads.dropOrphans(tenant, id)
      return { body: (await read()).body }
    }),
    route(operations.addAssetComment, async (call) => {
      const { tenant } = call.identity
      const context = contextOf(call)
      const { id: assetId, uid } = await namedAsset(documents, tenant, call.params.id)
      const { comment, parentId } = call.body
      await threads.checkRoom(tenant, assetId, parentId)
      const [id = 0] = await numbers.take(tenant, 'comment')
      const of = { commentId: id, assetId, uid, at: now(), by: context.actor }
      const parent = parentId === undefined ? undefined : await handler.load(commentAggregate, tenant, parentId)
      const answered = parent?.state.status === 'shown' ? { parentAuthor: parent.state.author } : {}
      const command = { type: 'AddComment', ...of, parentId: parentId ?? null, ...answered, comment } as const
      const { state } = await handler.handle(commentAggregate, { tenant, id, command, context })
      if (parentId !== undefined) await threads.dropIfOrphaned({ tenant, assetId, id, parentId, context })
      return { body: shownOf(state) }
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
      return { body: shownOf(state) }
    }),
    route(operations.deleteAssetComment, async (call) => {
      const { tenant, permissions } = call.identity
      const context = contextOf(call)
      const { id: assetId, commentId: id } = call.params
      await namedAsset(documents, tenant, assetId)
      const mayChangeAll = permissions.has('ASSET_CONFIGURATION_MODIFY')
      await threads.remove({ tenant, assetId, id, context, mayChangeAll })
      return {}
    }),
  ]
}
