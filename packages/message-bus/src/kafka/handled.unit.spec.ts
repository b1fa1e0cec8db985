import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countBeyond, decodedBeyond, encodedBeyond, type Handled, unionHandled } from './handled.ts'
import { createProgress } from './progress.ts'

/** A set of offsets as handled ranges, from `offset` on. */
function handledOf(offset: number, offsets: ReadonlySet<number>): Handled {
  let first = offset
  while (offsets.has(first)) first++
  const beyond: { start: number; end: number }[] = []
  for (const each of [...offsets].filter((one) => one > first).toSorted((a, b) => a - b)) {
    const last = beyond.at(-1)
    if (last?.end === each) last.end++
    else beyond.push({ start: each, end: each + 1 })
  }
  return { offset: first, beyond }
}

const sets = fc.uniqueArray(fc.nat(200), { maxLength: 100 }).map((each) => new Set(each))
const has = ({ offset, beyond }: Handled, at: number) =>
  at < offset || beyond.some(({ start, end }) => at >= start && at < end)
const offsets = Array.from({ length: 210 }, (_, index) => index)

describe('handled messages of a partition', () => {
  it('given any handled offsets, when encoded and decoded, then they are the same', () => {
    fc.assert(
      fc.property(fc.nat(1000), sets, (offset, each) => {
        const handled = handledOf(offset, new Set([...each].map((one) => one + offset)))
        expect(decodedBeyond(handled.offset, encodedBeyond(handled))).toEqual(handled)
        expect(countBeyond(handled)).toBe([...each].filter((one) => one + offset > handled.offset).length)
      }),
    )
  })

  it('given more ranges than fit, when encoded, then the text stays short and contains only handled offsets', () => {
    const beyond = Array.from({ length: 3000 }, (_, index) => ({ start: index * 2 + 1, end: index * 2 + 2 }))
    const text = encodedBeyond({ offset: 0, beyond })
    expect(text.length).toBeLessThanOrEqual(4000)
    const read = decodedBeyond(0, text)
    expect(read.beyond).toEqual(beyond.slice(0, read.beyond.length))
    expect(read.beyond.length).toBeGreaterThan(900)
  })

  it('given metadata in another format, when decoded, then only the offset counts', () => {
    for (const metadata of [null, '', 'other', '1:', '1:!,?', '1:1', '1:0,1', '1:1,-1'])
      expect(decodedBeyond(5, metadata)).toEqual({ offset: 5, beyond: [] })
  })

  it('given two sets, then the union has exactly the offsets of either', () => {
    fc.assert(
      fc.property(sets, sets, fc.nat(50), fc.nat(50), (a, b, from, to) => {
        const one = handledOf(from, a)
        const two = handledOf(to, b)
        const both = unionHandled(one, two)
        for (const at of offsets) expect(has(both, at)).toBe(has(one, at) || has(two, at))
        for (const [index, { start, end }] of both.beyond.entries()) {
          expect(end).toBeGreaterThan(start)
          expect(start).toBeGreaterThan(both.beyond[index - 1]?.end ?? both.offset)
        }
      }),
    )
  })

  it('given a member that stops at any point, when the next one starts, then each offset is handled exactly once', () => {
    fc.assert(
      fc.property(sets, fc.nat(200), fc.array(fc.nat(200), { maxLength: 200 }), (before, cut, order) => {
        const handled: number[] = []
        const first = createProgress(handledOf(0, before))
        const begun = offsets.slice(0, cut).filter((at) => first.load(at))
        for (const at of new Set(order))
          if (begun.includes(at)) {
            first.handle(at)
            handled.push(at)
          }
        expect(first.open()).toBe(begun.length - handled.length)
        const kept = first.handled()
        for (const at of offsets) expect(has(kept, at)).toBe(before.has(at) || handled.includes(at))
        const second = createProgress(decodedBeyond(kept.offset, encodedBeyond(kept)))
        for (const at of offsets) if (second.load(at)) handled.push(at)
        expect(handled.toSorted((a, b) => a - b)).toEqual(offsets.filter((at) => !before.has(at)))
        expect(second.next()).toBeGreaterThanOrEqual(offsets.length)
      }),
    )
  })

  it('given offsets that were read, when they are read again, then they are skipped', () => {
    const progress = createProgress({ offset: 3, beyond: [{ start: 5, end: 7 }] })
    expect([2, 3, 4, 5, 6, 7, 3, 7].map((at) => progress.load(at))).toEqual([
      false,
      true,
      true,
      false,
      false,
      true,
      false,
      false,
    ])
    progress.handle(3)
    expect(progress.handled()).toEqual({ offset: 4, beyond: [{ start: 5, end: 7 }] })
    progress.handle(4)
    expect(progress.handled()).toEqual({ offset: 7, beyond: [] })
  })
})
