import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TableMessage } from '@assay/contracts'
import { policyCopyPut } from '../copies/policies.ts'
import { tableCopyPut } from '../copies/tables.ts'
import { anomalyFixture } from './fixtures.ts'
import type { OnEngine } from './on-engine.ts'

const dayMs = 86_400_000
const tenant = 'default'
const position = '0000000000000000001'

/** A table partitioned by `dt`, and the profile anomaly policy 7 on its number of rows by day. */
export interface DailyOrders {
  table: TableMessage
  /** Replaces the rows of a day. `ago`: days before today. */
  write(ago: number, rows: number): Promise<void>
}

/** Writes two rows for each of the last `days` whole days. */
export async function dailyOrders(on: OnEngine, days: number): Promise<DailyOrders> {
  const { clock, documents } = on.harness.deps
  const folder = join(on.folder, 'orders')
  const today = Math.floor(clock.now() / dayMs) * dayMs
  const write = async (ago: number, rows: number) => {
    const day = join(folder, `dt=${new Date(today - ago * dayMs).toISOString().slice(0, 10)}`)
    await mkdir(day, { recursive: true })
    await writeFile(join(day, 'part.csv'), ['id', ...Array.from({ length: rows }, (_, id) => id), ''].join('\n'))
  }
  for (let ago = 1; ago <= days; ago += 1) await write(ago, 2)
  const table = await on.tableAt(folder, { name: 'orders' })
  const item = {
    ...{ id: 1, ruleId: 7, ruleVersion: 3, executionOrder: 0, name: 'rows', thresholdConfig: null },
    ...{ monitorColumns: null, metrics: ['ROW_COUNT' as const] },
  }
  const backfill = { enabled: true, columnName: null, granularity: 'DAY' as const, from: null }
  const message = anomalyFixture({}, 'PROFILE_ANOMALY', { items: [item], backfill })
  await documents.put([tableCopyPut(tenant, table, position), policyCopyPut(tenant, message, position)])
  return { table, write }
}
