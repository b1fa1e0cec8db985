import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createNameIndex } from './name-index.ts'
import { isTypoOf, rankOf } from './rank.ts'
import { formsOf } from './words.ts'

const word = fc.constantFrom(
  'order',
  'orders',
  'ord',
  'er',
  'id',
  'a',
  's',
  'status',
  'customer',
  'straße',
  '订单',
  '12',
  'é',
  'cafe',
  'Café',
  '😀',
  'x',
)
const joint = fc.constantFrom('_', '', '.', ' ', '_', '-')
const cased = fc
  .tuple(word, fc.boolean())
  .map(([text, big]) => (big ? text.slice(0, 1).toUpperCase() + text.slice(1) : text))
const name = fc
  .array(fc.tuple(cased, joint), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.map(([text, between]) => text + between).join(''))
const asked = fc.oneof(
  name,
  fc
    .tuple(name, fc.nat(6), fc.integer({ min: 1, max: 8 }))
    .map(([text, from, length]) => text.slice(from, from + length)),
  fc.constantFrom('ordre', 'custmer id', 'statu', '%', 'rder', 'de'),
)

/** The words of the names that are at most one typo away, as a store finds them. */
const closeAmong = (names: readonly string[]) => (text: string) =>
  names.flatMap((each) => formsOf(each).words).filter((each) => isTypoOf(text, each))

describe('names in memory', () => {
  test('given any names, when searched for a text, then exactly the matching ones are found, with their ranks, in order', () => {
    fc.assert(
      fc.property(
        fc.array(name, { maxLength: 40 }),
        fc.array(asked, { minLength: 1, maxLength: 5 }),
        fc.nat(40),
        fc.integer({ min: 1, max: 6 }),
        (some, texts, late, longList) => {
          const names = [...new Set(some)]
          const index = createNameIndex(5, longList)
          const add = (each: string) => index.add(index.size * 3 + 1, each)
          names.slice(0, late).forEach(add)
          // Some names are added after the first searches; the matches of short texts are cached by then.
          for (const text of ['a', ...texts]) index.match(text.toWellFormed(), () => []).ordered()
          const old = index.renumber()
          const slots = old === undefined ? names.slice(0, late).map((_, at) => at) : [...old]
          const inSlots = slots.map((at) => names[at] ?? '')
          names.slice(late).forEach(add)
          inSlots.push(...names.slice(late))
          expect(inSlots.map((_, slot) => index.key(slot))).toEqual(inSlots.map((each) => names.indexOf(each) * 3 + 1))
          expect(names.map((_, at) => inSlots[index.slotOf(at * 3 + 1) ?? -1])).toEqual(names)
          for (const text of texts.map((each) => each.toWellFormed())) {
            const forms = formsOf(text)
            const expected = inSlots.map((each) => rankOf(forms, formsOf(each)))
            const matches = index.match(text, closeAmong(names))
            expect(inSlots.map((_, slot) => matches.rank(slot))).toEqual(expected)
            const ordered = matches.ordered()
            const sorted = Array.from({ length: ordered.length }, (_, at) => ordered.slot(at))
            expect(sorted.toSorted((one, other) => one - other)).toEqual(
              expected.flatMap((rank, slot) => (rank === undefined ? [] : [slot])),
            )
            const order = (slot: number) => [expected[slot] ?? 9, index.folded(slot)] as const
            for (const [at, slot] of sorted.slice(1).entries()) {
              const [one, other] = [order(sorted[at] ?? 0), order(slot)]
              expect(
                one[0] < other[0] ||
                  (one[0] === other[0] && Buffer.compare(Buffer.from(one[1]), Buffer.from(other[1])) <= 0),
              ).toBe(true)
            }
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  test('given keys, when asked for their slots, then only added keys have one', () => {
    const index = createNameIndex()
    for (const key of [2, 5, 9]) index.add(key, `name_${key}`)
    expect([2, 5, 9].map((key) => index.slotOf(key))).toEqual([0, 1, 2])
    expect([1, 3, 10].map((key) => index.slotOf(key))).toEqual([undefined, undefined, undefined])
  })
})
