import { type DataEngine, type MeasurePlan, noRows } from '@assay/data-engine'
import { AssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import { createFakeEngine } from '../testing/fake-engine.ts'
import { itemFixture, noStatements, policyFixture, runFixture } from '../testing/fixtures.ts'
import { measureLimits, measurePlan } from './measure-plan.ts'
import { measureRun } from './measure-run.ts'

const limits = { maxRuns: 1, memoryMb: 100, threads: 1, timeoutMs: 1000, maxTimeoutMs: 300_000, maxTempMb: 100 }
const items = [itemFixture(), itemFixture({ id: 2, columnName: 'order_id' })]
const dataset = {
  kind: 'files' as const,
  root: '/data',
  pattern: '/data/orders.csv',
  format: 'CSV' as const,
  partitioned: false,
  columns: [],
  fingerprint: '',
}
const metrics = items.map(({ id }) => ({ kind: 'distinct' as const, id, column: 'c' }))
const planOf = (message = policyFixture()) =>
  measurePlan(runFixture({}, message), { metrics }, { dataset, window: undefined })
const planned = { plan: planOf(), problems: new Map() }
const { signal } = new AbortController()
const asked = measureLimits({ timeoutMinutes: null }, limits)
const options = { tenant: 't', rows: noRows, limits: asked, signal, onProgress: () => {}, statements: noStatements }

/** An engine over a source that has lost the column of item 2. */
function changedSource(prepared: Awaited<ReturnType<DataEngine['prepare']>>) {
  const plans: MeasurePlan[] = []
  const fake = createFakeEngine()
  const engine: DataEngine = {
    ...fake,
    prepare: async () => prepared,
    measure: async (plan, how) => {
      plans.push(plan)
      if (plan.metrics.length > 1) throw new AssayError('invalid', 'There is no column order_id.')
      return fake.measure({ ...plan, rows: { ...plan.rows, bad: null } }, how)
    },
  }
  return { engine, plans }
}

describe('a source that has changed since the items were defined', () => {
  it('fails the items that the engine refuses, and measures the others', async () => {
    const { engine, plans } = changedSource({
      columns: [],
      filterError: null,
      metricErrors: [{ id: 2, message: 'There is no column order_id.' }],
    })
    const { measured, problems } = await measureRun(engine, planned, options)
    expect(measured.metrics.map(({ id }) => id)).toEqual([1])
    expect([...problems]).toEqual([[2, 'There is no column order_id.']])
    expect(plans.map(({ metrics }) => metrics.length)).toEqual([2, 1])
  })
  it('fails the run when the engine refuses the filter', async () => {
    const { engine } = changedSource({ columns: [], filterError: 'There is no column x.', metricErrors: [] })
    await expect(measureRun(engine, planned, options)).rejects.toMatchObject({ code: 'unprocessable' })
  })
})

describe('the plan', () => {
  it("prefers the time limit of the policy to that of the service, up to the operator's maximum", () => {
    const timeoutMs = (timeoutMinutes: number | null) => measureLimits({ timeoutMinutes }, limits).timeoutMs
    expect([timeoutMs(null), timeoutMs(2), timeoutMs(1440)]).toEqual([1000, 120_000, limits.maxTimeoutMs])
  })
  it('stores bad rows, and no good rows unless the configuration requires it', () => {
    expect(planned.plan.rows).toEqual({ bad: { format: 'CSV', limit: null }, good: null, preview: 100 })
  })
})
