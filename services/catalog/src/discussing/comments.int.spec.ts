import { documentPut } from '@assay/documents'
import type { RouteRequest } from '@assay/hosting/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { comments } from '../comment/aggregate.ts'
import { type OpenCrm, of, openCrm } from '../testing/crm.ts'

let crm: OpenCrm
beforeEach(async () => {
  crm = await openCrm()
})
afterEach(() => crm.close())

describe('comments and votes', () => {
  const write = (body: unknown, more: RouteRequest = {}) => crm.ask('addAssetComment', of(crm.table, { body, ...more }))
  const change = (id: number, more: RouteRequest): RouteRequest =>
    of(crm.table, { ...more, params: { commentId: String(id) } })

  it('given more comments than one page, when all are listed, then none is missing, and the oldest is first', async () => {
    const at = '2026-01-01T00:00:00.000Z'
    const puts = Array.from({ length: 2_100 }, (_, index) =>
      documentPut(
        comments,
        'default',
        index + 1,
        {
          id: index + 1,
          assetId: crm.table,
          parentId: null,
          comment: `c${index}`,
          author: 'a',
          createdAt: at,
          updatedAt: at,
        },
        { revision: 0, position: '1' },
      ),
    )
    await crm.documents.put(puts)
    const texts = (await crm.ask('getAssetComments', of(crm.table))).comments.map(({ comment }) => comment)
    expect(texts).toEqual(puts.map((_, index) => `c${index}`))
  })

  it('given comments, then both listings have them, and only their author can change them', async () => {
    const first = await write({ comment: 'hi' })
    const second = await write({ comment: 'ho', parentId: first.id }, { user: 'bob' })
    expect(second).toMatchObject({ parentId: first.id, userName: 'bob' })
    const edit = (more: RouteRequest) =>
      crm.ask('editAssetComment', change(second.id, { body: { comment: 'he' }, ...more }))
    await expect(edit({ user: 'ann' })).rejects.toMatchObject({ code: 'forbidden' })
    expect(await edit({ user: 'bob' })).toMatchObject({ comment: 'he' })
    await edit({ user: 'ann', permissions: ['ASSET_CONFIGURATION_MODIFY'] })
    const { comments } = await crm.ask('getAssetComments', of(crm.table))
    const fields = ['comment', 'createdAt', 'updatedAt', 'userName']
    expect(comments.map((each: object) => Object.keys(each).sort())).toEqual([fields, fields])
    expect(
      (await crm.ask('listCommentThreads', of(crm.table, { query: { size: '1', page: '1' } }))).data,
    ).toMatchObject([{ id: second.id, parentId: first.id, comment: 'he' }])
    await crm.ask('deleteAssetComment', change(second.id, { user: 'bob' }))
    await crm.ask('deleteAssetComment', change(first.id, {}))
    await expect(crm.ask('deleteAssetComment', change(first.id, {}))).rejects.toMatchObject({ code: 'not-found' })
    expect((await crm.ask('getAssetActivity', of(crm.table))).commentCount).toBe(0)
    await expect(write({ comment: 'x', parentId: first.id })).rejects.toMatchObject({ code: 'invalid' })
  })

  it('given replies, when the author deletes the first comment, then the replies are deleted too, whoever wrote them', async () => {
    const first = await write({ comment: 'hi' })
    const other = await write({ comment: 'something else' })
    const reply = await write({ comment: 'ho', parentId: first.id })
    const deeper = await write({ comment: 'he', parentId: reply.id }, { user: 'bob' })
    const remove = (more: RouteRequest = {}) => crm.ask('deleteAssetComment', change(first.id, more))
    await expect(remove({ user: 'bob' })).rejects.toMatchObject({ code: 'forbidden' })
    const threads = async () => (await crm.ask('listCommentThreads', of(crm.table))).data.map(({ id }) => id)
    expect(await threads()).toEqual([first.id, other.id, reply.id, deeper.id])
    await remove()
    expect(await threads()).toEqual([other.id])
    const deleted = (await crm.events('comment')).filter(({ type }) => type === 'CommentDeleted')
    expect(deleted.map(({ data }) => [data.commentId, data.deletedWith, data.by])).toEqual([
      [deeper.id, first.id, 'ann'],
      [reply.id, first.id, 'ann'],
      [first.id, undefined, 'ann'],
    ])
  })

  it('given replies that are written while their parent is deleted, then none is left without a parent', async () => {
    const { id: parentId } = await write({ comment: 'hi' })
    const replies = Array.from({ length: 8 }, (_, at) => write({ comment: `r${at}`, parentId }, { user: 'bob' }))
    const [, ...written] = await Promise.allSettled([crm.ask('deleteAssetComment', change(parentId, {})), ...replies])
    for (const each of written) if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'invalid' })
    expect((await crm.ask('getAssetComments', of(crm.table))).comments).toEqual([])
  })

  it('given several votes of a user, then the last one counts', async () => {
    const vote = (value: string, user: string) => crm.ask('voteOnAsset', of(crm.table, { user, body: { vote: value } }))
    await Promise.all(Array.from({ length: 12 }, (_, index) => vote('UP', `user${index % 6}`)))
    await vote('DOWN', 'user0')
    await vote('NONE', 'user1')
    expect(await crm.ask('getAssetActivity', of(crm.table, { user: 'user0' }))).toEqual({
      upVoteCount: 4,
      downVoteCount: 1,
      commentCount: 0,
      upvoted: false,
      downvoted: true,
    })
  })

  it('given a missing asset, then the message is the same as for a hidden one', async () => {
    for (const id of ['getAssetActivity', 'getAssetComments', 'listCommentThreads'] as const)
      await expect(crm.ask(id, of(999))).rejects.toThrow(/not see it/)
  })
})
