import type { Documents } from '@assay/documents'
import type { CommandContext, CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { type CommentDocument, commentAggregate, comments } from '../comment/aggregate.ts'
import { decideComment } from '../comment/comment.ts'

/** Number of comments of an asset per read. */
const readAtOnce = 1000
/** Maximum number of replies deleted concurrently: each waits for the log, and the caller waits for all of them. */
const deletedAtOnce = 64
const maxComments = 10_000
/** Maximum number of levels to delete. Replies are deleted level by level, so this limits the number of rounds. */
const maxLevels = 500

interface OfComment {
  tenant: string
  assetId: number
  id: number
  context: CommandContext
}

/** The structure of a thread; the texts of a long one are not kept in memory. */
type Link = Pick<CommentDocument, 'id' | 'parentId'>

/** The comments of an asset with their replies; a reply is never shown without its parent. */
export interface Threads {
  /**
   * Every comment on an asset, ordered by id, so that comments written meanwhile do not shift pages. Leaves out replies
   * whose parent is deleted.
   */
  allOf(tenant: string, assetId: number): Promise<CommentDocument[]>
  /** The comments of a page that are not replies, and the replies whose parent still exists. */
  withParents(tenant: string, page: readonly CommentDocument[]): Promise<CommentDocument[]>
  /**
   * Deletes orphaned replies: a process may have died after it wrote a reply and before it saw that the parent was
   * deleted. Reads the log, because a parent may only be missing in the documents.
   */
  dropOrphans(tenant: string, assetId: number): Promise<void>
  /**
   * Checks whether one more comment is allowed. Throws `invalid` if there is no such comment to reply to;
   * `unprocessable`.
   */
  checkRoom(tenant: string, assetId: number, parentId: number | undefined): Promise<void>
  /** Removes a reply again if its parent was deleted while it was written, and then throws `invalid`. */
  dropIfOrphaned(reply: OfComment & { parentId: number }): Promise<void>
  /**
   * Deletes a comment with all replies to it, whoever wrote those. `mayChangeAll`: including comments of others.
   * Calling it again completes an interrupted deletion. Throws `not-found`, `forbidden`.
   */
  remove(comment: OfComment & { mayChangeAll: boolean }): Promise<void>
}

/**
 * The ids of the replies to a comment, the deepest level first: no reply has its parent on the same level. `all` is
 * ordered by id: replies have higher ids than their parents.
 */
function levelsBelow(all: readonly Link[], id: number): number[][] {
  const levelOf = new Map([[id, 0]])
  const levels: number[][] = []
  for (const comment of all) {
    const above = comment.parentId === null ? undefined : levelOf.get(comment.parentId)
    if (above === undefined) continue
    levelOf.set(comment.id, above + 1)
    const level = levels[above] ?? []
    level.push(comment.id)
    levels[above] = level
  }
  return levels.reverse()
}

function withoutOrphans(all: readonly CommentDocument[]): CommentDocument[] {
  const shown = new Set<number>()
  return all.filter(({ id, parentId }) => {
    const isShown = parentId === null || shown.has(parentId)
    if (isShown) shown.add(id)
    return isShown
  })
}

export function createThreads(deps: { handler: CommandHandler; documents: Documents; clock: Clock }): Threads {
  const { handler, documents, clock } = deps

  async function* pagesOf(tenant: string, assetId: number): AsyncGenerator<CommentDocument[]> {
    for (let after = 0; ; ) {
      const where = [
        { field: 'assetId', is: assetId },
        { field: 'id', from: after + 1 },
      ]
      const { documents: page } = await documents.find(comments, tenant, { where, size: readAtOnce })
      yield page
      const last = page.at(-1)
      if (last === undefined || page.length < readAtOnce) return
      after = last.id
    }
  }

  async function repliesTo({ tenant, assetId, id }: OfComment): Promise<number[][]> {
    const links = await linksOf(tenant, assetId)
    // The loop also visits entries added meanwhile.
    for (const { parentId: id } of links.values()) {
      if (id === null || links.has(id)) continue
      // For an orphaned reply, the log still has the parent of its deleted parent.
      const { state } = await handler.load(commentAggregate, tenant, id)
      links.set(id, { id, parentId: state.status === 'absent' ? null : state.parentId })
    }
    return levelsBelow(
      [...links.values()].sort((one, other) => one.id - other.id),
      id,
    )
  }

  function deletion({ assetId, context }: OfComment, mayChangeAll: boolean) {
    return { type: 'DeleteComment', assetId, at: isoTime(clock.now()), by: context.actor, mayChangeAll } as const
  }

  /** Deletes a reply whose parent is being deleted or is deleted already, so no permission is checked. */
  async function removeReply(of: OfComment, id: number): Promise<void> {
    const { tenant, id: deletedWith, context } = of
    const command = { ...deletion(of, true), deletedWith }
    await handler.handle(commentAggregate, { tenant, id, command, context }).catch((error: unknown) => {
      // Its author, or another deletion, has deleted it already.
      if (!isAssayError(error, 'not-found')) throw error
    })
  }

  /** One level after the other, so that a reply always has its parent, even after an interruption. */
  async function removeReplies(of: OfComment, levels: readonly (readonly number[])[]): Promise<void> {
    for (const level of levels)
      for (let from = 0; from < level.length; from += deletedAtOnce)
        await Promise.all(level.slice(from, from + deletedAtOnce).map((id) => removeReply(of, id)))
  }

  const noParent = () => new AssayError('invalid', 'parentId: there is no such comment on this asset.')

  async function checkThread(tenant: string, assetId: number, parentId: number): Promise<void> {
    let next: number | null = parentId
    for (let levels = 1; next !== null; levels += 1) {
      if (levels > maxLevels)
        throw new AssayError(
          'unprocessable',
          `parentId: a thread has at most ${maxLevels} levels of replies. Reply to a comment further up.`,
        )
      const above: CommentDocument | undefined = (await documents.get(comments, tenant, next))?.document
      if (above?.assetId !== assetId) throw noParent()
      next = above.parentId
    }
  }

  async function linksOf(tenant: string, assetId: number): Promise<Map<number, Link>> {
    const links = new Map<number, Link>()
    for await (const page of pagesOf(tenant, assetId))
      for (const { id, parentId } of page) links.set(id, { id, parentId })
    return links
  }

  return {
    async allOf(tenant, assetId) {
      const found: CommentDocument[] = []
      for await (const page of pagesOf(tenant, assetId)) found.push(...page)
      return withoutOrphans(found)
    },
    async withParents(tenant, page) {
      const parents = [...new Set(page.flatMap(({ parentId }) => parentId ?? []))]
      if (parents.length === 0) return [...page]
      const where = [{ field: 'id', in: parents }]
      const found = await documents.find(comments, tenant, { where, size: parents.length })
      const existing = new Set(found.documents.map(({ id }) => id))
      return page.filter(({ parentId }) => parentId === null || existing.has(parentId))
    },
    async dropOrphans(tenant, assetId) {
      const links = await linksOf(tenant, assetId)
      const parents = new Set([...links.values()].flatMap(({ parentId }) => parentId ?? []))
      for (const id of parents) {
        if (links.has(id)) continue
        const { state } = await handler.load(commentAggregate, tenant, id)
        if (state.status !== 'deleted') continue
        const of = { tenant, assetId, id, context: { actor: 'system' } }
        await removeReplies(of, levelsBelow([...links.values()], id))
      }
    },
    async checkRoom(tenant, assetId, parentId) {
      if (parentId !== undefined) await checkThread(tenant, assetId, parentId)
      const { count } = await documents.find(comments, tenant, { where: [{ field: 'assetId', is: assetId }], size: 0 })
      if (count < maxComments) return
      throw new AssayError(
        'unprocessable',
        `This asset has ${maxComments} comments, which is the maximum. Delete some that are no longer needed.`,
      )
    },
    async dropIfOrphaned(reply) {
      const { tenant, id, parentId } = reply
      const { state: parent } = await handler.load(commentAggregate, tenant, parentId)
      if (parent.status === 'shown') return
      await removeReply({ ...reply, id: parentId }, id)
      throw noParent()
    },
    async remove({ mayChangeAll, ...of }) {
      const { tenant, id, context } = of
      const command = deletion(of, mayChangeAll)
      const { state } = await handler.load(commentAggregate, tenant, id)
      const levels = await repliesTo(of)
      // An earlier deletion was interrupted. Anybody who may delete the comment can complete it.
      const isUnfinished = state.status === 'deleted' && levels.length > 0
      // Checks the permission before anything is deleted.
      decideComment(command, isUnfinished ? { ...state, status: 'shown' } : state)
      await removeReplies(of, levels)
      if (isUnfinished) return
      await handler.handle(commentAggregate, { tenant, id, command, context })
      // Deletes replies written meanwhile.
      await removeReplies(of, await repliesTo(of))
    },
  }
}
