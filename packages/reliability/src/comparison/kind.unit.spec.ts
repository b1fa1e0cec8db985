import type { Compared, MetricResult } from '@assay/data-engine'
import { describe, expect, it } from 'vitest'
import type { Found, RunGiven } from '../kinds/judging.ts'
import { allSteps } from '../kinds/steps.ts'
import { thresholdOfPercentage, thresholdRecordOf } from '../threshold.ts'
import type { ComparisonItem, ComparisonPolicy } from './definition.ts'
import { detailOf } from './detail.ts'
import { reconciliation } from './kind.ts'

const startedAt = '2026-11-20T10:00:00.000Z'
const references = {
  ...{ variables: {}, udf: () => undefined, lookup: () => undefined, tables: () => [], views: () => [] },
  carriesTag: () => undefined,
}
const item = (measurementType: ComparisonItem['measurementType'], changes: Partial<ComparisonItem> = {}) => ({
  ...{ id: 1, executionOrder: 0, measurementType, columnName: null, value: null, thresholdConfig: null },
  ...changes,
})
const policyOf = (changes: Partial<ComparisonPolicy>) => {
  const side = { filter: null, marker: null }
  const definition: ComparisonPolicy = {
    ...{ policyId: 7, left: { ...side, assetId: 11 }, right: { ...side, assetId: 30 }, timeoutMinutes: null },
    ...{ asksEquality: false, joinType: 'FULL', timeSecondsOffset: 0, items: [], mappings: [] },
    score: {
      ...{ strategy: 'WEIGHTAGE', items: [], verdictBy: 'ITEMS' },
      threshold: thresholdRecordOf(thresholdOfPercentage(100)),
    },
    treatZeroRowsAsSuccess: false,
    ...changes,
  }
  return reconciliation.open({ definition, shown: { items: [] } })(3)
}

const columnsOf = (columns: Record<string, string>) =>
  Object.entries(columns).map(([name, dataType], index) => ({ id: index + 1, name, dataType }))
const runOf = (left: Record<string, string>, right = left): RunGiven => ({
  ...{ startedAt, executionType: 'FULL', itemSelection: null, markKey: null },
  sides: [
    { side: 'LEFT', assetId: 11, columns: columnsOf(left), references, mark: null },
    { side: 'RIGHT', assetId: 30, columns: columnsOf(right), references, mark: null },
  ],
})

/** Answers of the engine to every metric of a run. */
function answers(
  policy: ReturnType<typeof policyOf>,
  run: RunGiven,
  { rows, answer }: { rows: Record<string, number>; answer: (side: string, id: number) => MetricResult },
): Found[] {
  return policy.step(run, []).flatMap((request): Found[] => {
    if (request.kind !== 'MEASURE') return []
    const { side, problems, metrics } = request
    const results = metrics.map(({ id }) => answer(side, id))
    return [{ kind: 'MEASURE', side, results, problems, rowsScanned: rows[side] ?? 0 }]
  })
}

const judged = (policy: ReturnType<typeof policyOf>, run: RunGiven, found: readonly Found[]) => {
  const { outcomes, verdict } = allSteps(policy.judge(run, found, new Map()))
  return { verdict, outcome: outcomes[0], detail: outcomes[0] && detailOf(outcomes[0]) }
}

describe('PROFILE_EQUALITY', () => {
  it('given figures that could not be measured, then it is ERRORED with the messages', () => {
    const policy = policyOf({ items: [item('PROFILE_EQUALITY')] })
    const run = runOf({ id: 'BIGINT' })
    const answer = (side: string, id: number): MetricResult => ({ id, kind: 'error', message: `${side} is broken.` })
    const found = answers(policy, run, { rows: { LEFT: 2, RIGHT: 2 }, answer })
    const { verdict, outcome, detail } = judged(policy, run, found)
    expect([verdict, outcome?.resultPercentage]).toEqual(['ERRORED', null])
    expect(detail).toMatchObject({ leftError: 'LEFT is broken.', rightError: 'RIGHT is broken.' })
  })

  it('given decimals of 40 digits whose maxima differ in the last one, then it is ERRORED', () => {
    const policy = policyOf({ items: [item('PROFILE_EQUALITY')] })
    const run = runOf({ amount: 'numeric(40,0)' })
    const asked = policy.step(run, []).flatMap((request) => (request.kind === 'MEASURE' ? request.metrics : []))
    const isMax = (id: number) => asked.some((one) => one.id === id && one.kind === 'aggregate' && one.fn === 'MAX')
    const answer = (side: string, id: number): MetricResult => {
      const value = isMax(id) ? `${10n ** 39n + (side === 'LEFT' ? 1n : 2n)}` : '1'
      return { id, kind: 'value', value, scanned: 1 }
    }
    const found = answers(policy, run, { rows: { LEFT: 1, RIGHT: 1 }, answer })
    expect(judged(policy, run, found).verdict).toBe('ERRORED')
  })
})

const noWarnings = { total: 0, first: [] }
const comparedSide = (rows: number): Compared['left'] => ({
  ...{ rows, duplicateKeys: 0, nullKeys: 0, warnings: noWarnings, reached: null, touched: null },
})
type Groups = Record<'equal' | 'changed' | 'onlyLeft' | 'onlyRight' | 'warned', number>
const groups = (changes: Partial<Groups>): Groups => ({
  ...{ equal: 0, changed: 0, onlyLeft: 0, onlyRight: 0, warned: 0 },
  ...changes,
})
const comparedOf = (found: Groups): Found[] => {
  const { equal, changed, onlyLeft, onlyRight } = found
  const sides = { left: comparedSide(equal + changed + onlyLeft), right: comparedSide(equal + changed + onlyRight) }
  return [{ kind: 'COMPARE', compared: { ...found, ...sides, columns: [], elapsedMs: 1, firsts: [] } }]
}

describe('HASHED_EQUALITY', () => {
  const of = (changes: Partial<ComparisonPolicy>, found: readonly Found[], right?: Record<string, string>) =>
    judged(policyOf({ items: [item('HASHED_EQUALITY')], ...changes }), runOf({ id: 'BIGINT' }, right), found)

  it('given tables that share no row, then it fails, even where the join type counts none of them', () => {
    const counted = (LEFT: number, RIGHT: number) =>
      Object.entries({ LEFT, RIGHT }).map(([side, rowsScanned]): Found => {
        const frame = { kind: 'MEASURE' as const, results: [], problems: new Map(), rowsScanned }
        return { ...frame, side: side === 'LEFT' ? 'LEFT' : 'RIGHT' }
      })
    const failed = { verdict: 'ERRORED', outcome: { resultPercentage: 0, rowsScanned: null } }
    expect(of({ joinType: 'INNER' }, counted(3, 3), { other: 'BIGINT' })).toMatchObject(failed)
    expect(of({ joinType: 'INNER' }, comparedOf(groups({ onlyLeft: 5 })))).toMatchObject(failed)
    expect(of({ joinType: 'LEFT' }, comparedOf(groups({ onlyRight: 5 })))).toMatchObject(failed)
    expect(of({ joinType: 'LEFT' }, comparedOf(groups({ equal: 1, onlyRight: 5 })))).toMatchObject({
      ...{ verdict: 'SUCCESSFUL', outcome: { resultPercentage: 100 } },
    })
  })

  it('given rows that differ only in columns with isWarning, then it is WARNING', () => {
    expect(of({}, comparedOf(groups({ equal: 1, changed: 2, warned: 2 }))).verdict).toBe('WARNING')
    expect(of({}, comparedOf(groups({ equal: 1, changed: 2, warned: 1 }))).verdict).toBe('ERRORED')
  })
})

describe('CUSTOM', () => {
  const select = { leftSql: 'SELECT 1', rightSql: 'SELECT 1', absolute: 1 }
  const of = (LEFT: string, RIGHT: string) => {
    const policy = policyOf({ items: [item('CUSTOM', { value: select })] })
    const run = runOf({ id: 'BIGINT' })
    const answer = (side: string, id: number): MetricResult => ({
      ...{ id, kind: 'value', value: side === 'LEFT' ? LEFT : RIGHT, scanned: 2 },
    })
    return judged(policy, run, answers(policy, run, { rows: { LEFT: 2, RIGHT: 2 }, answer }))
  }

  it.each([
    ['NaN', 'NaN', 100],
    ['Infinity', 'Infinity', 100],
    ['Infinity', '-Infinity', 0],
    ['NaN', '1', 0],
    ['1e308', 'Infinity', 0],
    ['1', '2', 100],
  ])(
    'given %s on the left and %s on the right, then NaN and infinities equal only themselves',
    (left, right, found) => {
      const { outcome, detail } = of(left, right)
      expect(outcome?.resultPercentage).toBe(found)
      expect(detail).toMatchObject({ leftResult: left, rightResult: right })
    },
  )

  it('given a text that is no number, then it is ERRORED', () => {
    expect(of('NaN', 'many')).toMatchObject({ verdict: 'ERRORED', outcome: { resultPercentage: null } })
  })
})

describe('TIMELINESS', () => {
  const at = item('TIMELINESS', { columnName: 'at', value: { maxDelay: 0 } })
  const of = (dataType: string, changes: Partial<ComparisonPolicy>, newest: string | null) => {
    const policy = policyOf({ items: [at], ...changes })
    const run = runOf({ at: dataType })
    const count = newest === null ? 0 : 3
    const answer = (_side: string, id: number): MetricResult => ({ id, kind: 'value', value: newest, scanned: count })
    return judged(policy, run, answers(policy, run, { rows: { LEFT: count, RIGHT: count }, answer }))
  }

  it('given an offset, then it is added to times, not to dates', () => {
    const shifted = { timeSecondsOffset: 3600 }
    expect(of('DATE', shifted, '2026-11-20')).toMatchObject({ verdict: 'SUCCESSFUL', outcome: { value: '0' } })
    expect(of('TIMESTAMP', shifted, '2026-11-20 10:00:00')).toMatchObject({ verdict: 'ERRORED' })
  })

  it('given two tables without rows, then treatZeroRowsAsSuccess decides', () => {
    expect(of('TIMESTAMP', { treatZeroRowsAsSuccess: true }, null).outcome).toMatchObject({ resultPercentage: 100 })
    expect(of('TIMESTAMP', {}, null)).toMatchObject({ verdict: 'ERRORED', outcome: { error: 'no rows' } })
  })
})

describe('the proof of an EQUALITY policy', () => {
  const of = (joinType: ComparisonPolicy['joinType'], left: string[], right: string[], found: Groups) => {
    const { equal, changed, onlyLeft, onlyRight } = found
    const sides = { left: comparedSide(equal + changed + onlyLeft), right: comparedSide(equal + changed + onlyRight) }
    const row = (id: string) => ({ id })
    const firsts = [
      ...left.map((id) => ({ difference: 'ONLY_LEFT' as const, changedColumns: [], left: row(id), right: null })),
      ...right.map((id) => ({ difference: 'ONLY_RIGHT' as const, changedColumns: [], left: null, right: row(id) })),
    ]
    const compared = { ...found, ...sides, columns: [], elapsedMs: 1, firsts }
    const policy = policyOf({ asksEquality: true, joinType })
    return judged(policy, runOf({ id: 'VARCHAR' }), [{ kind: 'COMPARE', compared }]).detail?.comparison?.proof
  }

  it('given rows that the join type lets pass, then the proof is of those that fail', () => {
    const more = groups({ equal: 1, onlyLeft: 1, onlyRight: 2 })
    expect(of('FULL', ['a'], ['b'], more)).toEqual({ kind: 'ROW_COUNT', left: 2, right: 3 })
    expect(of('LEFT', ['a'], ['b'], more)).toEqual({ kind: 'ROW', left: { id: 'a' }, right: null })
    const fewer = groups({ equal: 1, onlyLeft: 2, onlyRight: 1 })
    expect(of('RIGHT', ['a'], ['b'], fewer)).toEqual({ kind: 'ROW', left: null, right: { id: 'b' } })
    expect(of('INNER', ['a'], [], groups({ onlyLeft: 5 }))).toEqual({ kind: 'ROW_COUNT', left: 5, right: 0 })
  })
})
