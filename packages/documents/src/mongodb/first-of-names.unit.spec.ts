import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Reading, readFirst, type Tie, tiesOf } from './first-of-names.ts'

interface Read extends Reading {
  ids: number[]
}

/** A store with `counts[n]` documents of name n; `looked` counts the documents read. */
function storeOf(counts: readonly number[]) {
  const names = counts.map((_, at) => `name_${at}`)
  const ids = new Map(
    names.map((name, at) => [name, Array.from({ length: counts[at] ?? 0 }, (_, id) => at * 1000 + id)]),
  )
  let looked = 0
  const read = async (asked: readonly string[], most: number, whole: boolean): Promise<Read> => {
    const all = asked.flatMap((name) => ids.get(name) ?? [])
    // A whole reading returns them in any order.
    const some = (whole ? all.toReversed() : all.toSorted((a, b) => a - b)).slice(0, whole ? most + 1 : most)
    looked += some.length
    return { ids: some, count: some.length }
  }
  const ties = names.map((name): Tie => ({ names: [name], rank: 1, folded: name }))
  return { ties, read, looked: () => looked, all: names.flatMap((name) => ids.get(name) ?? []) }
}

describe('the first documents of names', () => {
  test('given any numbers of documents per name, then exactly the first documents are read, and the completely read ties are reported', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.nat(5), fc.nat(60)), { maxLength: 400 }),
        fc.nat(300),
        async (counts, most) => {
          const { ties, read, all } = storeOf(counts)
          const first = await readFirst(ties, most, read)
          const ids = first.readings.flatMap((reading) => reading.ids)
          expect(ids.toSorted((a, b) => a - b)).toEqual(all.slice(0, most))
          expect(first.count).toBe(ids.length)
          const whole = counts.slice(0, first.wholeTies).reduce((sum, count) => sum + count, 0)
          expect(first.wholeCount).toBe(whole)
          expect(whole).toBeLessThanOrEqual(most)
        },
      ),
      { numRuns: 200 },
    ))

  test('given names with very many documents each, when a page is read, then few documents are read', async () => {
    const { ties, read, looked } = storeOf(Array.from({ length: 300 }, () => 900))
    await readFirst(ties, 25, read)
    expect(looked()).toBeLessThanOrEqual(26 + 25)
  })

  test('given names that differ by case only, when grouped, then they are one tie', () => {
    const ranked = (name: string, rank: 0 | 1) => ({ key: name, name, rank, folded: name.toLowerCase(), squashed: '' })
    const names = [ranked('A', 0), ranked('A', 1), ranked('a', 1), ranked('b', 1)]
    expect(tiesOf(names).map((tie) => tie.names)).toEqual([['A'], ['A', 'a'], ['b']])
  })
})
