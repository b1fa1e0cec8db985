import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { executionKinds, runMarkers, type StartRequest } from '@assay/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policyCopyPut } from '../copies/policies.ts'
import { tableCopyPut } from '../copies/tables.ts'
import { itemFixture, policyFixture } from '../testing/fixtures.ts'
import { bodyOf, type Harness, idOf } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

let on: OnEngine
let harness: Harness
const tenant = 'default'
const position = '0000000000000000001'
const { start, rows } = executionKinds.DATA_QUALITY

/** Path and rows of each file. */
const files = {
  'days/year=2026/month=01/day=01/a.csv': 'id,amount\n1,5\n2,\n',
  'days/year=2026/month=01/day=02/a.csv': 'id,amount\n3,\n',
  'days/year=2026/month=01/day=02/b.csv': 'id,amount\n4,7\n',
  'days/year=2026/month=02/day=01/a.csv': 'id,amount\n5,\n6,\n7,1\n',
  'stamps/stamp=20260101/country=DE/a.csv': 'id,amount\n1,5\n2,\n',
  'stamps/stamp=20260101/country=FR/a.csv': 'id,amount\n3,\n',
  'stamps/stamp=20260102/country=DE/a.csv': 'id,amount\n4,7\n',
  'dated/day=2026-11-03/a.csv': 'id,amount\n1,5\n2,\n',
  'dated/day=2026-11-04/a.csv': 'id,amount\n3,\n',
}

async function writeFiles(of: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(of)) {
    await mkdir(dirname(join(on.folder, name)), { recursive: true })
    await writeFile(join(on.folder, name), text)
  }
}

const tableOf = (assetId: number, name: string) =>
  on.tableAt(join(on.folder, name), { assetId, name, uid: `sales.${name}` }, assetId * 100)

const target = policyFixture().policy.rule.backingAsset
const orderItems = [itemFixture({ columnName: 'amount' })]
async function policy(id: number, assetId: number, marker: { type: string } | null = null) {
  const backingAsset = { ...target, tableAssetId: assetId, marker }
  const message = { ...policyFixture({ id, name: `policy ${id}`, backingAsset }, orderItems), revision: id }
  await harness.deps.documents.put([policyCopyPut(tenant, message, position)])
}

async function run(id: number, body: Partial<StartRequest>) {
  const executionId = idOf(await harness.call(start, { params: { id }, body }))
  return { ...(await on.ended(executionId)), executionId }
}

async function badIds(executionId: number): Promise<number[]> {
  const { data } = bodyOf(await harness.call(rows, { params: { id: executionId } }))
  return data.rows.map(({ values }) => Number(values.id)).sort((a, b) => a - b)
}

beforeAll(async () => {
  on = await openOnEngine()
  harness = on.harness
  await writeFiles(files)
  await harness.deps.documents.put([
    tableCopyPut(tenant, await tableOf(31, 'days'), position),
    tableCopyPut(tenant, await tableOf(32, 'stamps'), position),
    tableCopyPut(tenant, await tableOf(33, 'dated'), position),
  ])
}, 60_000)
afterAll(() => on.close())

const selective = (assetId: number, markerConfig: object) => ({
  executionType: 'SELECTIVE' as const,
  markerConfigs: runMarkers.parse([{ assetId, markerConfig }]),
})

describe('runs by markers of partitions', () => {
  it('given day, month and year in folder names, then each INCREMENTAL run reads the new partitions', async () => {
    await policy(31, 31, { type: 'DayMonthYearBasedPartitionMarkerConfig' })
    const first = await run(31, { executionType: 'INCREMENTAL' })
    expect(first.execution.executionError).toBeNull()
    expect(first.result).toMatchObject({ rows: 7, failedRows: 4 })
    expect(first.execution.lastMarker).toMatchObject({ initialOffset: '2026-02-01T00:00:00Z' })
    await writeFiles({ 'days/year=2026/month=02/day=10/a.csv': 'id,amount\n8,\n9,2\n' })
    const second = await run(31, { executionType: 'INCREMENTAL' })
    expect(second.result).toMatchObject({ rows: 2, failedRows: 1 })
    expect(await badIds(second.executionId)).toEqual([8])
    expect(second.execution.lastMarker).toMatchObject({ initialOffset: '2026-02-10T00:00:00Z' })
  })

  it('given a start date, then earlier partitions are not read', async () => {
    const marker = {
      type: 'DateBasedPartitionMarkerConfig',
      columnName: 'stamp',
      format: 'yyyyMMdd',
      initialOffset: '20260102',
    }
    await policy(32, 32, marker)
    const { result, execution } = await run(32, { executionType: 'INCREMENTAL' })
    expect(execution.executionError).toBeNull()
    expect(result).toMatchObject({ rows: 1, failedRows: 0 })
  })

  it('given the name of a partition, then only its rows are counted and stored', async () => {
    await policy(33, 32)
    const found = await run(33, selective(32, { type: 'partition', partition: 'stamp=20260101/country=FR' }))
    expect(found.result).toMatchObject({ rows: 1, failedRows: 1 })
    expect(await badIds(found.executionId)).toEqual([3])
    const german = await run(33, selective(32, { type: 'partition', partition: 'country=DE' }))
    expect(german.result).toMatchObject({ rows: 3, failedRows: 1 })
    expect(await badIds(german.executionId)).toEqual([2])
  })

  it.each([
    'day=2026-11-03x',
    "day=2026-11-03' or 1=1--",
    'day=2026-11-03T10:00',
    'day=2026-11-03T10%3A00',
    'day=2026-11-3',
    'day= 2026-11-03',
    'day=infinity',
  ])(
    'given %s, which is not the name of a partition, then the error says so, even if it could be parsed as a date',
    async (partition) => {
      await policy(37, 33)
      const { execution, result } = await run(37, selective(33, { type: 'partition', partition }))
      expect(execution.executionStatus).toBe('FAILED')
      expect(execution.executionError).toContain('There is no partition day=')
      expect(result.rows).toBeNull()
      const existing = await run(37, selective(33, { type: 'partition', partition: 'day=2026-11-03' }))
      expect(existing.result).toMatchObject({ rows: 2, failedRows: 1 })
    },
  )

  it('given two dates, then the partitions from the first to the second are read, inclusive', async () => {
    await policy(34, 31)
    const marker = { type: 'DayMonthYearBasedPartitionMarkerConfig', fromDate: '2026-01-02', toDate: '2026-02-01' }
    const found = await run(34, selective(31, marker))
    expect(found.result).toMatchObject({ rows: 5, failedRows: 3 })
    expect(await badIds(found.executionId)).toEqual([3, 5, 6])
  })

  it("given no partition with a date in the marker's format, then the run fails instead of reading no rows", async () => {
    const marker = { type: 'DateBasedPartitionMarkerConfig', columnName: 'stamp', format: 'dd.MM.yyyy' }
    await policy(36, 32, marker)
    for (const body of [
      { executionType: 'INCREMENTAL' as const },
      selective(32, { ...marker, fromDate: '01.01.2026' }),
    ]) {
      const { execution, result } = await run(36, body)
      expect(execution.executionStatus).toBe('FAILED')
      expect(execution.executionError).toMatch(/No partition is a date in the format stamp/)
      expect(result.rows).toBeNull()
    }
  })

  it('given a missing partition, then the run fails with an error that names it', async () => {
    await policy(35, 32)
    const gone = await run(35, selective(32, { type: 'partition', partition: 'country=XX' }))
    expect(gone.execution).toMatchObject({ executionStatus: 'FAILED' })
    expect(gone.execution.executionError).toContain('There is no partition country=XX')
    for (const partition of ['DE', 'land=DE', 'country=DE/country=FR']) {
      const refused = harness.call(start, {
        params: { id: 35 },
        body: selective(32, { type: 'partition', partition }),
      })
      await expect(refused).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('partition') })
    }
  })
})
