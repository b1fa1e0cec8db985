import { expect, it } from 'vitest'
import { inParts } from './in-parts.ts'

/** The sizes of the parts of 100 documents with `values` each, and how often other work got its turn. */
async function partsOf(values: number) {
  const [sizes, read]: [number[], number[]] = [[], []]
  let turns = 0
  let isDone = false
  const takeTurns = () => {
    turns += 1
    if (!isDone) setImmediate(takeTurns)
  }
  setImmediate(takeTurns)
  const reading = {
    atOnce: 50,
    valuesIn: () => values,
    read: async (size: number) => {
      const documents = Array.from({ length: Math.min(size, 100 - read.length) }, (_, index) => read.length + index)
      return { documents, isEnd: read.length + documents.length === 100 }
    },
  }
  for await (const part of inParts(reading)) {
    sizes.push(part.length)
    read.push(...part)
  }
  isDone = true
  expect(read).toEqual(Array.from({ length: 100 }, (_, index) => index))
  return { sizes, turns }
}

it.each([
  ['small', 3, [2, 50, 48]],
  ['large', 100, [2, 20, 20, 20, 20, 18]],
  ['huge', 10_000, [2, ...Array.from({ length: 98 }, () => 1)]],
])(
  'given %s documents, then it reads all of them in parts of their size, and other work gets its turns',
  async (_, values, expected) => {
    const { sizes, turns } = await partsOf(values)
    expect(sizes).toEqual(expected)
    expect(turns).toBeGreaterThanOrEqual(expected.length - 1)
  },
)
