import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { executionKinds } from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { policyCopyPut } from '../copies/policies.ts'
import { tableCopyPut } from '../copies/tables.ts'
import { anomalyFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, idOf } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

let on: OnEngine
beforeEach(async () => {
  on = await openOnEngine()
}, 60_000)
afterEach(() => on.close())

const dayMs = 86_400_000
const texts = {
  csv: (amounts: readonly number[]) => ['amount', ...amounts, ''].join('\n'),
  ndjson: (amounts: readonly number[]) => amounts.map((amount) => `${JSON.stringify({ amount })}\n`).join(''),
}

describe('a table of files whose names have dates', () => {
  it.each([
    ['csv', [], undefined],
    [
      'ndjson',
      ['sales_20010203', 'sales_20010204'],
      'A run measures at most 400 days: older ones are not measured by period.',
    ],
  ] as const)(
    'given %s and %j, then the first run measures the days, judges the last, and says whether files are older',
    async (format, older, notBackfilled) => {
      const folder = join(on.folder, format)
      await mkdir(folder)
      const { clock, documents } = on.harness.deps
      const today = Math.floor(clock.now() / dayMs) * dayMs
      for (let ago = 1; ago <= 30; ago += 1) {
        const day = new Date(today - ago * dayMs).toISOString().slice(0, 10).replaceAll('-', '')
        // One file has fractions, so that the column is a number with fractions in the table only.
        const amounts = Array.from({ length: ago === 1 ? 6 : 20 + (ago % 3) }, (_, id) =>
          ago === 9 ? 10.5 : 10 + (id % 2),
        )
        await writeFile(join(folder, `sales_${day}.${format}`), texts[format](amounts))
      }
      for (const name of older) await writeFile(join(folder, `${name}.${format}`), texts[format]([10, 11]))
      const table = await on.tableAt(join(folder, `sales_*.${format}`), { name: 'sales' })
      const item = {
        ...{ id: 1, ruleId: 7, ruleVersion: 3, executionOrder: 0, name: 'rows', thresholdConfig: null },
        ...{ monitorColumns: null, metrics: ['ROW_COUNT' as const, 'MEAN' as const] },
      }
      const backfill = { enabled: true, columnName: null, granularity: 'DAY' as const, from: null }
      const policy = anomalyFixture({}, 'PROFILE_ANOMALY', { items: [item], backfill })
      const position = '0000000000000000001'
      await documents.put([tableCopyPut('default', table, position), policyCopyPut('default', policy, position)])
      const { start, result: read } = executionKinds.PROFILE_ANOMALY
      const id = idOf(await on.harness.call(start, { params: { id: 7 }, body: {} }))
      const { result, items, meta } = await eventually(
        async () => bodyOf(await on.harness.call(read, { params: { id } })),
        ({ execution }) => execution.executionStatus !== 'RUNNING',
      )
      expect(result.description).toMatch(/^1 of 2 figures is unusual\. The number of rows is 6\. Usual: 21 /)
      expect(meta.notBackfilled).toEqual(notBackfilled && [{ ruleItemId: 1, reason: notBackfilled }])
      expect(items).toMatchObject([
        {
          ...{ status: 'ERRORED', state: 'JUDGED' },
          backfill: { source: 'FILE_NAME', columnName: '', granularity: 'DAY', points: 2 * 30 },
          anomalies: [
            { metric: 'ROW_COUNT', value: 6, fired: true },
            { metric: 'MEAN', fired: false },
          ],
        },
      ])
    },
  )
})
