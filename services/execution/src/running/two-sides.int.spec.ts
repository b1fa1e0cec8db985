import type { MeasurePlan } from '@assay/data-engine'
import type { KindPolicy, RunGiven, SideRequest } from '@assay/reliability'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { executionResultOf } from '../reading/execution-result.ts'
import { dependenceOfRun } from '../reading/masked-outcomes.ts'
import { tagCopyPut } from '../references/copies.ts'
import { maskOfRows } from '../rows/mask.ts'
import { createFakeEngine } from '../testing/fake-engine.ts'
import { associationFixture, policyFixture, runFixture, tableFixture, tagFixture } from '../testing/fixtures.ts'
import { type Harness, limits, openHarness } from '../testing/harness.ts'
import type { KnownRun, Versions } from '../versions/versions.ts'
import { createExecuteRun } from './execute-run.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
})
afterEach(() => harness.close())

const locatorOf = (pattern: string) => ({
  kind: 'files' as const,
  root: '/data',
  pattern,
  format: 'CSV' as const,
  partitioned: false,
  columns: [],
  fingerprint: '',
})
const left = tableFixture({ assetId: 11, locator: locatorOf('/data/left.csv') })
const right = tableFixture({
  assetId: 30,
  uid: 'sales.copy.csv',
  locator: locatorOf('/data/right.csv'),
  columns: left.columns.map((column, index) => ({ ...column, id: 31 + index })),
})

const marker = { type: 'IdMarkerConfig', columnName: 'order_id' }
const sides = [
  { side: 'LEFT', assetId: 11, filter: 'amount > 0', marker },
  { side: 'RIGHT', assetId: 30, filter: null, marker },
] as const
const nothing = { resultPercentage: null, rowsFailed: null, value: null, error: null }

/** A kind of policies that nobody has: both sides must hold as many rows. */
const sameRows: KindPolicy = {
  ...runFixture().definition,
  sides,
  needs: (side) => ({ udfIds: [], lookupAssetIds: [], tags: [], selects: side === 'LEFT' ? ['SELECT 1'] : [] }),
  reads: () =>
    sides.map(({ side }) => ({
      itemId: 1,
      side,
      columns: side === 'RIGHT' ? ['amount'] : [],
      sql: false,
      lookups: [],
    })),
  plan: (run: RunGiven) => {
    const requestOf = (side: SideRequest['side']): SideRequest => {
      const filter = sides.find((one) => one.side === side)?.filter
      return {
        side,
        metrics: [],
        known: [],
        problems: new Map(),
        ...(filter ? { filter: { sql: filter, variables: {} } } : {}),
      }
    }
    const [first, ...others] = run.sides
    return { requests: [requestOf(first.side), ...others.map(({ side }) => requestOf(side))], lookBacks: [] }
  },
  judge: (_run, found) => {
    const [one, other] = found.map(({ rowsScanned }) => rowsScanned)
    const verdict = one === other ? 'SUCCESSFUL' : 'ERRORED'
    const note = found.map(({ side, rowsScanned }) => `${side} ${rowsScanned}`).join(', ')
    return {
      outcomes: [{ itemId: 1, ...nothing, rowsScanned: null, verdict, note }],
      verdict,
      qualityScore: null,
      scoreError: null,
    }
  },
  records: () => ({ executions: [], results: [] }),
}

/** Rows, and how far an INCREMENTAL run reads, by the file. */
function engineOf(plans: MeasurePlan[]) {
  const engine = createFakeEngine()
  return {
    ...engine,
    measure: async (plan: MeasurePlan, options: Parameters<typeof engine.measure>[1]) => {
      plans.push(plan)
      const measured = await engine.measure(plan, options)
      const isLeft = JSON.stringify(plan.dataset).includes('left')
      const touched = [{ metric: null, touched: { columns: ['amount'], fields: [], allColumns: false, tables: [] } }]
      return { ...measured, rowsScanned: isLeft ? 7 : 5, reached: isLeft ? '70' : '50', touched: isLeft ? touched : [] }
    },
  }
}

it('given a kind of two sides, then the loop opens, measures and judges each, and hides what depends on either', async () => {
  await harness.table(left)
  await harness.table(right)
  const [side] = runFixture().sides
  const names = [
    { ...side, side: 'LEFT' as const, assetId: left.assetId, uid: left.uid },
    { ...side, side: 'RIGHT' as const, assetId: right.assetId, uid: right.uid },
  ] as const
  const run: KnownRun = {
    ...runFixture({ executionType: 'INCREMENTAL' }, policyFixture()),
    sides: [names[0], names[1]],
    definition: sameRows,
    tables: [
      { ...names[0], columns: left.columns },
      { ...names[1], columns: right.columns },
    ],
  }
  const versions: Versions = {
    keep: async () => 'key',
    of: async (_tenant, state) => ({ ...state, run }),
    ofAll: async (_tenant, states) => states.map((state) => ({ ...state, run })),
  }
  const plans: MeasurePlan[] = []
  const stages: (number | null)[] = []
  const execute = createExecuteRun({ ...harness.deps, engine: engineOf(plans), limits, versions })
  const claim = { worker: 'w', fence: 1, until: run.startedAt, renewedAt: run.startedAt }
  const { result, finishedAt } = await execute({
    tenant: 'default',
    state: { status: 'running', run, claim, lost: 0, progress: null },
    signal: new AbortController().signal,
    onProgress: ({ fraction }) => stages.push(fraction),
    confirm: async () => undefined,
  })
  expect(plans.map(({ dataset, filter, rows }) => [dataset, filter?.sql, rows.bad !== null])).toEqual([
    [left.locator, 'amount > 0', true],
    [right.locator, undefined, false],
  ])
  expect(stages).toEqual([0.25, 0.75])
  expect(result.sides).toMatchObject([
    { side: 'LEFT', rowsScanned: 7, mark: '70', touched: [{ itemId: null, columns: ['amount'] }] },
    { side: 'RIGHT', rowsScanned: 5, mark: '50', touched: [] },
  ])
  expect(result.markKey).toMatch(/^11:.* 30:/)
  expect(result.outcomes).toMatchObject([{ verdict: 'ERRORED', note: 'LEFT 7, RIGHT 5' }])
  const shown = executionResultOf({ status: 'succeeded', run, finishedAt, result }, 0)
  expect(shown.result).toMatchObject({ leftRowsScanned: 7, rightRowsScanned: 5 })
  const { documents } = harness.deps
  const dependence = () => dependenceOfRun(documents, 'default', { status: 'succeeded', run, finishedAt, result })
  const amount = (table: typeof left, associationId: number) => {
    const [, { id: assetId } = { id: 0 }] = table.columns
    const tagged = { ...associationFixture(assetId), associationId, tableId: table.assetId }
    return tagCopyPut('default', tagged, '0000000000000000001')
  }
  expect(await dependence()).toEqual({ onFilter: false, onMarker: false, items: new Set() })
  await documents.put([tagCopyPut('default', tagFixture(), '0000000000000000001'), amount(right, 1)])
  expect(await dependence()).toEqual({ onFilter: false, onMarker: false, items: new Set([1]) })
  await documents.put([amount(left, 2)])
  expect(await dependence()).toMatchObject({ onFilter: true })
})

it('given kept rows of two sides, then all of them are hidden where anything of either is', () => {
  const mask = { columns: new Set(['amount']), nested: false }
  expect([maskOfRows([mask]), maskOfRows([null, mask]), maskOfRows([null, null])]).toEqual([mask, 'all', null])
})
