import type { ItemRecord } from '@assay/contracts'
import { describe, expect, it } from 'vitest'
import { itemOf } from '../item-fixture.ts'
import type { FoundSide, RunGiven, SideRequest } from '../kinds/judging.ts'
import { allSteps } from '../kinds/steps.ts'
import { quality } from './kind.ts'

const relative = {
  type: 'RELATIVE' as const,
  config: { direction: 'CHANGES_BY', operator: 'LTE', unit: 'PERCENTAGE', success: 10 },
  operationalConfig: { lookBack: { window: 5, windowType: 'RUNS' } },
  success: 10,
  warning: null,
}
const items = [
  itemOf({ measurementType: 'MISSING_VALUES', id: 1, columnName: 'a', thresholdConfig: relative }),
  itemOf({ measurementType: 'MISSING_VALUES', id: 2, columnName: 'a' }),
  itemOf({ measurementType: 'MISSING_VALUES', id: 3, columnName: 'gone' }),
]

function policyOf(kept: readonly ItemRecord[] = items, definition: object = {}) {
  const shown = { isProtectedResource: false, sparkSQLFilterType: 'STATIC', autoRetryEnabled: false }
  const { thresholdConfig: threshold } = itemOf({ measurementType: 'CUSTOM' })
  const score = { strategy: 'WEIGHTAGE', items: [], threshold, verdictBy: 'ITEMS' }
  const sides = [{ side: 'ONE', assetId: 11, filter: 'a > 0', marker: null }]
  const own = { sides, timeoutMinutes: null, treatZeroRowsAsSuccess: false, score, items: [...kept], ...definition }
  return quality.open({ definition: own, shown: { ...shown, items: kept.map(() => ({})) } })(1)
}

const references = {
  variables: { limit: '5' },
  udf: () => undefined,
  lookup: () => undefined,
  tables: () => [],
  views: () => [],
  carriesTag: () => undefined,
}
const columns = [{ name: 'a', dataType: 'BIGINT' }]

function runOf(changes: Partial<RunGiven> = {}, mark: string | null = null): RunGiven {
  const sides: RunGiven['sides'] = [{ side: 'ONE', assetId: 11, columns, references, mark }]
  const startedAt = '2026-11-20T10:00:00.000Z'
  return { startedAt, executionType: 'FULL', itemSelection: null, markKey: null, sides, ...changes }
}

function foundOf(scanned: number, failed: number): FoundSide {
  const results = [1, 2].map((id) => ({ id, kind: 'rows' as const, scanned, failed }))
  return {
    kind: 'MEASURE',
    side: 'ONE',
    results,
    problems: new Map([[3, 'columnName: the asset has no such column']]),
    rowsScanned: scanned,
  }
}

/** The only request of a run. */
function requestOf(run: RunGiven): SideRequest {
  const [request, more] = policyOf().step(run, [])
  if (request?.kind !== 'MEASURE' || more !== undefined) throw new Error('Data quality asks for one measurement.')
  expect(policyOf().step(run, [foundOf(1, 0)])).toEqual([])
  return request
}

describe('the plan', () => {
  it('has one request for all items, with the filter; an item that can never be measured has a problem', () => {
    const request = requestOf(runOf())
    expect(request.metrics.map(({ id }) => id)).toEqual([1, 2])
    expect([...request.problems.keys()]).toEqual([3])
    expect(request.filter).toEqual({ sql: 'a > 0', variables: { limit: { text: '5' } } })
  })

  it('has only the selected items', () => {
    const request = requestOf(runOf({ itemSelection: [2] }))
    expect(request.metrics.map(({ id }) => id)).toEqual([2])
  })

  it('looks back at the series of thresholds, but not for a SELECTIVE run', () => {
    const lookBacks = (run: RunGiven) =>
      policyOf()
        .lookBacks(run)
        .map(({ threshold }) => threshold.type)
    expect(lookBacks(runOf())).toEqual(['RELATIVE'])
    expect(lookBacks(runOf({ executionType: 'SELECTIVE' }))).toEqual([])
  })
})

describe('judge', () => {
  it('gives points by the keys that later runs look back at, and compares with earlier points', () => {
    const policy = policyOf()
    const [lookBack] = policy.lookBacks(runOf())
    const { points = {} } = allSteps(policy.judge(runOf(), [foundOf(10, 0)], new Map()))
    const key = lookBack?.key ?? ''
    expect(points[key]).toBe('100')
    const at = Date.parse('2026-11-19T10:00:00.000Z')
    const summary = { count: 1, sum: '100', least: '100', most: '100', firstAt: at, lastAt: at }
    const history = { now: at + 86_400_000, days: [{ day: Math.floor(at / 86_400_000), summary }] }
    const { outcomes, verdict } = allSteps(policy.judge(runOf(), [foundOf(10, 9)], new Map([[key, history]])))
    expect(outcomes[0]).toMatchObject({ itemId: 1, verdict: 'ERRORED', resultPercentage: 10 })
    expect(verdict).toBe('ERRORED')
  })

  it('adds no points for a SELECTIVE run', () => {
    expect(
      allSteps(policyOf().judge(runOf({ executionType: 'SELECTIVE' }), [foundOf(10, 0)], new Map())).points,
    ).toBeUndefined()
  })

  it('reports the problem of an item without a result', () => {
    const { outcomes } = allSteps(policyOf().judge(runOf(), [foundOf(10, 0)], new Map()))
    expect(outcomes[2]).toMatchObject({ itemId: 3, verdict: 'ERRORED', error: expect.stringContaining('columnName') })
  })

  it.each([
    [false, 'ERRORED', 'There are no new rows since the mark 7; with treatZeroRowsAsSuccess that counts as success.'],
    [true, 'SUCCESSFUL', 'There are no new rows since the mark 7.'],
  ])('says why there were no rows above the mark; zero rows a success: %s', (treatZeroRowsAsSuccess, verdict, note) => {
    const run = runOf({ executionType: 'INCREMENTAL', markKey: 'k' }, '7')
    const { outcomes } = allSteps(policyOf(items, { treatZeroRowsAsSuccess }).judge(run, [foundOf(0, 0)], new Map()))
    expect(outcomes[1]).toMatchObject({ verdict, note })
    expect(outcomes[2]?.note).toBeUndefined()
  })
})
