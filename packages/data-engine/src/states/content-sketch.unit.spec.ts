import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hashCharacters, hashesPerColumn, noContent, similarityOf, sketchOf } from './content-sketch.ts'

const hash = (value: number) => value.toString(16).padStart(hashCharacters, '0')
const values = fc.array(fc.option(fc.nat(9)), { maxLength: 60 })

/** The share of values in common, by its definition. */
function expected(one: readonly (number | null)[], other: readonly (number | null)[]): number {
  const shares = (list: readonly (number | null)[]) => {
    const present = list.filter((value) => value !== null)
    return (value: number) => present.filter((each) => each === value).length / present.length
  }
  const [left, right] = [shares(one), shares(other)]
  const all = Array.from({ length: 10 }, (_, value) => [left(value), right(value)] as const)
  const sum = (of: (a: number, b: number) => number) => all.reduce((total, [a, b]) => total + of(a, b), 0)
  return sum(Math.min) / sum(Math.max) || 0
}

it('given the values of two columns, then their similarity is the share that they have in common', () => {
  fc.assert(
    fc.property(values, values, (one, other) => {
      const sketch = (list: readonly (number | null)[]) =>
        sketchOf(list.map((value) => (value === null ? null : hash(value))))
      expect(similarityOf(sketch(one), sketch(other))).toBeCloseTo(expected(one, other), 12)
    }),
  )
})

it('given columns with more values than fit, then their similarity is estimated from the same part of the values', () => {
  const numbers = (from: number) => Array.from({ length: 1_000 }, (_, index) => hash((from + index) * 4_294_967))
  expect(similarityOf(sketchOf(numbers(0)), sketchOf(numbers(0)))).toBe(1)
  expect(similarityOf(sketchOf(numbers(0)), sketchOf(numbers(1_000)))).toBe(0)
})

it('given empty columns, then they are not similar', () => {
  expect(similarityOf(noContent, noContent)).toBe(0)
})

it('given a table of any width, then the sketches of its columns fit into an event', () => {
  for (const columns of [1, 187, 188, 600, 2_000, 5_000]) {
    const sketch = sketchOf(
      Array.from({ length: 100 }, (_, index) => hash(index)),
      hashesPerColumn(columns),
    )
    expect(columns * JSON.stringify(sketch).length).toBeLessThan(768 * 1024)
  }
})
