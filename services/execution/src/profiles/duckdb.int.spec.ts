import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { profileOperations as operations } from '@assay/contracts'
import type { DataEngine, KeptRowFiles } from '@assay/data-engine'
import { createEngineInProcess } from '@assay/data-engine/testing'
import { createCommandHandler } from '@assay/event-store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assetSettingsPut } from '../copies/asset-settings.ts'
import { executionTables } from '../copies/tables.ts'
import { createRetention } from '../retention/retention.ts'
import { tableFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, openHarness } from '../testing/harness.ts'

let harness: Harness
let engine: DataEngine & KeptRowFiles
let folder: string
let path: string
/** Rows of each answer of the engine to a profile. */
const read: number[] = []
/** A column that the engine cannot read. */
let unreadable: string | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-profiled-'))
  path = join(folder, 'orders.csv')
  await writeFile(path, 'order_id,amount,note\n1,10.5,"a,b"\n2,,\n3,-4,""\n4,7\n9007199254740993,7,Ü\n')
  engine = createEngineInProcess({ tempRoot: join(folder, 'temp') })
  const profile: DataEngine['profile'] = async (...call) => {
    const found = await engine.profile(...call)
    read.push(found.rows)
    const columns = found.columns.map((one) => (one.name === unreadable ? { ...one, known: null, error: 'cut' } : one))
    return { ...found, columns }
  }
  harness = await openHarness({ engine: { ...engine, profile }, isDurable: true })
  await crawl(11, path)
})
afterAll(async () => {
  await harness.close()
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

async function crawl(assetId: number, source: string): Promise<void> {
  const { signal } = new AbortController()
  for await (const found of engine.discover({ sourceType: 'FILE', path: source }, { signal })) {
    if (found.kind !== 'table') continue
    const { locator } = found
    const columns = locator.columns.map((column, at) => ({ id: assetId + at + 1, uid: column.name, ...column }))
    await harness.table(tableFixture({ assetId, uid: source, locator, columns }))
  }
  await eventually(
    () => harness.deps.documents.get(executionTables, 'default', assetId),
    (copy) => copy !== undefined,
  )
}

async function profiled(data: object, id = 11) {
  const started = await harness.call(operations.startProfile, { params: { id }, body: { data } })
  const params = { id, profileId: bodyOf(started).data.id }
  const { profileRequest } = await eventually(
    async () => bodyOf(await harness.call(operations.getProfile, { params })),
    ({ data: { status } }) => status !== 'IN_PROGRESS',
  )
  expect(profileRequest).toMatchObject({ status: 'SUCCESSFUL', errorMessage: null })
  return bodyOf(await harness.call(operations.getProfileResult, { params })).data
}

describe('a profile of a CSV file', () => {
  it('has exact figures, and warnings about malformed lines', async () => {
    const { rows, columns, warnings } = await profiled({ profilingType: 'FULL' })
    expect({ rows, mended: warnings.total }).toEqual({ rows: 5, mended: 1 })
    expect(columns).toMatchObject([
      { name: 'order_id', nulls: 0, distinct: 5, min: 1, max: '9007199254740993' },
      { name: 'amount', nulls: 1, distinct: 3, min: -4, max: 10.5, mean: 5.125 },
      { name: 'note', nulls: 2, distinct: 3, minLength: 0, maxLength: 3 },
    ])
    expect(columns[1]).toMatchObject({ mostFrequent: [{ value: 7, count: 2 }, { count: 1 }, { count: 1 }] })
    expect(columns[1]?.standardDeviation).toBeCloseTo(6.303107699116894, 9)
  })

  it('given a SELECTIVE profile with a marker, then it reads only the rows of the marker', async () => {
    const markerConfig = { type: 'id', idColumnName: 'order_id', fromId: 2, toId: 4, baseAssetId: null }
    const { rows, columns } = await profiled({ profilingType: 'SELECTIVE', markerConfig })
    expect(rows).toBe(3)
    expect(columns[0]).toMatchObject({ min: 2, max: 4, distinct: 3 })
  })
})

describe('an INCREMENTAL profile', () => {
  it('given new rows, then the profile reads only the new rows, and its statistics equal the FULL profile', async () => {
    const markerConfig = { type: 'bound', idColumnName: 'order_id', fromId: 0 }
    const incremental = () => profiled({ profilingType: 'INCREMENTAL', markerConfig })
    const header = 'order_id,amount,note\n'
    const before = '1,10.5,"a,b"\n2,0.1,\n3,-4,x\n'
    const after = '4,0.2,Ü\n5,7.25,a\n6,,x\n'
    await writeFile(path, header + before)
    expect((await incremental()).rows).toBe(3)
    await writeFile(path, header + before + after)
    const full = await profiled({ profilingType: 'FULL' })
    // The file no longer has the rows of the first profile. Only their states remain.
    await writeFile(path, header + after)
    const merged = await incremental()
    expect(merged).toMatchObject({ rows: 6 })
    expect(merged.columns).toStrictEqual(full.columns)
    expect((await incremental()).columns).toStrictEqual(full.columns)
    const states = (await harness.artifacts.list('default')).filter(({ key }) => key.endsWith('state.json'))
    expect(states).toHaveLength(2)
  })

  it('given a column that cannot be read, then each profile reads all rows once, until one can read it', async () => {
    const markerConfig = { type: 'bound', idColumnName: 'order_id', fromId: 0 }
    const rowsRead = async () => {
      read.length = 0
      await profiled({ profilingType: 'INCREMENTAL', markerConfig, selectedColumns: ['order_id', 'note'] })
      return [...read]
    }
    await writeFile(path, 'order_id,amount,note\n1,2,a\n7,3,b\n')
    unreadable = 'note'
    expect([await rowsRead(), await rowsRead()]).toEqual([[2], [2]])
    unreadable = undefined
    expect([await rowsRead(), await rowsRead()]).toEqual([[2], [0]])
  })

  it('given a marker in the configuration of the asset, then a request without a marker uses it', async () => {
    await writeFile(path, 'order_id,amount,note\n1,2,a\n7,3,b\n')
    const marker = { type: 'IdMarkerConfig', columnName: 'order_id', initialOffset: '5' } as const
    const settings = { revision: 1, assetId: 11, timeZone: null, freshnessColumn: null, referenceAssetId: null, marker }
    await harness.deps.documents.put([assetSettingsPut('default', settings, '1')])
    expect(await profiled({ profilingType: 'INCREMENTAL' })).toMatchObject({ rows: 1, columns: [{ min: 7 }, {}, {}] })
  })

  it('given changed columns, then all rows are read', async () => {
    const markerConfig = { type: 'bound', idColumnName: 'order_id', fromId: 0 }
    await writeFile(path, 'order_id,amount,note\n1,x,a\n7,y,b\n')
    const { rows, columns } = await profiled({ profilingType: 'INCREMENTAL', markerConfig })
    expect(rows).toBe(2)
    expect(columns).toMatchObject([{ min: 1, max: 7 }, { min: 'x' }, {}])
  })
})

describe('an INCREMENTAL profile by a marker on files', () => {
  const markerConfig = { type: 'boundFileEvent', fromDate: '2020-01-01' }
  let second = 0
  /** Writes a file and gives it a later change time, whatever the clock's resolution. */
  async function write(file: string, text: string, at?: number) {
    second += 1
    const changed = 1_780_000_000 + (at ?? second)
    await writeFile(file, text)
    await utimes(file, changed, changed)
  }
  async function rowsOf(id: number) {
    read.length = 0
    const { rows } = await profiled({ profilingType: 'INCREMENTAL', markerConfig }, id)
    return { rows, read: [...read] }
  }

  it('given a file that has grown, then its rows count once', async () => {
    const log = join(folder, 'log.csv')
    await write(log, 'n\n1\n2\n3\n')
    await crawl(100, log)
    expect(await rowsOf(100)).toMatchObject({ rows: 3 })
    await write(log, 'n\n1\n2\n3\n4\n')
    expect(await rowsOf(100)).toMatchObject({ rows: 4 })
    expect(await rowsOf(100)).toEqual({ rows: 4, read: [0] })
  })

  it('given no marker, then change times show what is new, and the profile says how many files it read', async () => {
    const weeks = join(folder, 'weeks')
    await mkdir(weeks)
    for (const name of ['a', 'b', 'c']) await write(join(weeks, `${name}.csv`), `n\n${name}1\n${name}2\n`)
    await crawl(300, join(weeks, '*.csv'))
    const incremental = () => profiled({ profilingType: 'INCREMENTAL' }, 300)
    expect(await incremental()).toMatchObject({ rows: 6, partitions: { total: 3, scanned: 3, reused: 0 } })
    await write(join(weeks, 'd.csv'), 'n\nd1\n')
    const merged = await incremental()
    expect(merged).toMatchObject({ rows: 7, partitions: { total: 4, scanned: 1, reused: 3 } })
    const full = await profiled({ profilingType: 'FULL' }, 300)
    expect(full).toMatchObject({ partitions: { total: 4, scanned: 4, reused: 0 } })
    expect(merged.columns).toStrictEqual(full.columns)
  })

  it('given many different values, then its figures are those of a FULL profile, and only the latest values are kept', async () => {
    const months = join(folder, 'months')
    await mkdir(months)
    const lines = (from: number) =>
      Array.from({ length: 700 }, (_, at) => `${from + at},${(from + at) / 7},note ${(from + at) % 900}\n`)
    const month = (name: string, from: number) =>
      write(join(months, `${name}.csv`), `id,part,note\n${lines(from).join('')}`)
    await month('a', 0)
    await crawl(400, join(months, '*.csv'))
    const incremental = () => profiled({ profilingType: 'INCREMENTAL' }, 400)
    const full = () => profiled({ profilingType: 'FULL' }, 400)
    expect((await incremental()).columns).toStrictEqual((await full()).columns)
    for (const [name, from] of [
      ['b', 600],
      ['c', 1500],
    ] as const) {
      await month(name, from)
      const merged = await incremental()
      expect(merged.partitions).toMatchObject({ scanned: 1 })
      expect(merged.columns).toStrictEqual((await full()).columns)
      expect(merged.columns[0]).toMatchObject({ distinctMethod: 'EXACT' })
    }
    const values = async () =>
      (await harness.artifacts.list('default/profiles/400')).flatMap(({ key }) =>
        key.endsWith('/values.duckdb') ? [key] : [],
      )
    expect(await values()).toHaveLength(2)
    harness.clock.time += 31 * 86_400_000
    await createRetention({ ...harness.deps, commands: createCommandHandler(harness.deps) }).sweep()
    expect(await values()).toHaveLength(1)
    await month('d', 2100)
    expect((await incremental()).partitions).toMatchObject({ scanned: 1 })
    // An earlier version kept no values, or they are gone.
    for (const key of await values()) await harness.artifacts.remove(key)
    read.length = 0
    const { columns } = await incremental()
    expect(read).toEqual([2800])
    expect(columns).toStrictEqual((await full()).columns)
  })

  it('given a new file, then the profile reads only this file, but all files after a rewritten, older or removed one', async () => {
    const days = join(folder, 'days')
    await mkdir(days)
    const day = (name: string) => join(days, name)
    await write(day('a.csv'), 'n\n1\n2\n')
    await write(day('b.csv'), 'n\n3\n')
    await crawl(200, join(days, '*.csv'))
    expect(await rowsOf(200)).toEqual({ rows: 3, read: [3] })
    await write(day('c.csv'), 'n\n4\n')
    expect(await rowsOf(200)).toEqual({ rows: 4, read: [1] })
    await write(day('a.csv'), 'n\n1\n')
    expect(await rowsOf(200)).toMatchObject({ rows: 3 })
    await write(day('older.csv'), 'n\n0\n', 0)
    expect(await rowsOf(200)).toMatchObject({ rows: 4 })
    await rm(day('b.csv'))
    expect(await rowsOf(200)).toMatchObject({ rows: 3 })
  })
})
