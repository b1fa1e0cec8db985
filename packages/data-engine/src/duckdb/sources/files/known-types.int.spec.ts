import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Fixture, openFixture } from '../fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

/** Crawls the file with the content `before`, replaces the content by `today`, and mounts the file. */
async function mounted(name: string, before: string, today: string) {
  const path = join(fixture.folder, name)
  await writeFile(path, before)
  const [table] = await fixture.tables({ sourceType: 'FILE', path: fixture.folder })
  if (table === undefined) throw new Error('the file was not found')
  await writeFile(path, today)
  return fixture.mount(table)
}

const types = (columns: readonly { name: string; dataType: string }[]) =>
  Object.fromEntries(columns.map(({ name, dataType }) => [name, dataType]))

describe('given a file that changed since the crawl', () => {
  it.each([
    ['only the header of a CSV file', 'day.csv', 'n,d,t\n1,2026-01-01,x\n', 'n,d,t\n', []],
    ['a CSV file without values', 'day.csv', 'n,d,t\n1,2026-01-01,x\n', 'n,d,t\n,,y\n', [[null, null, 'y']]],
    [
      'NDJSON without values',
      'day.ndjson',
      '{"n":1,"d":"2026-01-01","t":"x"}\n',
      '{"n":null,"d":null,"t":"y"}\n',
      [[null, null, 'y']],
    ],
  ])('when it is now %s then columns keep their types', async (_, name, before, today, cells) => {
    const found = await mounted(name, before, today)
    expect(types(found.columns)).toEqual({ n: 'BIGINT', d: 'DATE', t: 'VARCHAR' })
    await fixture.lockDown(found)
    expect(await fixture.cells(found)).toEqual(cells)
  })

  it('when it is Parquet, which contains types, then columns have the current types', async () => {
    const path = join(fixture.folder, 'day.parquet')
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    try {
      await connection.run(`COPY (SELECT 1::BIGINT AS n) TO '${path}' (FORMAT parquet)`)
      const [table] = await fixture.tables({ sourceType: 'FILE', path: fixture.folder })
      if (table === undefined) throw new Error('the file was not found')
      await connection.run(`COPY (SELECT NULL::VARCHAR AS n) TO '${path}' (FORMAT parquet)`)
      expect(types((await fixture.mount(table)).columns)).toEqual({ n: 'VARCHAR' })
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  })

  it('when a column now has a value of another type then it has that type', async () => {
    const found = await mounted('day.csv', 'n,d\n1,2026-01-01\n', 'n,d\nabc,\n')
    expect(types(found.columns)).toEqual({ n: 'VARCHAR', d: 'DATE' })
    expect(await fixture.cells(found)).toEqual([['abc', null]])
  })
})
