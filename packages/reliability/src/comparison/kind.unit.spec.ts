import type { MetricResult } from '@assay/data-engine'
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
})
