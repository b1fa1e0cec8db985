import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { executionKinds, type ItemRecord } from '@assay/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { policyCopyPut } from '../copies/policies.ts'
import { tableCopyPut } from '../copies/tables.ts'
import { itemFixture, policyFixture, policyKeeping } from '../testing/fixtures.ts'
import { bodyOf, type Harness, idOf } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

let on: OnEngine
let harness: Harness
const tenant = 'default'
const position = '0000000000000000001'
const { start, rows } = executionKinds.DATA_QUALITY
const backingAsset = { ...policyFixture().policy.rule.backingAsset, tableAssetId: 41, marker: null }

const between = { operator: 'BETWEEN', min: -1e9, max: 1e9 }
const aggregate = (id: number, aggregateType: ItemRecord['aggregateType'], columnName: string | null) =>
  itemFixture({ id, measurementType: 'AGGREGATES', columnName, aggregateType, value: between })
const merging = [
  itemFixture({ id: 1, columnName: 'amount' }),
  itemFixture({ id: 2, measurementType: 'RANGE_MATCH', columnName: 'amount', value: { min: '0', max: '50' } }),
  itemFixture({ id: 3, measurementType: 'CUSTOM', columnName: null, ruleExpression: "name <> 'bad'" }),
  aggregate(4, 'SUM', 'amount'),
  aggregate(5, 'MIN', 'amount'),
  aggregate(6, 'MAX', 'id'),
  aggregate(7, 'COUNT', null),
  itemFixture({ id: 8, measurementType: 'SIZE_CHECK', columnName: 'name', value: { min: 2 }, filter: 'id > 2' }),
]
const repeated = itemFixture({ id: 9, measurementType: 'DUPLICATE_ROWS_CHECK', columnName: null })
const average = aggregate(10, 'AVG', 'amount')

let time = Date.parse('2026-11-01T00:00:00Z')
/** Writes a file that changed after all others. `null`: a file without bytes. */
async function write(name: string, text: string | null) {
  const file = join(on.folder, 'days', name)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text === null ? '' : `id,amount,name\n${text}`)
  time += 60_000
  await utimes(file, new Date(time), new Date(time))
}

const put = (message: ReturnType<typeof policyFixture>) =>
  harness.deps.documents.put([policyCopyPut(tenant, message, position)])

async function run(id: number) {
  const executionId = idOf(await harness.call(start, { params: { id } }))
  const ended = await on.ended(executionId)
  const { data } = bodyOf(await harness.call(rows, { params: { id: executionId } }))
  const bad = data.rows.map(({ values, ruleItemIds }) => `${values.id}: ${ruleItemIds?.toSorted()}`).sort()
  expect(ended.execution.executionError).toBeNull()
  const { partitions, notMerged } = ended.meta
  const items = ended.items.map(({ ruleItemId, rowsScanned, rowsFailed, value, resultPercentage }) => ({
    ...{ ruleItemId, rowsScanned, rowsFailed, value, resultPercentage },
  }))
  return { partitions, notMerged, bad, items, rows: [ended.result?.rows, ended.result?.failedRows] }
}

let lastPolicy = 500
/** The result of a policy that has never run. */
async function unknownRun(items: ItemRecord[]) {
  lastPolicy += 1
  await put(policyKeeping('PARQUET', { id: lastPolicy, name: `new ${lastPolicy}`, backingAsset }, items))
  const { partitions: _, ...found } = await run(lastPolicy)
  return found
}

beforeAll(async () => {
  on = await openOnEngine()
  harness = on.harness
  for (let day = 1; day <= 5; day += 1)
    await write(`day=${day}/a.csv`, `${day},${day},anna\n${day + 10},,b\n${day + 20},${day * 20},bad\n`)
  const table = await on.tableAt(join(on.folder, 'days'), { assetId: 41, name: 'days', uid: 'sales.days' }, 4100)
  await harness.deps.documents.put([tableCopyPut(tenant, table, position)])
}, 60_000)
afterAll(() => on.close())

describe('a FULL run over a folder', () => {
  it.each(['PARQUET', 'CSV', 'JSON'] as const)(
    'given %s and a new file, then it reads this file only, and its result and bad rows are those of all files',
    async (format) => {
      const id = { PARQUET: 601, CSV: 602, JSON: 603 }[format]
      await put(policyKeeping(format, { id, name: `days ${format}`, backingAsset }, merging))
      const { total: first = 0, reused: none } = z
        .looseObject({ total: z.int(), reused: z.int() })
        .parse((await run(id)).partitions)
      expect(none).toBe(0)
      for (const file of ['b', 'c']) {
        await write(`day=2/${format}-${file}.csv`, `${id}${file === 'b' ? 1 : 2},-7,anna\n7,1,x\n`)
        const { partitions, ...found } = await run(id)
        const reused = first + (file === 'b' ? 0 : 1)
        expect(partitions).toEqual({ total: reused + 1, scanned: 1, reused })
        expect(found).toEqual(await unknownRun(merging))
      }
      const { partitions, ...same } = await run(id)
      expect(partitions).toMatchObject({ scanned: 0 })
      expect(same).toEqual(await unknownRun(merging))
    },
  )

  it('given a changed file, or columns of another type, then all files are read again', async () => {
    await put(policyFixture({ id: 604, name: 'changes', backingAsset }, merging))
    const { partitions: all } = await run(604)
    await write('day=1/a.csv', '1,3,anna\n')
    const changed = await run(604)
    expect(changed.partitions).toEqual(all)
    await write('day=6/a.csv', '1,3,anna\n')
    expect((await run(604)).partitions).toMatchObject({ scanned: 1 })
    await write('day=7/a.csv', '1,3.5,anna\n')
    expect(await run(604)).toMatchObject({
      ...{ partitions: { total: 13, scanned: 13, reused: 0 } },
      notMerged: merging.map(({ id }) => ({
        ruleItemId: id,
        reason: expect.stringMatching(
          id === 4 ? /whole and decimal numbers/ : /types differ from those of the earlier run/,
        ),
      })),
    })
  })

  it('given items that cannot be merged and store no rows, then only they read all files', async () => {
    const average = aggregate(10, 'AVG', 'amount')
    const distinct = itemFixture({ id: 11, measurementType: 'DISTINCTNESS_CHECK', columnName: 'name' })
    const value = { sql: 'SELECT count(DISTINCT name) FROM asset', operator: 'GT', value: 1 }
    const select = itemFixture({ id: 12, measurementType: 'SQL_METRIC', columnName: null, value })
    const items = [...merging.filter(({ id }) => id !== 4), average, distinct, select]
    await put(policyKeeping('PARQUET', { id: 607, name: 'some merge', backingAsset }, items))
    const { partitions: all, notMerged } = await run(607)
    const { total } = z.looseObject({ total: z.int() }).parse(all)
    expect(notMerged).toMatchObject([{ ruleItemId: 10 }, { ruleItemId: 11 }, { ruleItemId: 12 }])
    for (const file of ['a', 'b']) {
      await write(`day=9/${file}.csv`, '71,-7.5,anna\n7,1,new\n')
      const { partitions, ...found } = await run(607)
      expect(partitions).toMatchObject({ scanned: 1, reused: total + (file === 'a' ? 0 : 1) })
      expect(found).toEqual(await unknownRun(items))
    }
  })

  it('given items that cannot be merged and store rows, then the result names them, and all files are read', async () => {
    await put(
      policyFixture({ id: 605, name: 'mixed', backingAsset }, [
        ...merging.filter(({ id }) => id !== 4),
        repeated,
        average,
      ]),
    )
    await run(605)
    await write('day=8/a.csv', '1,3,anna\n')
    const { partitions, notMerged } = await run(605)
    expect(partitions).toMatchObject({ reused: 0 })
    expect(notMerged).toEqual([
      { ruleItemId: 9, reason: 'equal rows may be in different files' },
      { ruleItemId: 10, reason: 'an average is rounded when it is measured' },
    ])
  })

  it('given a new file without bytes, then it is a file without rows, and only files after it are new in the next run', async () => {
    const items = merging.filter(({ aggregateType }) => aggregateType !== 'SUM')
    await put(policyFixture({ id: 606, name: 'empty file', backingAsset }, items))
    await run(606)
    for (const [name, text] of [
      ['empty', null],
      ['after', '9,1.5,anna\n'],
    ] as const) {
      await write(`day=3/${name}.csv`, text)
      const { partitions, ...found } = await run(606)
      expect(partitions).toMatchObject({ scanned: 1 })
      expect(found).toEqual(await unknownRun(items))
    }
  })
})
