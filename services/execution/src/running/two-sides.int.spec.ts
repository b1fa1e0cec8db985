import type { Compared, ComparePlan, MeasureCall, MeasurePlan } from '@assay/data-engine'
import type { ComparisonRequest, JudgedRun, KindPolicy, SideRequest } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { executionResultOf } from '../reading/execution-result.ts'
import { dependenceOfRun } from '../reading/masked-outcomes.ts'
import { tagCopyPut } from '../references/copies.ts'
import { maskOfRows } from '../rows/mask.ts'
import { createFakeEngine } from '../testing/fake-engine.ts'
import {
  associationFixture,
  noStatements,
  policyFixture,
  runFixture,
  tableFixture,
  tagFixture,
} from '../testing/fixtures.ts'
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

function requestOf(side: SideRequest['side']): SideRequest {
  const filter = sides.find((one) => one.side === side)?.filter
  const asked = { kind: 'MEASURE' as const, side, metrics: [], known: [], problems: new Map() }
  return filter ? { ...asked, filter: { sql: filter, variables: {} } } : asked
}

/** A fictitious kind of policy: both sides must have the same number of rows. */
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
  step: (run, found) => (found.length === 0 ? run.sides.map(({ side }) => requestOf(side)) : []),
  lookBacks: () => [],
  *judge(_run, found) {
    yield
    const counted = found.flatMap((one) => (one.kind === 'MEASURE' ? [one] : []))
    const [one, other] = counted.map(({ rowsScanned }) => rowsScanned)
    const verdict = one === other ? 'SUCCESSFUL' : 'ERRORED'
    const note = counted.map(({ side, rowsScanned }) => `${side} ${rowsScanned}`).join(', ')
    return {
      outcomes: [{ itemId: 1, ...nothing, rowsScanned: null, verdict, note }],
      verdict,
      qualityScore: null,
      scoreError: null,
    }
  },
  records: () => ({ executions: [], results: [] }),
}

/** An engine that answers different numbers of rows and marker positions for the two files. */
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

async function twoSided(definition: KindPolicy): Promise<{ run: KnownRun; versions: Versions }> {
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
    definition,
    tables: [
      { ...names[0], columns: left.columns },
      { ...names[1], columns: right.columns },
    ],
  }
  const versions: Versions = {
    keep: async () => 'key',
    of: async (_tenant, state) => ({ ...state, run }),
    learnedOf: async () => undefined,
    ofAll: async (_tenant, states) => states.map((state) => ({ ...state, run })),
  }
  return { run, versions }
}

const requestFor = (run: KnownRun, onProgress = (_progress: { fraction: number | null }) => {}) => ({
  tenant: 'default',
  state: {
    ...{ status: 'running' as const, run, lost: 0, progress: null },
    claim: { worker: 'w', fence: 1, until: run.startedAt, renewedAt: run.startedAt },
  },
  signal: new AbortController().signal,
  onProgress,
  statements: noStatements,
  confirm: async () => undefined,
})

it('given a kind with two sides, then both sides are opened, measured and judged, and protection of either side hides results', async () => {
  const { run, versions } = await twoSided(sameRows)
  const plans: MeasurePlan[] = []
  const stages: (number | null)[] = []
  const execute = createExecuteRun({ ...harness.deps, engine: engineOf(plans), limits, versions })
  const { result, finishedAt } = await execute(requestFor(run, ({ fraction }) => stages.push(fraction)))
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
  expect(shown.execution).toMatchObject({
    ...{ markerConfig: null, lastMarker: null, leftMarkerConfig: marker, rightMarkerConfig: marker },
    ...{ leftLastMarker: { ...marker, initialOffset: '70' }, rightLastMarker: { ...marker, initialOffset: '50' } },
  })
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

/** A fictitious kind of policy: compares the sides if they have the same number of rows. */
const comparing: ComparisonRequest = {
  ...{ kind: 'COMPARE', leftFilter: { sql: 'amount > 0', variables: {} } },
  columns: [{ left: 'order_id', right: 'order_id', isKey: true }],
  rowsOf: [1],
}
const comparedRows: KindPolicy = {
  ...sameRows,
  step: (_run, found) => {
    const [first, second, third] = found
    if (first === undefined) return [requestOf('LEFT')]
    if (second === undefined) return [requestOf('RIGHT')]
    return third === undefined ? [comparing] : []
  },
  *judge(_run, found) {
    yield
    const outcomes = found.flatMap((one): JudgedRun['outcomes'] =>
      one.kind === 'COMPARE'
        ? [
            {
              itemId: 1,
              ...nothing,
              rowsScanned: one.compared.equal,
              verdict: 'ERRORED',
              note: `${one.compared.changed}`,
            },
          ]
        : [],
    )
    return { outcomes, verdict: 'ERRORED', qualityScore: null, scoreError: null }
  },
}

const side = { rows: 5, duplicateKeys: 0, nullKeys: 0, warnings: { total: 0, first: [] }, reached: null, touched: null }
const compared: Compared = {
  ...{
    left: side,
    right: side,
    equal: 4,
    changed: 1,
    onlyLeft: 0,
    onlyRight: 0,
    warned: 0,
    columns: [],
    elapsedMs: 30,
  },
  differing: {
    ...{ count: 1, stored: 1, files: [], preview: [] },
    columns: [{ name: 'left_order_id', side: 'LEFT', column: 'order_id', dataType: 'BIGINT' }],
  },
  agreeing: null,
}

it('given a kind with several steps, then steps run until the kind requests no more, within the time limit of the run', async () => {
  const { run, versions } = await twoSided(comparedRows)
  const times: (number | undefined)[] = []
  const plans: ComparePlan[] = []
  const fake = createFakeEngine()
  const engine = {
    ...fake,
    measure: async (plan: MeasurePlan, options: Parameters<typeof fake.measure>[1]) => {
      times.push(options.limits?.timeoutMs)
      return { ...(await fake.measure(plan, options)), rowsScanned: 5, elapsedMs: 100 }
    },
    compare: async (plan: ComparePlan, options: MeasureCall) => {
      times.push(options.limits?.timeoutMs)
      plans.push(plan)
      return compared
    },
  }
  const execute = createExecuteRun({ ...harness.deps, engine, limits: { ...limits, timeoutMs: 1000 }, versions })
  const { result } = await execute(requestFor(run))
  expect(times).toEqual([1000, 900, 800])
  expect(plans).toMatchObject([
    {
      left: { dataset: left.locator, filter: { sql: 'amount > 0' } },
      right: { dataset: right.locator },
      ...{ columns: comparing.columns, rows: { limit: 1_000_000 } },
    },
  ])
  expect(result.outcomes).toMatchObject([{ rowsScanned: 4, note: '1' }])
  expect(result.sides.map(({ side: name, engineMs }) => [name, engineMs])).toEqual([
    ['LEFT', 130],
    ['RIGHT', 100],
  ])
})

it('given a side that fails, or changes between two reads, then the error names it', async () => {
  const { run, versions } = await twoSided(comparedRows)
  const fake = createFakeEngine()
  const failing = (measure: typeof fake.measure) =>
    createExecuteRun({
      ...{ ...harness.deps, limits, versions },
      engine: { ...fake, measure, compare: async () => compared },
    })(requestFor(run))
  const broken = failing((plan, options) => {
    if (JSON.stringify(plan.dataset).includes('left')) return fake.measure(plan, options)
    throw new AssayError('unprocessable', 'Its file changed.')
  })
  await expect(broken).rejects.toMatchObject({ code: 'unprocessable', message: 'The right table: Its file changed.' })
  const moving = failing(async (plan, options) => {
    const isLeft = JSON.stringify(plan.dataset).includes('left')
    return { ...(await fake.measure(plan, options)), rowsScanned: isLeft ? 5 : 4 }
  })
  await expect(moving).rejects.toMatchObject({
    ...{
      code: 'unprocessable',
      message: expect.stringMatching(/^The right table: its source changed .*4 rows, then 5/),
    },
  })
})

it('given requests that together exceed the time limit, then the error names the limit of the run', async () => {
  const { run, versions } = await twoSided(comparedRows)
  const fake = createFakeEngine()
  const engine = {
    ...fake,
    compare: async () => {
      throw new AssayError('timeout', 'The run did not end within 0.995 seconds.')
    },
  }
  const execute = createExecuteRun({ ...harness.deps, engine, limits: { ...limits, timeoutMs: 1000 }, versions })
  const failure = { code: 'timeout', message: expect.stringContaining('within 1 seconds') }
  await expect(execute(requestFor(run))).rejects.toMatchObject(failure)
})

it('given stored rows of two sides, then each column has the mask of its side, and both columns of a pair are masked', () => {
  const mask = { columns: new Set(['amount']), nested: false }
  const both = [{ side: 'LEFT' }, { side: 'RIGHT' }] as const
  const columns = ['order_id', 'amount'].flatMap((column) =>
    (['LEFT', 'RIGHT'] as const).map((name) => ({
      ...{ name: `${name.toLowerCase()}_${column}`, side: name, column, dataType: 'BIGINT' },
    })),
  )
  const rowsOf = { sides: columns }
  expect(maskOfRows([mask], both, {})).toEqual(mask)
  expect(maskOfRows([null, null], both, rowsOf)).toBeNull()
  const amounts = new Set(['left_amount', 'right_amount'])
  expect(maskOfRows([null, mask], both, rowsOf)).toEqual({ columns: amounts, nested: false })
  const all = new Set(columns.map(({ name }) => name))
  expect(maskOfRows([null, 'all'], both, rowsOf)).toEqual({ columns: all, nested: false })
})

it('given columns that are mapped several times, then all columns with values of a protected one are masked everywhere', () => {
  const mask = { columns: new Set(['ssn']), nested: false }
  const both = [{ side: 'LEFT' }, { side: 'RIGHT' }] as const
  const pairs = [
    ['id', 'id'],
    ['note', 'text'],
    ['name', 'text'],
    ['name', 'copy'],
    ['ssn', 'copy'],
  ]
  const sides = pairs.flatMap((pair, index) =>
    (['LEFT', 'RIGHT'] as const).map((side, at) => ({
      ...{ name: `${side} ${index}`, side, column: pair[at] ?? '', dataType: 'VARCHAR' },
    })),
  )
  const hidden = sides.filter(({ column }) => column !== 'id').map(({ name }) => name)
  expect(maskOfRows([mask, null], both, { sides })).toEqual({ columns: new Set(hidden), nested: false })
})
