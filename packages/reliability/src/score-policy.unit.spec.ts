import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ScoredItem, scorePolicy } from './score-policy.ts'
import { judge, thresholdOfPercentage, thresholdRecordOf, type Verdict } from './threshold.ts'

const level = (success: number, warning?: number) =>
  thresholdRecordOf({ type: 'ABSOLUTE', config: { direction: 'ABOVE', success, warning } })
const scored = (
  name: string,
  percentage: number | null,
  given: Partial<ScoredItem> & { verdict?: Verdict } = {},
): ScoredItem => ({
  name,
  weightage: given.weightage ?? 1,
  isWarning: given.isWarning ?? false,
  outcome: {
    verdict: given.verdict ?? (percentage === 100 ? 'SUCCESSFUL' : 'ERRORED'),
    resultPercentage: percentage,
    rowsScanned: null,
    rowsFailed: null,
    value: null,
    error: percentage === null ? 'broken' : null,
  },
})
const score = (
  strategy: 'WEIGHTAGE' | 'RULES' | 'CUSTOM',
  outcomes: ScoredItem[],
  thresholdLevel = level(100),
  scoreItems: string[] = [],
) => scorePolicy({ strategy, outcomes, thresholdLevel, verdictBy: 'SCORE', scoreItems })
/** The default threshold of a policy. */
const byItems = (outcomes: ScoredItem[], strategy: 'WEIGHTAGE' | 'RULES' = 'WEIGHTAGE') =>
  scorePolicy({ strategy, outcomes, thresholdLevel: level(100), verdictBy: 'ITEMS', scoreItems: [] })
const failingWarning = (weightage = 1, percentage = 0) =>
  scored('w', percentage, { isWarning: true, verdict: 'WARNING', weightage })

describe('scores by hand', () => {
  const items = [scored('a', 100), scored('b', 50, { weightage: 3 }), scored('c', 90, { weightage: 2 })]
  it('WEIGHTAGE: (100 + 3 x 50 + 2 x 90) / 6', () => {
    expect(score('WEIGHTAGE', items, level(80, 70))).toMatchObject({
      qualityScore: 71.6667,
      verdict: 'WARNING',
      error: null,
    })
  })
  it('RULES: the lowest', () => {
    expect(score('RULES', items, level(50))).toMatchObject({ qualityScore: 50, verdict: 'SUCCESSFUL', error: null })
  })
  it('CUSTOM: only the named items', () => {
    expect(score('CUSTOM', items, level(100, 96), ['a', 'c'])).toMatchObject({
      qualityScore: 93.3333,
      verdict: 'ERRORED',
      error: null,
    })
    expect(score('CUSTOM', items, level(100), ['z'])).toMatchObject({ qualityScore: null, verdict: 'ERRORED' })
  })
  it('an item that could not be evaluated counts 0', () => {
    expect(score('WEIGHTAGE', [scored('a', 100), scored('b', null)], level(50)).qualityScore).toBe(50)
  })
  it('all weights are 0: all items count the same', () => {
    expect(
      score('WEIGHTAGE', [scored('a', 100, { weightage: 0 }), scored('b', 50, { weightage: 0 })]).qualityScore,
    ).toBe(75)
  })
  it('never rounds across the threshold', () => {
    const exact = scored('a', 99.9999)
    exact.outcome.rowsScanned = 3_000_000
    exact.outcome.rowsFailed = 1
    expect(score('WEIGHTAGE', [exact, scored('b', 100)])).toMatchObject({ qualityScore: 99.9999, verdict: 'ERRORED' })
  })
  it('no items: no score', () => {
    expect(score('WEIGHTAGE', [])).toMatchObject({ qualityScore: null, verdict: 'ERRORED' })
  })
})

describe('a verdict by items', () => {
  it('is the worst one, regardless of the score', () => {
    const passing = scored('a', 80, { verdict: 'SUCCESSFUL' })
    expect(byItems([passing])).toMatchObject({ qualityScore: 80, verdict: 'SUCCESSFUL', error: null })
    expect(byItems([passing, failingWarning()])).toMatchObject({ qualityScore: 80, verdict: 'WARNING', error: null })
    expect(byItems([passing, failingWarning(), scored('b', 90)]).verdict).toBe('ERRORED')
  })
  it('is WARNING without a score if all items are warning items and failed', () => {
    expect(byItems([failingWarning()])).toMatchObject({ qualityScore: null, verdict: 'WARNING' })
  })
})

describe('warning items in a verdict by score', () => {
  it('a failing warning item does not count, a passing one does', () => {
    const passing = scored('b', 50, { isWarning: true, verdict: 'SUCCESSFUL' })
    expect(score('WEIGHTAGE', [scored('a', 100), failingWarning()])).toMatchObject({
      qualityScore: 100,
      verdict: 'SUCCESSFUL',
    })
    expect(score('WEIGHTAGE', [scored('a', 100), passing]).qualityScore).toBe(75)
  })
  it('another item fails, too: ERRORED', () => {
    expect(score('WEIGHTAGE', [scored('a', 99), failingWarning()]).verdict).toBe('ERRORED')
  })
  it('no item fails, but the score is below the threshold: ERRORED, also with a failing warning item', () => {
    const passing = scored('a', 95, { verdict: 'SUCCESSFUL' })
    expect(score('WEIGHTAGE', [passing]).verdict).toBe('ERRORED')
    expect(score('WEIGHTAGE', [passing, failingWarning()]).verdict).toBe('ERRORED')
  })
  it('only failing warning items: WARNING', () => {
    expect(score('RULES', [failingWarning()])).toMatchObject({ qualityScore: null, verdict: 'WARNING' })
  })
})

describe('laws', () => {
  const item = fc
    .record({
      percentage: fc.integer({ min: 0, max: 1_000_000 }),
      weightage: fc.integer({ min: 0, max: 50 }),
      isWarning: fc.boolean(),
    })
    .map(({ percentage, weightage, isWarning }) =>
      scored('x', percentage / 10_000, {
        weightage,
        isWarning,
        ...(isWarning ? { verdict: 'SUCCESSFUL' as const } : {}),
      }),
    )
  const items = fc.array(item, { minLength: 1, maxLength: 12 })
  const strategy = fc.constantFrom('WEIGHTAGE' as const, 'RULES' as const)

  it('the order of the items does not matter', () => {
    fc.assert(
      fc.property(items, strategy, (list, by) => {
        expect(score(by, [...list].reverse(), level(80, 60))).toEqual(score(by, list, level(80, 60)))
      }),
    )
  })
  it('the score is between the lowest and the highest item', () => {
    fc.assert(
      fc.property(items, strategy, (list, by) => {
        const percentages = list.map((one) => one.outcome.resultPercentage ?? 0)
        const { qualityScore } = score(by, list)
        expect(qualityScore).toBeGreaterThanOrEqual(Math.min(...percentages))
        expect(qualityScore).toBeLessThanOrEqual(Math.max(...percentages))
      }),
    )
  })
  it('a worse item never improves the score', () => {
    fc.assert(
      fc.property(items, strategy, (list, by) => {
        const [first, ...rest] = list
        if (first === undefined) return
        const worse = { ...first, outcome: { ...first.outcome, resultPercentage: 0 } }
        expect(score(by, [worse, ...rest]).qualityScore).toBeLessThanOrEqual(score(by, list).qualityScore ?? 0)
      }),
    )
  })
  it('one more WARNING never improves the verdict', () => {
    const rank = (verdict: Verdict) => ['SUCCESSFUL', 'WARNING', 'ERRORED'].indexOf(verdict)
    const verdicts = fc.constantFrom('SUCCESSFUL' as const, 'WARNING' as const, 'ERRORED' as const)
    const judged = fc.array(fc.tuple(item, verdicts), { minLength: 1, maxLength: 8 }).map((list) =>
      list.map(([one, verdict]) => {
        const atWorst = one.isWarning && verdict === 'ERRORED' ? 'WARNING' : verdict
        return { ...one, outcome: { ...one.outcome, verdict: atWorst } }
      }),
    )
    const basis = fc.constantFrom('ITEMS' as const, 'SCORE' as const)
    const percentage = fc.integer({ min: 0, max: 100 })
    const given = { thresholdLevel: level(80, 60), scoreItems: [] }
    fc.assert(
      fc.property(judged, strategy, basis, percentage, fc.nat(50), (outcomes, by, verdictBy, share, weight) => {
        const before = scorePolicy({ ...given, strategy: by, verdictBy, outcomes })
        const more = [...outcomes, failingWarning(weight, share)]
        const after = scorePolicy({ ...given, strategy: by, verdictBy, outcomes: more })
        expect(rank(after.verdict)).toBeGreaterThanOrEqual(rank(before.verdict))
        expect(after.qualityScore).toBe(before.qualityScore)
      }),
    )
  })
  it('judge agrees with plain comparison', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 }), (value, success) => {
        const verdict = judge({ numerator: BigInt(value), denominator: 1n }, thresholdOfPercentage(success))
        expect(verdict).toBe(value >= success ? 'SUCCESSFUL' : 'ERRORED')
      }),
    )
  })
})
