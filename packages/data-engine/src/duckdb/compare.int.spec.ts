import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatasetLocator } from '../dataset.ts'
import { quoteName } from '../sql/quote.ts'
import { comparingFeatures } from '../testing/compare-features.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { createDuckDbEngine } from './engine.ts'
import { type Fixture, openFixture } from './sources/fixture.ts'

let folder: string
let connection: DuckDBConnection
/** Finds tables in this process, without a child for each. */
let fixture: Fixture
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-comparing-'))
  connection = await DuckDBConnection.create(await DuckDBInstance.create(':memory:'))
  await connection.run("SET TimeZone = 'UTC'")
  fixture = await openFixture()
})
afterAll(async () => {
  connection.closeSync()
  await fixture.close()
  await rm(folder, { recursive: true, force: true })
})

async function locatorOf(file: string): Promise<DatasetLocator> {
  const [table] = await fixture.tables({ sourceType: 'FILE', path: file })
  if (table === undefined) throw new Error(`${file} holds no table.`)
  return table.locator
}

comparingFeatures('DuckDB', async () => {
  const engine = createEngineInProcess({ memoryMb: 300, threads: 2 })
  const pathOf = (name: string) => join(folder, `${name}.parquet`)
  return {
    engine,
    async table(name, text, types) {
      await writeFile(join(folder, `${name}.csv`), text)
      const names = (text.split('\n', 1)[0] ?? '').split(',')
      const columns = names.map(
        (column, index) => `CAST(${quoteName(column)} AS ${types[index]}) AS ${quoteName(column)}`,
      )
      await connection.run(
        `COPY (SELECT ${columns.join(', ')} FROM read_csv('${folder}/${name}.csv', header = true, delim = ',', all_varchar = true, allow_quoted_nulls = false, null_padding = true)) TO '${pathOf(name)}' (FORMAT parquet)`,
      )
      return locatorOf(pathOf(name))
    },
    drop: (name) => rm(pathOf(name)),
    stop: () => engine.close(),
  }
})

describe('a comparison in DuckDB', () => {
  it('given more differing rows than fit into memory, when compared, then all are found', {
    timeout: 120_000,
  }, async () => {
    // The limit of memory is that of a process.
    const engine = createDuckDbEngine({ memoryMb: 300, threads: 2, clock: Date })
    const { signal } = new AbortController()
    const rows = 100_000
    const table = async (name: string, value: string) => {
      const file = join(folder, `${name}.parquet`)
      await connection.run(
        `COPY (SELECT i AS id, 'name-' || i || repeat('x', 500) AS name, ${value} AS n FROM range(${rows}) AS t(i)) TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE 10000)`,
      )
      return locatorOf(file)
    }
    const [left, right] = [await table('large_left', 'i'), await table('large_right', 'i + 1')]
    const pair = (name: string, isKey = false) => ({ left: name, right: name, isKey })
    const limits = { timeoutMs: 120_000, memoryMb: 180, threads: 1, maxTempMb: 4000 }
    const found = await engine.compare(
      {
        ...{ left: { dataset: left }, right: { dataset: right } },
        columns: [pair('id', true), pair('name'), pair('n')],
        rows: { format: 'PARQUET', limit: 1000, preview: 1, itemIds: [] },
      },
      { rows: async () => undefined, limits, signal },
    )
    expect(found).toMatchObject({
      equal: 0,
      changed: rows,
      columns: [{ changed: 0 }, { changed: 0 }, { changed: rows }],
    })
    expect(found.differing?.preview[0]).toMatchObject({ left: { id: 0, n: 0 }, right: { id: 0, n: 1 } })
    await engine.close()
  })
})
