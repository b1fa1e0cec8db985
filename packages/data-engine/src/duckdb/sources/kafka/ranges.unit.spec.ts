import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineOf } from './lines.ts'
import { newestRanges, positionText, rangesAfter, readPosition } from './ranges.ts'

const edges = [
  { partition: 0, low: 5, high: 9 },
  { partition: 1, low: 0, high: 3 },
]

describe('the messages of a window', () => {
  it.each([
    [
      'the next ones of each partition',
      [
        [0, 7],
        [1, 3],
      ],
      [
        [7, 9],
        [3, 3],
      ],
      [],
    ],
    [
      'all of a partition that the position does not name',
      [[0, 9]],
      [
        [9, 9],
        [0, 3],
      ],
      [],
    ],
    [
      'all of a topic that was created again',
      [
        [0, 10],
        [1, 0],
      ],
      [
        [5, 9],
        [0, 3],
      ],
      [],
    ],
    [
      'those that are left',
      [
        [0, 2],
        [1, 0],
      ],
      [
        [5, 9],
        [0, 3],
      ],
      [{ partition: 0, from: 2, to: 5 }],
    ],
  ] as const)('are %s', (_, after, ranges, lost) => {
    const found = rangesAfter(edges, new Map(after))
    expect(found.ranges.map(({ from, to }) => [from, to])).toEqual(ranges)
    expect(found.lost).toEqual(lost)
  })

  it('are the newest of each partition if part of them suffices', () => {
    expect(newestRanges(edges, 4).map(({ from, to }) => [from, to])).toEqual([
      [7, 9],
      [1, 3],
    ])
    expect(newestRanges([], 4)).toEqual([])
  })
})

it('given a position, then it can be read from its text; any other text is not a position', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.nat(200).map(String), fc.nat(), { maxKeys: 9 }), (offsets) => {
      const next = new Map(Object.entries(offsets).map(([partition, offset]) => [Number(partition), offset]))
      expect(readPosition(positionText(next))).toEqual(next)
    }),
  )
  for (const text of ['', '12', '{"a":1}', '{"0":-1}', '{"0":1.5}', '2026-11-01'])
    expect(readPosition(text)).toBeUndefined()
})

it('given a JSON object with line breaks, then it is one line with the same value', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 }),
      fc.constantFrom('', ' ', '\n', '\r\n  '),
      (object, space) => {
        const line = lineOf({ value: Buffer.from(JSON.stringify(object, null, space)) })
        if (!Buffer.isBuffer(line)) throw new Error('It is not a line.')
        expect(line.toString().match(/[\r\n]/g)).toEqual(['\n'])
        expect(JSON.parse(line.toString())).toEqual(JSON.parse(JSON.stringify(object)))
      },
    ),
  )
})
