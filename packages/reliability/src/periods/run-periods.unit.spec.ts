import { expect, it } from 'vitest'
import { runPeriods } from './run-periods.ts'

const references = {
  ...{ variables: {}, udf: () => undefined, lookup: () => undefined, tables: () => [], views: () => [] },
  carriesTag: () => undefined,
}
const columns = [{ name: 'made', dataType: 'DATE' }]
const run = {
  ...{ startedAt: '2026-11-20T10:00:00.000Z', executionType: 'FULL' as const },
  sides: [{ side: 'ONE' as const, assetId: 11, columns, references, mark: null }] as const,
}

it.each([
  ['2026-11-10', 'Asia/Tokyo', '2026-11-09T15:00:00.000Z'],
  ['2026-11-10', 'America/New_York', '2026-11-10T05:00:00.000Z'],
  ['2026-11-10T00:00:00.000Z', 'Asia/Tokyo', '2026-11-10T15:00:00.000Z'],
])('given %s in %s, then the first day begins at %s', (from, timeZone, first) => {
  const definition = { granularity: 'DAY' as const, columnName: 'made', from, timeZone, freshnessColumn: null }
  const [start] = runPeriods({ ...definition, marker: null }, run, 1)?.bounds ?? []
  expect(new Date(start ?? 0).toISOString()).toBe(first)
})
