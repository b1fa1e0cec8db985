import { describe, expect, it } from 'vitest'
import { decideTag, type TagCommand } from './decide.ts'
import { evolveTag, initialTag, type TagState, tagNameOf } from './tag.ts'

const by = { at: '2026-01-01T00:00:00.000Z', by: 'ann' }
const create = {
  type: 'CreateTag',
  tagId: 1,
  keyId: null,
  keyName: null,
  value: 'pii',
  protectedData: false,
  ...by,
} as const
const after = (state: TagState, command: TagCommand) => decideTag(command, state).reduce(evolveTag, state)
const pii = after(initialTag, create)

describe('a tag', () => {
  it('given no tag, when it is created twice, then it is created once', () => {
    expect(pii).toMatchObject({ status: 'active', id: 1, value: 'pii', createdBy: 'ann' })
    expect(decideTag({ ...create, value: 'other' }, pii)).toEqual([])
  })
  it('given a tag with a key, then its name consists of key and value', () => {
    expect(tagNameOf({ keyName: 'class', value: 'secret' })).toBe('class:secret')
    expect(tagNameOf({ keyName: null, value: 'secret' })).toBe('secret')
  })
  it('given a tag, when some of its fields change, then the event has only these fields', () => {
    const change = { type: 'ChangeTag', ...by } as const
    expect(decideTag({ ...change, value: 'pii', protectedData: undefined }, pii)).toEqual([])
    expect(decideTag({ ...change, value: undefined, protectedData: true }, pii).map(({ type }) => type)).toEqual([
      'TagProtectionSet',
    ])
    const renamed = decideTag({ ...change, value: 'personal', protectedData: false }, pii)
    expect(renamed).toEqual([{ type: 'TagRenamed', data: { tagId: 1, ...by, before: 'pii', value: 'personal' } }])
  })
  it('given a tag, when it is merged, then it no longer exists, and repeating the merge changes nothing', () => {
    const merge = { type: 'MergeTag', intoId: 2, ...by } as const
    const merging = after(pii, merge)
    expect(merging).toMatchObject({ status: 'merging', mergedIntoId: 2 })
    expect(decideTag(merge, merging)).toEqual([])
    const before = { keyName: null, value: 'pii', protectedData: false }
    expect(decideTag(merge, pii)).toEqual([{ type: 'TagMerged', data: { tagId: 1, ...by, before, intoId: 2 } }])
    expect(() => decideTag({ ...merge, intoId: 3 }, merging)).toThrow('no such tag')
    expect(() => decideTag({ type: 'ChangeTag', value: 'x', protectedData: undefined, ...by }, merging)).toThrow()
    const moved = after(merging, { type: 'FinishMove', ...by })
    expect(moved).toMatchObject({ status: 'merged' })
    expect(decideTag({ type: 'FinishMove', ...by }, moved)).toEqual([])
  })
  it('given a tag, when it is merged into itself, then it is refused', () => {
    expect(() => decideTag({ type: 'MergeTag', intoId: 1, ...by }, pii)).toThrow('another tag')
  })
})
