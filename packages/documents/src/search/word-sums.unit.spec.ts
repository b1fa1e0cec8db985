import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createGroupCounts } from './group-counts.ts'
import { createNameIndex } from './name-index.ts'
import { createWordSums } from './word-sums.ts'

const groups = 4
const word = fc.constantFrom('order', 'orders', 'reorder', 'id', 'a', 'status', 'ad')
const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('_'))
const pairs = fc
  .uniqueArray(fc.nat(groups - 1), { maxLength: groups })
  .chain((some) => fc.tuple(...some.map((group) => fc.tuple(fc.constant(group), fc.integer({ min: 1, max: 9 })))))
  .map((each) => each.flat())
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('add' as const), name, pairs }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('change' as const), at: fc.nat(40), pairs }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('renumber' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('search' as const),
      text: fc.constantFrom('order', 'rder', 'or', 'a', 'id', 'order_id', 'ordre', 'status a', 'der', 's'),
      allowed: fc.array(fc.constantFrom(0, 1), { minLength: groups, maxLength: groups }),
    }),
  },
)

test('given names and counts that change, then the sums of matches equal those counted name by name', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const index = createNameIndex(3)
      const counts = createGroupCounts()
      // With 1, the sums of every word are cached.
      const sums = createWordSums(index, counts, 1)
      const names: string[] = []
      const own = new Map<string, readonly number[]>()
      const close = () => ['order', 'orders']

      function checkSums(text: string, allowed: Uint8Array): void {
        const matches = index.match(text, close)
        const expected = new Float64Array(groups)
        for (const [at, each] of names.entries()) {
          if (matches.rank(index.slotOf(at + 1) ?? -1) === undefined) continue
          const counted = own.get(each) ?? []
          for (const [place, group] of counted.entries())
            if (place % 2 === 0 && allowed[group] === 1)
              expected[group] = (expected[group] ?? 0) + (counted[place + 1] ?? 0)
        }
        expect([...sums.of(matches, allowed)]).toEqual([...expected])
      }

      for (const next of steps) {
        if (next.kind === 'add' && !own.has(next.name)) {
          names.push(next.name)
          own.set(next.name, next.pairs)
          index.add(names.length, next.name)
          sums.set(index.slotOf(names.length) ?? -1, next.pairs)
        } else if (next.kind === 'change' && names.length > 0) {
          const at = next.at % names.length
          own.set(names[at] ?? '', next.pairs)
          sums.set(index.slotOf(at + 1) ?? -1, next.pairs)
        } else if (next.kind === 'renumber') {
          const order = index.renumber()
          if (order !== undefined) counts.renumber(order)
        } else if (next.kind === 'search') checkSums(next.text, Uint8Array.from(next.allowed))
      }
    }),
    { numRuns: 500 },
  )
})
