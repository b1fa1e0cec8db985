import { executionKinds, type Permission } from '@assay/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tagCopyPut } from '../references/copies.ts'
import { dailyOrders } from '../testing/daily-orders.ts'
import { associationFixture, tagFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, idOf } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

let on: OnEngine
let harness: Harness
const tenant = 'default'
const position = '0000000000000000001'
const { start, detail, result, series, whatIf } = executionKinds.PROFILE_ANOMALY

beforeAll(async () => {
  on = await openOnEngine()
  harness = on.harness
  const { table } = await dailyOrders(on, 9)
  const [key] = table.columns.filter(({ name }) => name === 'dt')
  await harness.deps.documents.put([
    tagCopyPut(tenant, tagFixture(), position),
    tagCopyPut(tenant, associationFixture(key?.id ?? 0), position),
  ])
}, 60_000)
afterAll(() => on.close())

it('given a protected partition key, then nothing that was measured by it is shown without the permission', async () => {
  const id = idOf(await harness.call(start, { params: { id: 7 } }))
  await eventually(
    async () => bodyOf(await harness.call(result, { params: { id } })),
    ({ execution }) => execution.executionStatus !== 'RUNNING',
  )
  const asked = async (without: readonly Permission[]) => {
    const { items } = bodyOf(await harness.call(result, { params: { id }, without }))
    const executions = bodyOf(await harness.call(detail, { params: { id }, without })).items
    const { points } = bodyOf(await harness.call(series, { params: { id: 7 }, without }))
    const again = bodyOf(await harness.call(whatIf, { params: { id: 7 }, body: {}, without }))
    return { items, executions, points, again: again.points }
  }
  const all = await asked([])
  expect(all.items).toMatchObject([{ backfill: { source: 'PARTITION', columnName: 'dt' } }])
  expect([all.points.length, all.again.length]).not.toContain(0)
  const shown = await asked(['ASSET_PROTECTED_VIEW'])
  const hidden = { status: 'HIDDEN', anomalies: [], anomalyCount: 0 }
  expect([...shown.items, ...shown.executions]).toMatchObject([hidden, hidden])
  expect([...shown.items, ...shown.executions].filter((one) => 'backfill' in one)).toEqual([])
  expect([shown.points, shown.again]).toEqual([[], []])
})
