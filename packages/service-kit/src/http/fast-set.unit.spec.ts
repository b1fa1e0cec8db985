import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFastSet } from './fast-set.ts'

test('given any sequence of adds and deletes, then the set has the same members as a Set', () => {
  const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 9 })), { maxLength: 100 })
  fc.assert(
    fc.property(steps, (all) => {
      const things = Array.from({ length: 10 }, (_, name) => ({ name }))
      const [list, set] = [createFastSet<{ name: number }>(), new Set<{ name: number }>()]
      for (const [isAdded, index] of all) {
        const thing = things[index] ?? { name: -1 }
        if (!isAdded) list.delete(thing)
        else if (!set.has(thing)) list.add(thing)
        if (isAdded) set.add(thing)
        else set.delete(thing)
        expect(list.all()).toHaveLength(set.size)
        expect(new Set(list.all())).toEqual(set)
      }
    }),
  )
})
