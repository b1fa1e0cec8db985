import { describe, expect, it } from 'vitest'
import { type CommentState, decideComment, evolveComment, initialComment } from './comment.ts'

const add = {
  type: 'AddComment',
  commentId: 1,
  assetId: 4,
  uid: 'u',
  at: '2026-01-01',
  by: 'ann',
  parentId: null,
  comment: 'hi',
} as const
const change = { assetId: 4, at: '2026-01-02', by: 'ann', mayChangeAll: false }
const after = (state: CommentState, command: Parameters<typeof decideComment>[0]) =>
  decideComment(command, state).reduce(evolveComment, state)
const written = after(initialComment, add)

describe('a comment', () => {
  it('given its author, when the comment is edited, then it has the new text; an unchanged text causes no event', () => {
    const edit = { type: 'EditComment', ...change, comment: 'ho' } as const
    expect(after(written, edit)).toMatchObject({ comment: 'ho', createdAt: '2026-01-01', updatedAt: '2026-01-02' })
    expect(decideComment({ ...edit, comment: 'hi' }, written)).toEqual([])
  })
  it('given another user, when the comment is deleted, then this requires the permission', () => {
    const other = { ...change, by: 'bob' }
    expect(() => decideComment({ type: 'DeleteComment', ...other }, written)).toThrow('another user')
    expect(after(written, { type: 'DeleteComment', ...other, mayChangeAll: true })).toMatchObject({
      status: 'deleted',
    })
  })
  it('given a comment of another asset, or a deleted one, then it is not found', () => {
    expect(() => decideComment({ type: 'DeleteComment', ...change, assetId: 5 }, written)).toThrow('no such comment')
    const deleted = after(written, { type: 'DeleteComment', ...change })
    expect(() => decideComment({ type: 'EditComment', ...change, comment: 'x' }, deleted)).toThrow('no such comment')
  })
})
