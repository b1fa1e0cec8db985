import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MeasurePlan, Window } from '../../plan.ts'
import type { Measured } from '../../port.ts'
import { type DiscoveredTable, type Fixture, openFixture } from '../sources/fixture.ts'
import { noStores } from '../sources/index.ts'
import { measure } from './measure.ts'
import { profile } from './profile.ts'
import type { RunContext } from './session.ts'
import { sample } from './short-tasks.ts'

let fixture: Fixture
let table: DiscoveredTable
let path: string
const rows = Array.from({ length: 1000 }, (_, n) => `${n},x\n`).join('')
beforeEach(async () => {
  fixture = await openFixture()
  path = join(fixture.folder, 'rows.csv')
  await writeFile(path, `n,t\n${rows}`)
  const [found] = await fixture.tables({ sourceType: 'FILE', path: fixture.folder })
  if (found === undefined) throw new Error('the file was not found')
  table = found
})
afterEach(() => fixture.close())

const limits = { memoryMb: 256, threads: 1, maxTempMb: 256 }
const upTo500 = { max: { kind: 'number', text: '500' } } as const

/** Measures, and runs `change` between mounting and reading the file, or after the first read. */
async function measured(
  change: () => void,
  window?: Window,
  when: 'MEASURING' | 'WRITING' = 'MEASURING',
): Promise<Measured> {
  const outputFolder = join(fixture.context.tempFolder, 'out')
  await mkdir(outputFolder, { recursive: true })
  const plan: MeasurePlan = {
    dataset: table.locator,
    metrics: [
      { kind: 'rows', id: 1, predicate: { kind: 'missing', column: 't', blankToo: false } },
      { kind: 'aggregate', id: 2, fn: 'SUM', column: 'n' },
    ],
    rows: { bad: { format: 'PARQUET', limit: null }, good: null, preview: 10 },
    ...(window === undefined ? {} : { window }),
  }
  const instance = await DuckDBInstance.create(':memory:')
  try {
    return await measure(
      {
        instance,
        limits,
        tempFolder: fixture.context.tempFolder,
        guard: fixture.context.guard,
        brokers: null,
        stores: noStores,
        signal: new AbortController().signal,
        progress: ({ stage }) => stage === when && change(),
        startedAt: Date.now(),
        startedTick: performance.now(),
        onConnection: () => undefined,
      },
      plan,
      outputFolder,
    )
  } finally {
    instance.closeSync()
  }
}

/** A run's context that runs `change` before the first statement that contains `text`. */
async function withChange<T>(text: string, change: () => void, work: (context: RunContext) => Promise<T>): Promise<T> {
  const instance = await DuckDBInstance.create(':memory:')
  let isChanged = false
  const before = (statement: string) => {
    if (isChanged || !statement.includes(text)) return
    isChanged = true
    change()
  }
  const onConnection = (connection: DuckDBConnection) => {
    const { run, runAndReadAll } = connection
    connection.run = (statement, ...more) => {
      before(statement)
      return run.call(connection, statement, ...more)
    }
    connection.runAndReadAll = (statement, ...more) => {
      before(statement)
      return runAndReadAll.call(connection, statement, ...more)
    }
  }
  try {
    return await work({
      instance,
      limits,
      tempFolder: fixture.context.tempFolder,
      guard: fixture.context.guard,
      brokers: null,
      stores: noStores,
      signal: new AbortController().signal,
      progress: () => undefined,
      startedAt: Date.now(),
      startedTick: performance.now(),
      onConnection,
    })
  } finally {
    instance.closeSync()
  }
}

describe('given a file that is overwritten before it is read', () => {
  const overwrite = () => writeFileSync(path, 'other content')
  const changed = { code: 'unprocessable', message: 'rows.parquet changed while it was being read: run it again.' }
  beforeEach(async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    await rm(path)
    path = join(fixture.folder, 'rows.parquet')
    await connection.run(`COPY (SELECT range AS n, 'x' AS t FROM range(1000)) TO '${path}' (FORMAT parquet)`)
    connection.closeSync()
    instance.closeSync()
    const [found] = await fixture.tables({ sourceType: 'FILE', path })
    if (found === undefined) throw new Error('the file was not found')
    table = found
  })

  it('when its columns are profiled then the error says that the file changed, not that it is damaged', async () => {
    const profiled = withChange('AS v, count(*)', overwrite, (context) => profile(context, { dataset: table.locator }))
    await expect(profiled).rejects.toMatchObject(changed)
  })

  it.each([undefined, { sql: 'n > 5', variables: {} }])(
    'when its first rows are read with the filter %j then the error says that the file changed',
    async (filter) => {
      const read = withChange('LIMIT 7', overwrite, (context) =>
        sample(context, { dataset: table.locator, limit: 7, filter }),
      )
      await expect(read).rejects.toMatchObject(changed)
    },
  )

  it('when it changes during the mount then the error says that the file changed', async () => {
    const mounted = withChange('rows.parquet', overwrite, (context) =>
      profile(context, { dataset: table.locator, maxRows: 100 }),
    )
    await expect(mounted).rejects.toMatchObject(changed)
  })
})

describe('given a file that is being written while a run reads it', () => {
  it.each([
    ['grows', () => appendFileSync(path, '1000,\n1001,\n')],
    ['is cut', () => truncateSync(path, 1000)],
    [
      'is replaced',
      () => {
        writeFileSync(`${path}.new`, `n,t\n${rows.replaceAll('x', 'y')}`)
        renameSync(`${path}.new`, path)
      },
    ],
  ])('when it %s then the run fails with that reason and does not mix two states', async (_, change) => {
    await expect(measured(change)).rejects.toMatchObject({
      code: 'unprocessable',
      message: 'rows.csv changed while it was being read: run it again.',
    })
  })

  it('when it does not change then it is measured', async () => {
    expect((await measured(() => undefined)).rowsScanned).toBe(1000)
  })

  it('when rows are appended above the mark of a window then the earlier rows are measured', async () => {
    const window: Window = { kind: 'column', column: 'n', inclusive: false, follow: true }
    const { rowsScanned, reached, metrics } = await measured(() => appendFileSync(path, '1000,\n1001,\n'), window)
    expect({ rowsScanned, reached, failed: metrics[0] }).toEqual({
      rowsScanned: 1000,
      reached: '999',
      failed: { id: 1, kind: 'rows', scanned: 1000, failed: 0 },
    })
  })

  it.each<[string, Window, string]>([
    ['one without an end', { kind: 'column', column: 'n', inclusive: true, follow: false }, '1000,\n'],
    ['one of a partition', { kind: 'partition', values: [{ column: 't', value: 'x' }] }, '1000,x\n'],
    ['that is an incomplete row', { kind: 'column', column: 'n', inclusive: false, follow: true }, '1000,"x'],
    ['below the mark', { kind: 'column', column: 'n', inclusive: false, follow: true }, '5,\n'],
  ])(
    'when a row is added to a window, %s, between two reads then the run fails with that reason',
    async (_, window, row) => {
      await expect(measured(() => appendFileSync(path, row), window, 'WRITING')).rejects.toMatchObject({
        code: 'unprocessable',
        message: 'rows.csv changed while it was being read: run it again.',
      })
    },
  )

  it.each<[string, Window, string, number]>([
    ['above the mark', { kind: 'column', column: 'n', inclusive: false, follow: true }, '1000,\n', 1000],
    ['in another partition', { kind: 'partition', values: [{ column: 't', value: 'x' }] }, '1000,y\n', 1000],
    ['above the bound', { kind: 'column', column: 'n', ...upTo500, inclusive: true, follow: false }, '1000,\n', 501],
  ])('when a row is added %s between two reads then the others are measured', async (_, window, row, rows) => {
    expect((await measured(() => appendFileSync(path, row), window, 'WRITING')).rowsScanned).toBe(rows)
  })

  it('when it is Parquet and a longer file replaces it then the run fails despite a window', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const write = (count: number, file: string) =>
      connection.run(`COPY (SELECT range AS n, 'x' AS t FROM range(${count})) TO '${file}' (FORMAT parquet)`)
    try {
      await rm(path)
      path = join(fixture.folder, 'rows.parquet')
      await write(1000, path)
      await write(5000, `${path}.new`)
      const [found] = await fixture.tables({ sourceType: 'FILE', path })
      if (found === undefined) throw new Error('the file was not found')
      table = found
      const window: Window = { kind: 'column', column: 'n', inclusive: false, follow: true }
      const change = () => renameSync(`${path}.new`, path)
      await expect(measured(change, window)).rejects.toMatchObject({ code: 'unprocessable' })
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  })

  it('when it is truncated then the run fails despite a window', async () => {
    const window: Window = { kind: 'column', column: 'n', inclusive: false, follow: true }
    await expect(measured(() => truncateSync(path, 1000), window)).rejects.toMatchObject({ code: 'unprocessable' })
  })
})
