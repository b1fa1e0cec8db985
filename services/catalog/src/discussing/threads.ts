import type { Documents } from '@assay/documents'
import type { CommandContext, CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { type CommentDocument, commentAggregate, comments } from '../comment/aggregate.ts'
import { decideComment } from '../comment/comment.ts'

/** What is read at once of an asset's comments. */
const readAtOnce = 1000

interface OfComment {
  tenant: string
  assetId: number
  id: number
  context: CommandContext
}

/** The comments of an asset with the replies to them: whoever is a reply has what it replies to. */
export interface Threads {
  /** Every comment on an asset, in the order of their ids; what is written meanwhile moves none of them. */
  allOf(tenant: string, assetId: number): Promise<CommentDocument[]>
  /** Error: `invalid`, where there is no such comment to reply to. */
  checkParent(tenant: string, assetId: number, parentId: number): Promise<void>
  /** Takes a reply away again whose parent was deleted while it was written. Error: `invalid`, then. */
  dropIfAlone(reply: OfComment & { parentId: number }): Promise<void>
  /**
   * Deletes a comment with all replies to it. `mayChangeAll`: also what others wrote. Errors: `not-found`; `forbidden`,
   * also where others replied, and then nothing is deleted.
   */
  remove(comment: OfComment & { mayChangeAll: boolean }): Promise<void>
}

/** The replies to a comment and those to them, each before what it replies to. Replies have higher ids than their parents. */
function repliesOf(all: readonly CommentDocument[], id: number): CommentDocument[] {
  const below = new Set([id])
  const found = all.filter((comment) => {
    const isBelow = comment.parentId !== null && below.has(comment.parentId)
    if (isBelow) below.add(comment.id)
    return isBelow
  })
  return found.reverse()
}

export function createThreads(deps: { handler: CommandHandler; documents: Documents; clock: Clock }): Threads {
  const { handler, documents, clock } = deps

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

  function deletion({ assetId, context }: OfComment, mayChangeAll: boolean) {
    return { type: 'DeleteComment', assetId, at: isoTime(clock.now()), by: context.actor, mayChangeAll } as const
  }

  /** With `deletedWith`, which may change all: it was checked before, or what it replies to is gone already. */
  async function removeReplies(of: OfComment, replies: readonly CommentDocument[]): Promise<void> {
    const { tenant, id: deletedWith, context } = of
    const command = { ...deletion(of, true), deletedWith }
    for (const { id } of replies)
      await handler.handle(commentAggregate, { tenant, id, command, context }).catch((error: unknown) => {
        // Its author was first.
        if (!isAssayError(error, 'not-found')) throw error
      })
  }

  const noParent = () => new AssayError('invalid', 'parentId: there is no such comment on this asset.')

  return {
    allOf,
    async checkParent(tenant, assetId, parentId) {
      const parent = await documents.get(comments, tenant, parentId)
      if (parent?.document.assetId !== assetId) throw noParent()
    },
    async dropIfAlone(reply) {
      const { tenant, id, parentId, context } = reply
      const { state: parent } = await handler.load(commentAggregate, tenant, parentId)
      if (parent.status === 'shown') return
      const command = { ...deletion(reply, true), deletedWith: parentId }
      await handler.handle(commentAggregate, { tenant, id, command, context }).catch((error: unknown) => {
        // Whoever deletes the parent has seen it too.
        if (!isAssayError(error, 'not-found')) throw error
      })
      throw noParent()
    },
    async remove({ mayChangeAll, ...of }) {
      const { tenant, assetId, id, context } = of
      const command = deletion(of, mayChangeAll)
      // Before anything is deleted: whether it may be.
      decideComment(command, (await handler.load(commentAggregate, tenant, id)).state)
      const replies = repliesOf(await allOf(tenant, assetId), id)
      if (!mayChangeAll && replies.some(({ author }) => author !== context.actor))
        throw new AssayError(
          'forbidden',
          'Others have replied to this comment: to delete it with their replies takes the permission ASSET_CONFIGURATION_MODIFY.',
        )
      // What it replies to is there for as long as a reply is, also when this is cut off.
      await removeReplies(of, replies)
      await handler.handle(commentAggregate, { tenant, id, command, context })
      await removeReplies(of, repliesOf(await allOf(tenant, assetId), id))
    },
  }
}
