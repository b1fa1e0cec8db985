import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { executionKinds, type Permission } from '@assay/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { policyCopyPut } from '../copies/policies.ts'
import { tableCopyPut } from '../copies/tables.ts'
import { tagCopyPut } from '../references/copies.ts'
import { anomalyFixture, associationFixture, tagFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, idOf } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

let on: OnEngine
let harness: Harness
const tenant = 'default'
const position = '0000000000000000001'
const { start, detail, result, series, whatIf } = executionKinds.PROFILE_ANOMALY
const dayMs = 86_400_000

beforeAll(async () => {
  on = await openOnEngine()
  harness = on.harness
  const folder = join(on.folder, 'orders')
  const today = Math.floor(harness.deps.clock.now() / dayMs) * dayMs
  for (let ago = 1; ago <= 9; ago += 1) {
    const day = new Date(today - ago * dayMs).toISOString().slice(0, 10)
    await mkdir(join(folder, `dt=${day}`), { recursive: true })
    await writeFile(join(folder, `dt=${day}`, 'part.csv'), 'id\n1\n2\n')
  }
  const table = await on.tableAt(folder, { name: 'orders' })
  const [key] = table.columns.filter(({ name }) => name === 'dt')
  const item = {
    ...{ id: 1, ruleId: 7, ruleVersion: 3, executionOrder: 0, name: 'rows', thresholdConfig: null },
    ...{ monitorColumns: null, metrics: ['ROW_COUNT' as const] },
  }
  const backfill = { enabled: true, columnName: null, granularity: 'DAY' as const, from: null }
  const message = anomalyFixture({}, 'PROFILE_ANOMALY', { items: [item], backfill })
  await harness.deps.documents.put([
    tableCopyPut(tenant, table, position),
    policyCopyPut(tenant, message, position),
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
