import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  carriesTag,
  decidePolicyTags,
  evolvePolicyTags,
  initialPolicyTags,
  maxPolicyTags,
  type PolicyTagsCommand,
  type PolicyTagsState,
} from './policy-tags.ts'

const by = { at: '2026-01-01T00:00:00.000Z', by: 'ann', policyId: 4 }
const named = (tagId: number) => ({ tagId, tagName: `t${tagId}` })
const add = (...ids: number[]) => ({ type: 'AddPolicyTags', ...by, tags: ids.map(named) }) as const
const move = (from: number, into: number) =>
  ({ type: 'MovePolicyTag', ...by, from: named(from), into: named(into) }) as const
const after = (state: PolicyTagsState, command: PolicyTagsCommand) =>
  decidePolicyTags(command, state).reduce(evolvePolicyTags, state)
const carried = ({ tags }: PolicyTagsState) =>
  tags
    .filter(({ isPresent }) => isPresent)
    .toSorted((one, other) => one.index - other.index)
    .map(({ tagId }) => tagId)

describe('the tags of a policy', () => {
  it('given two tags, when they are added again with a new one, then the event has only the new one', () => {
    const state = after(initialPolicyTags, add(1, 2))
    expect(decidePolicyTags(add(2, 3, 3), state)).toEqual([{ type: 'PolicyTagAdded', data: { ...by, ...named(3) } }])
    expect(decidePolicyTags(add(1, 2), state)).toEqual([])
  })

  it('given a tag, when it is merged, then one append replaces it with the other tag, and repeating the merge changes nothing', () => {
    const state = after(initialPolicyTags, add(1, 2))
    expect(decidePolicyTags(move(1, 9), state).map(({ type, data }) => [type, data.tagId])).toEqual([
      ['PolicyTagAdded', 9],
      ['PolicyTagRemoved', 1],
    ])
    const moved = after(state, move(1, 9))
    expect(carried(moved)).toEqual([2, 9])
    expect(decidePolicyTags(move(1, 9), moved)).toEqual([])
    expect(decidePolicyTags(move(5, 9), moved)).toEqual([])
    expect(decidePolicyTags(move(9, 9), moved)).toEqual([])
    // A policy that has both tags of a merge keeps one. A removed tag can be added again.
    expect(carried(after(moved, move(2, 9)))).toEqual([9])
    expect(carried(after(moved, add(1)))).toEqual([2, 9, 1])
  })

  it('given the maximum number of tags, then more are not added, but a move is possible', () => {
    const full = after(initialPolicyTags, add(...Array.from({ length: maxPolicyTags + 5 }, (_, index) => index + 1)))
    expect([carried(full).length, carriesTag(full, maxPolicyTags), carriesTag(full, maxPolicyTags + 1)]).toEqual([
      maxPolicyTags,
      true,
      false,
    ])
    expect(carried(after(full, move(1, 5000)))).toHaveLength(maxPolicyTags)
    expect(carriesTag(after(full, move(1, 5000)), 5000)).toBe(true)
  })

  it('given any commands, then no tag is repeated, and no index is reused', () => {
    const id = fc.integer({ min: 1, max: 6 })
    const command = fc.oneof(
      fc.array(id, { maxLength: 5 }).map((ids): PolicyTagsCommand => add(...ids)),
      fc.tuple(id, id).map(([from, into]): PolicyTagsCommand => move(from, into)),
    )
    fc.assert(
      fc.property(fc.array(command), (commands) => {
        const { tags } = commands.reduce(after, initialPolicyTags)
        expect(new Set(tags.map(({ tagId }) => tagId)).size).toBe(tags.length)
        expect(new Set(tags.map(({ index }) => index)).size).toBe(tags.length)
      }),
    )
  })
})
