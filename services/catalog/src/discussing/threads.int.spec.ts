import { documentPut } from '@assay/documents'
import { type CommandHandler, createCommandHandler, createCommit } from '@assay/event-store'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommentDocument, commentAggregate, comments } from '../comment/aggregate.ts'
import { createFakeEngine, file, folder } from '../testing/fake-engine.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'
import { createThreads } from './threads.ts'

const tenant = 'default'
const context = { actor: 'ann' }
let catalog: OpenCatalog
let handler: CommandHandler
let assetId: number

beforeEach(async () => {
  const engine = createFakeEngine()
  engine.finds = [folder('in'), file('in/people.csv', [])]
  catalog = await openCatalog({ engine })
  await catalog.assembly('crm')
  assetId = (await catalog.byUid('crm.in.people.csv')).id
  const { store, documents } = catalog
  const commit = createCommit(store, documents, (error) => {
    throw error
  })
  handler = createCommandHandler({ store, documents, commit, clock: systemClock, timers: systemTimers, newId: uuidV7 })
})
afterEach(() => catalog.close())

async function write(parentId?: number, user = 'ann'): Promise<number> {
  const body = { comment: 'hi', ...(parentId === undefined ? {} : { parentId }) }
  return (await catalog.call('addAssetComment', { params: { id: String(assetId) }, body, user })).body.id
}
const remove = (id: number, user = 'ann') =>
  catalog.call('deleteAssetComment', { params: { id: String(assetId), commentId: String(id) }, user })
const shown = async (): Promise<{ id: number; parentId: number | null }[]> =>
  (await catalog.call('listCommentThreads', { params: { id: String(assetId) }, query: { size: '500' } })).body.data
const deletedWith = async () =>
  (await catalog.events('comment')).flatMap(({ type, data }) =>
    type === 'CommentDeleted' ? [[data.commentId, data.deletedWith]] : [],
  )

/** A handler that stops like a dead process after the given number of writes. */
function dyingAfter(writes: number): CommandHandler {
  let left = writes
  return {
    ...handler,
    async handle(aggregate, request) {
      left -= 1
      if (left < 0) throw new Error('killed')
      return handler.handle(aggregate, request)
    },
  }
}

/** Higher than the catalog's own ids. */
const firstPut = 1_000_000

async function putMany(count: number, parentOf: (id: number) => number | null) {
  const at = '2026-01-01T00:00:00.000Z'
  const puts = Array.from({ length: count }, (_, index) => {
    const id = firstPut + index
    const of = { id, assetId, parentId: parentOf(id), comment: 'c', author: 'ann', createdAt: at, updatedAt: at }
    return documentPut<CommentDocument>(comments, tenant, id, of, { revision: 0, position: '1' })
  })
  await catalog.documents.put(puts)
}

describe('the deletion of a thread', () => {
  it.each([0, 1, 3, 5, 6, 9])(
    'given a deletion that is interrupted after %i writes, then no reply is without its parent, and another try deletes the rest',
    async (writes) => {
      const first = await write()
      const replies = await Promise.all(['bob', 'ann', 'bob'].map((user) => write(first, user)))
      for (const reply of replies) await write(await write(reply), 'bob')
      const threads = createThreads({ ...catalog, handler: dyingAfter(writes), clock: systemClock })
      const of = { tenant, assetId, id: first, context, mayChangeAll: false }
      await expect(threads.remove(of)).rejects.toThrow('killed')
      const { documents } = await catalog.documents.find(comments, tenant, { size: 100 })
      const left = new Set(documents.map(({ id }) => id))
      for (const { parentId } of documents) expect(parentId === null || left.has(parentId)).toBe(true)
      expect(left.has(first)).toBe(true)
      await remove(first)
      expect(await shown()).toEqual([])
      const deleted = await deletedWith()
      expect(deleted).toHaveLength(10)
      expect(deleted.at(-1)).toEqual([first, undefined])
      expect(deleted.filter(([, root]) => root === first)).toHaveLength(9)
      await expect(remove(first)).rejects.toMatchObject({ code: 'not-found' })
    },
  )

  it.each(['the comment', 'another reply'])(
    'given a reply whose process died before it saw that %s is deleted, then the reply is hidden, and the next listing deletes it',
    async (gone) => {
      const first = await write()
      const parentId = gone === 'the comment' ? first : await write(first)
      await remove(parentId)
      const id = first + 1000
      const of = { commentId: id, assetId, uid: 'u', at: '2026-01-01', by: 'bob', parentId, comment: 'late' }
      const command = { type: 'AddComment', ...of } as const
      await handler.handle(commentAggregate, { tenant, id, command, context: { actor: 'bob' } })
      const { body } = await catalog.call('getAssetComments', { params: { id: String(assetId) } })
      expect(JSON.stringify(body)).not.toContain('late')
      await expect(write(id)).rejects.toMatchObject({ code: 'invalid' })
      const params = { id: String(assetId) }
      const { body: threads } = await catalog.call('listCommentThreads', { params })
      const left = gone === 'the comment' ? [] : [first]
      expect(threads.data.map((each: { id: number }) => each.id)).toEqual(left)
      expect(threads.meta.count).toBe(left.length)
      expect(await deletedWith()).toContainEqual([id, parentId])
      expect((await catalog.call('getAssetActivity', { params })).body.commentCount).toBe(left.length)
    },
  )

  it('given an orphaned reply, when the first comment of its thread is deleted, then the reply is deleted too', async () => {
    const first = await write()
    const parentId = await write(first)
    await remove(parentId)
    const id = first + 1000
    const of = { commentId: id, assetId, uid: 'u', at: '2026-01-01', by: 'bob', parentId, comment: 'late' }
    const command = { type: 'AddComment', ...of } as const
    await handler.handle(commentAggregate, { tenant, id, command, context: { actor: 'bob' } })
    await expect(remove(first, 'bob')).rejects.toMatchObject({ code: 'forbidden' })
    await remove(first)
    expect(await deletedWith()).toContainEqual([id, first])
    await expect(remove(first)).rejects.toMatchObject({ code: 'not-found' })
  })

  it('given a comment whose document is missing for now, then its replies are not deleted', async () => {
    const first = await write()
    const reply = await write(first)
    const { documents } = catalog
    const [stored] = (await documents.find(comments, tenant, { size: 1 })).documents
    if (stored === undefined) throw new Error('nothing was written')
    await documents.put([documentPut(comments, tenant, first, null, { revision: 1, position: '9' })])
    expect(await shown()).toEqual([])
    expect(await deletedWith()).toEqual([])
    await documents.put([documentPut(comments, tenant, first, stored, { revision: 2, position: '9' })])
    expect((await shown()).map(({ id }) => id)).toEqual([first, reply])
  })

  it('given more replies than one batch, on several levels, then they are deleted, and other comments stay', async () => {
    const first = await write()
    const other = await write()
    const replies = await Promise.all(Array.from({ length: 150 }, () => write(first, 'bob')))
    await Promise.all(replies.map((reply) => write(reply)))
    await remove(first)
    expect((await shown()).map(({ id }) => id)).toEqual([other])
    expect(await deletedWith()).toHaveLength(301)
  })
})

describe('the limits of a discussion', () => {
  it('given the maximum number of comments of an asset, then one more is refused with advice', async () => {
    await putMany(9_999, () => null)
    const last = await write()
    await expect(write(last)).rejects.toMatchObject({
      code: 'unprocessable',
      message: 'This asset has 10000 comments, which is the maximum. Delete some that are no longer needed.',
    })
  })

  it('given the maximum depth of replies, then one more level is refused', async () => {
    await putMany(501, (id) => (id === firstPut ? null : id - 1))
    await expect(write(firstPut + 500)).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(/^parentId: a thread has at most 500 levels/),
    })
  })
})
