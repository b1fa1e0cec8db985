import { readFileSync } from 'node:fs'
import { keyOf, type Spread } from '@assay/data-engine'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { inNumberBins } from '../profiles/common-bins.ts'
import { cramersV } from './chi-square.ts'
import { inShares, jensenShannonDistance, largestDifference, populationStabilityIndex } from './divergences.ts'
import { kolmogorovSmirnov, samplesOf, wasserstein } from './ordered.ts'

const countLists = fc
  .integer({ min: 2, max: 12 })
  .chain((length) => fc.tuple(...[0, 1].map(() => fc.array(fc.nat(500), { minLength: length, maxLength: length }))))
  .map(([one = [], other = []]) => [one, other] as const)
  .filter((lists) => lists.every((list) => list.some((count) => count > 0)))

function spreadOf(list: readonly number[]): Spread {
  const counts = new Map<number, number>()
  for (const value of list) counts.set(value + 0, (counts.get(value + 0) ?? 0) + 1)
  const sorted = [...counts].sort(([a], [b]) => a - b)
  return { shift: 0, buckets: sorted.map(([value, count]) => [keyOf(value).toString(), count]) }
}
const samples = (one: readonly number[], other: readonly number[]) => samplesOf(spreadOf(one), spreadOf(other))

/** Every measure between two samples of the values 0, 1, 2 ..., given how often each value occurs. */
function measuresOf(one: readonly number[], other: readonly number[]) {
  const [then, now] = [inShares(one), inShares(other)]
  const repeated = (counts: readonly number[]) => counts.flatMap((count, value) => Array<number>(count).fill(value))
  const both = samples(repeated(one), repeated(other))
  return {
    JS: jensenShannonDistance(then, now),
    PSI: populationStabilityIndex(then, now),
    LINF: largestDifference(then, now),
    CHI2: cramersV(one, other)?.value,
    KS: kolmogorovSmirnov(both)?.value,
    WASSERSTEIN: wasserstein(both),
  }
}

describe('measures of drift', () => {
  it('given equal inputs, then all are 0', () => {
    fc.assert(
      fc.property(countLists, ([one]) => {
        expect(Object.values(measuresOf(one, one))).toEqual([0, 0, 0, 0, 0, 0])
        expect(cramersV(one, one)?.pValue).toBe(1)
      }),
    )
  })

  it('given shifts of known size, then each measure orders them, and only Wasserstein tells disjoint ones apart', () => {
    const bell = [0, 1, 2, 3, 4, 5].map((way) =>
      Array.from({ length: 40 }, (_, at) => Math.round(1000 * Math.exp(-(((at - 12 - way) / 3) ** 2) / 2))),
    )
    const [reference = [], ...shifted] = bell
    const found = shifted.map((current) => measuresOf(reference, current))
    for (const name of ['JS', 'PSI', 'LINF', 'CHI2', 'KS', 'WASSERSTEIN'] as const) {
      const sizes = found.map((one) => one[name] ?? Number.NaN)
      expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
      expect(new Set(sizes).size).toBe(sizes.length)
    }
    expect(measuresOf([10, 0, 0], [0, 10, 0])).toMatchObject({ JS: 1, LINF: 1, CHI2: 1, KS: 1, WASSERSTEIN: 1000 })
    expect(measuresOf([10, 0, 0], [0, 0, 10])).toMatchObject({ JS: 1, LINF: 1, CHI2: 1, KS: 1, WASSERSTEIN: 2000 })
  })
})

describe('the Jensen-Shannon distance', () => {
  const shares = fc
    .array(fc.nat(100), { minLength: 5, maxLength: 5 })
    .filter((counts) => counts.some((count) => count > 0))
    .map(inShares)

  it('is a metric: symmetric, at most 1, and no detour is shorter', () => {
    fc.assert(
      fc.property(shares, shares, shares, (a, b, c) => {
        expect(jensenShannonDistance(a, b)).toBeCloseTo(jensenShannonDistance(b, a), 9)
        expect(jensenShannonDistance(a, b)).toBeLessThanOrEqual(1)
        const detour = jensenShannonDistance(a, b) + jensenShannonDistance(b, c)
        expect(jensenShannonDistance(a, c)).toBeLessThanOrEqual(detour + 1e-9)
      }),
    )
  })
})

/** Quantiles of a normal distribution, rounded to steps of 0.05: a random one of them is a sample of the distribution. */
const quantiles = Array.from({ length: 2 ** 16 }, (_, at) => {
  const [p, t] = [(at + 0.5) / 2 ** 16, Math.sqrt(-2 * Math.log(Math.min(at + 0.5, 2 ** 16 - at - 0.5) / 2 ** 16))]
  // Abramowitz and Stegun 26.2.23.
  const size =
    t - (2.515517 + 0.802853 * t + 0.010328 * t ** 2) / (1 + 1.432788 * t + 0.189269 * t ** 2 + 0.001308 * t ** 3)
  return Math.round(20 * (p < 0.5 ? -size : size))
})

describe('1,000 pairs of samples of one distribution', () => {
  const rows = 3000
  let state = 7
  function drawn(): Spread {
    const counts = new Uint16Array(256)
    for (let row = 0; row < rows; row += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      const at = 128 + (quantiles[state >>> 16] ?? 0)
      counts[at] = (counts[at] ?? 0) + 1
    }
    const found = [...counts.entries()].filter(([, count]) => count > 0)
    return { shift: 0, buckets: found.map(([at, count]) => [keyOf((at - 128) / 20).toString(), count]) }
  }
  const pairs = Array.from({ length: 1000 }, () => {
    const [reference, current] = [drawn(), drawn()]
    const bins = inNumberBins(reference, current)
    return {
      distance: jensenShannonDistance(inShares(bins.reference), inShares(bins.current)),
      chiSquare: cramersV(bins.reference, bins.current),
      smirnov: kolmogorovSmirnov(samplesOf(reference, current)),
    }
  })
  const share = (isIn: (pair: (typeof pairs)[0]) => boolean) => pairs.filter(isIn).length / pairs.length

  it('given the default threshold, then none is above it', () => {
    expect(share(({ distance }) => distance > 0.1)).toBe(0)
  })

  it('given p-values, then at most the stated share of pairs is below them', () => {
    for (const rate of [0.01, 0.05, 0.2]) {
      const most = rate + 4 * Math.sqrt((rate * (1 - rate)) / pairs.length)
      expect(share(({ chiSquare }) => (chiSquare?.pValue ?? 0) < rate)).toBeLessThan(most)
      expect(share(({ smirnov }) => (smirnov?.pValue ?? 0) < rate)).toBeLessThan(most)
    }
    // The test of bins is not merely cautious: about half of all pairs are below one half.
    expect(Math.abs(share(({ chiSquare }) => (chiSquare?.pValue ?? 0) < 0.5) - 0.5)).toBeLessThan(0.1)
  })
})

/** Written by measures.scipy.py. */
const side = z.array(z.number())
const cases = z.array(z.object({ sides: z.tuple([side, side]), found: z.record(z.string(), z.number()) }))
const known = z
  .object({ counts: cases, values: cases })
  .parse(JSON.parse(readFileSync(new URL('./measures.scipy.json', import.meta.url), 'utf8')))

describe('what scipy computes', () => {
  const ofShares = (reference: readonly number[], current: readonly number[]) => {
    const [then, now] = [inShares(reference), inShares(current)]
    const { value: CHI2, pValue: pOfCHI2 } = cramersV(reference, current) ?? {}
    return {
      ...{ JS: jensenShannonDistance(then, now), PSI: populationStabilityIndex(then, now) },
      ...{ LINF: largestDifference(then, now), CHI2, pOfCHI2 },
    }
  }
  const within = (found: Readonly<Record<string, number>>) =>
    Object.fromEntries(
      Object.entries(found).map(([name, value]) => [name, expect.toSatisfy(isNear(value), `${name} near ${value}`)]),
    )
  const isNear = (wanted: number) => (found: number) => Math.abs(found - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted))

  it.each(known.counts)(
    'given counts, then each measure of shares agrees to 1e-9',
    ({ sides: [one, other], found }) => {
      expect(ofShares(one, other)).toEqual(within(found))
    },
  )

  it.each(known.values)(
    'given numbers, then their bins and each measure agree to 1e-9',
    ({ sides: [one, other], found }) => {
      const [reference, current] = [spreadOf(one), spreadOf(other)]
      const both = samplesOf(reference, current)
      const bins = inNumberBins(reference, current)
      const { value: KS, pValue: pOfKS } = kolmogorovSmirnov(both) ?? {}
      expect({ ...ofShares(bins.reference, bins.current), KS, pOfKS, WASSERSTEIN: wasserstein(both) }).toEqual(
        within(found),
      )
    },
  )
})
