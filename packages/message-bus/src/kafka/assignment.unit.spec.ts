import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assignPartitions, type GroupMember } from './assignment.ts'

const topics = ['a', 'b', 'c']
const members = fc.uniqueArray(fc.nat(20), { minLength: 1, maxLength: 6 }).chain((ids) =>
  fc.tuple(
    ...ids.map((id) =>
      fc.record({
        id: fc.constant(`m${id}`),
        topics: fc.subarray(topics, { minLength: 1 }),
        held: fc.dictionary(fc.constantFrom(...topics), fc.uniqueArray(fc.nat(12), { maxLength: 6 })),
      }),
    ),
  ),
)
const partitions = fc
  .array(fc.nat(12), { minLength: 3, maxLength: 3 })
  .map(
    (counts) => new Map(topics.map((topic, index) => [topic, Array.from({ length: counts[index] ?? 0 }, (_, p) => p)])),
  )

describe('the assignment of partitions', () => {
  it('given any members, then each partition has one member, and the counts of the members differ by one at most', () => {
    fc.assert(
      fc.property(members, partitions, (all, known) => {
        const assigned = assignPartitions(all, known)
        for (const topic of topics) {
          const followers = all.filter((member) => member.topics.includes(topic))
          const given = followers.map(({ id }) => assigned.get(id)?.[topic] ?? [])
          const expected = followers.length === 0 ? [] : (known.get(topic) ?? [])
          expect(given.flat().toSorted((a, b) => a - b)).toEqual(expected)
          const counts = given.map(({ length }) => length)
          if (counts.length > 0) expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
          for (const { id } of all)
            if (!followers.some((member) => member.id === id)) expect(assigned.get(id)?.[topic]).toBeUndefined()
        }
      }),
    )
  })

  it('given the same members, when partitions are assigned again, then each member keeps its partitions', () => {
    fc.assert(
      fc.property(members, partitions, (all, known) => {
        const assigned = assignPartitions(all, known)
        const again: GroupMember[] = all.map((member) => ({ ...member, held: assigned.get(member.id) ?? {} }))
        expect(assignPartitions(again, known)).toEqual(assigned)
      }),
    )
  })

  it('given a member that leaves, when partitions are assigned again, then the other members keep their partitions', () => {
    const known = new Map([['a', [0, 1, 2, 3, 4, 5]]])
    const three = ['x', 'y', 'z'].map((id) => ({ id, topics: ['a'], held: {} }))
    const assigned = assignPartitions(three, known)
    const left = three.slice(1).map((member) => ({ ...member, held: assigned.get(member.id) ?? {} }))
    for (const [id, given] of assignPartitions(left, known))
      expect(given.a).toEqual(expect.arrayContaining(assigned.get(id)?.a ?? [-1]))
  })
})
