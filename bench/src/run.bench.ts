import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { raw } from './engine-pairs.ts'
import { handWritten } from './policy.bench.ts'
import { countries, emailPattern, ordersFile, statuses } from './policy-data.ts'
import { type BenchRow, interleaved } from './ratio.ts'

const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`

/** The 20 checks of the frozen query, as items of a policy. */
const items = [
  { measurementType: 'MISSING_VALUES', columnName: 'order_id' },
  { measurementType: 'DISTINCTNESS_CHECK', columnName: 'order_id' },
  { measurementType: 'MISSING_VALUES', columnName: 'customer_id' },
  { measurementType: 'DISTINCTNESS_CHECK', columnName: 'customer_id' },
  { measurementType: 'MISSING_VALUES', columnName: 'email', value: { addEmptyCheck: true } },
  { measurementType: 'REGEX_MATCH', columnName: 'email', value: { pattern: emailPattern } },
  { measurementType: 'SIZE_CHECK', columnName: 'email', value: { min: 5, max: 60 } },
  { measurementType: 'VALUES_IN_LIST', columnName: 'country', value: { values: countries } },
  { measurementType: 'MISSING_VALUES', columnName: 'amount' },
  { measurementType: 'RANGE_MATCH', columnName: 'amount', value: { min: 0, max: 10000 } },
  { measurementType: 'PRECISION_SCALE_CHECK', columnName: 'amount', value: { precision: 10, scale: 2 } },
  { measurementType: 'RANGE_MATCH', columnName: 'quantity', value: { min: 1, max: 100 } },
  {
    measurementType: 'RANGE_MATCH',
    columnName: 'created_at',
    value: { min: '2021-01-01T00:00:00Z', max: '2025-12-30T00:00:00Z' },
  },
  { measurementType: 'VALUES_IN_LIST', columnName: 'status', value: { values: statuses } },
  { measurementType: 'DATATYPE_MATCH', columnName: 'code', value: { dataType: 'INTEGER' } },
  { measurementType: 'SIZE_CHECK', columnName: 'note', value: { max: 38 } },
  { measurementType: 'DUPLICATE_ROWS_CHECK', value: { columns: ['customer_id', 'created_at'] } },
  { measurementType: 'CUSTOM', ruleExpression: 'amount * quantity < 900000' },
  { measurementType: 'AGGREGATES', columnName: 'amount', aggregateType: 'SUM', value: { operator: 'GT', value: 0 } },
  { measurementType: 'FRESHNESS_CHECK', columnName: 'created_at', value: { maxAge: 'P10Y' } },
]

async function policyOn(assay: AssayProcess, uid: string, storeBad: boolean): Promise<number> {
  const rule = { name: `${uid} ${storeBad}`, backingAsset: { tableAssetUid: uid } }
  const created = await assay.call('POST', quality, { rule, items })
  if (created.status !== 200) throw new Error(created.text)
  const { id } = created.json.rule
  const handling = { good: { storeResult: false }, bad: { storeResult: storeBad } }
  const configured = await assay.call('PUT', `${api}/rules/${id}/configuration`, {
    categoriesResultHandlingConfig: handling,
  })
  if (configured.status !== 200) throw new Error(configured.text)
  return id
}

/** Milliseconds from the webhook until the verdict can be read. */
async function runOnce(assay: AssayProcess, policyId: number): Promise<number> {
  // Waits until the engine has loaded its next child after the previous run.
  await new Promise((resolve) => setTimeout(resolve, 700))
  const began = performance.now()
  const started = await assay.call('POST', `/api/webhook/rules/executions/${policyId}`)
  const path = `${quality}/executions/${started.json.execution.id}/result`
  const ended = await assay.until(path, (answer) => answer.json.execution.executionStatus !== 'RUNNING', 300_000, 5)
  const ms = performance.now() - began
  if (ended.json.execution.executionStatus !== 'SUCCESSFUL') throw new Error(ended.text)
  return ms
}

/** P2, P2c and P2b over HTTP: from webhook to stored verdict, polled every 5 ms, against the frozen query. */
export async function benchRun(): Promise<BenchRow[]> {
  const [large, small] = [await ordersFile(10_000_000), await ordersFile(10_000)]
  const folder = await mkdtemp(join(tmpdir(), 'assay-bench-'))
  const assay = await startAssay(join(folder, 'data'), { args: [dirname(large)], env: { ASSAY_RUN_MEMORY_MB: '600' } })
  try {
    const uid = (file: string) => `.data.${file.split('/').at(-1)}`
    await assay.waitForOutput('Try:')
    const [plain, kept, little] = [
      await policyOn(assay, uid(large), false),
      await policyOn(assay, uid(large), true),
      await policyOn(assay, uid(small), false),
    ]
    const query = (file: string) => async () => (await raw([handWritten(file)])).ms
    const p2 = await interleaved(5, () => runOnce(assay, plain), query(large))
    const p2c = await interleaved(5, () => runOnce(assay, kept), query(large))
    const p2b = await interleaved(11, () => runOnce(assay, little), query(small))
    const detail = (of: { subject: number; baseline: number }) =>
      `${of.subject.toFixed(0)} ms against ${of.baseline.toFixed(0)} ms`
    return [
      { name: 'P2 from webhook to verdict', ratio: p2.ratio, target: '<= 1.0, aim 0.8', detail: detail(p2) },
      { name: 'P2c the same with bad rows', ratio: p2c.ratio, target: '<= 1.8, aim 1.4', detail: detail(p2c) },
      {
        name: 'P2b 10k rows, added ms',
        ratio: p2b.subject - p2b.baseline,
        target: '<= 60, aim 25',
        detail: detail(p2b),
      },
    ]
  } finally {
    await assay.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
