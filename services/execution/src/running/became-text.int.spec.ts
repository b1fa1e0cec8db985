import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { executionKinds, type ItemRecord } from '@assay/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executionTables } from '../copies/tables.ts'
import { itemFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually } from '../testing/harness.ts'
import { type OnEngine, openOnEngine } from '../testing/on-engine.ts'

const sources = [
  {
    name: 'CSV',
    file: 'v.csv',
    write: (path: string) => writeFile(path, 'v\n5\n100\n20\n'),
    addText: (path: string) => appendFile(path, 'n/a\n'),
  },
  {
    name: 'NUMERIC of SQLite',
    file: 'v.sqlite',
    write: async (path: string) => inSqlite(path, 'CREATE TABLE t (v NUMERIC); INSERT INTO t VALUES (5), (100), (20)'),
    addText: async (path: string) => inSqlite(path, "INSERT INTO t VALUES ('n/a')"),
  },
]

function inSqlite(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

const aggregate = (id: number, given: Partial<ItemRecord>) =>
  itemFixture({ id, name: `${id}`, measurementType: 'AGGREGATES', columnName: 'v', aggregateType: 'MIN', ...given })
const items = [
  aggregate(1, { value: { operator: 'GTE', value: 50 } }),
  aggregate(2, { value: { operator: 'BETWEEN', min: 50, max: 200 } }),
  aggregate(3, {
    thresholdConfig: { type: 'ABSOLUTE', success: 50, warning: null, config: { direction: 'ABOVE', success: 50 } },
  }),
  itemFixture({ id: 4, name: '4', measurementType: 'RANGE_MATCH', columnName: 'v', value: { min: 50, max: 200 } }),
]

describe.each(sources)('given a column of numbers in $name', ({ file, write, addText }) => {
  let on: OnEngine
  beforeAll(async () => {
    on = await openOnEngine()
  })
  afterAll(() => on.close())

  it('when a text is added, then items that compare the column with numbers fail', async () => {
    const path = join(on.folder, file)
    await write(path)
    const table = await on.tableAt(path)
    await on.harness.table(table)
    await eventually(
      () => on.harness.deps.documents.get(executionTables, 'default', table.assetId),
      (copy) => copy !== undefined,
    )
    const outcomes = async () => {
      const id = await on.runKeeping('CSV', 7, items)
      const { items: ended } = bodyOf(await on.harness.call(executionKinds.DATA_QUALITY.result, { params: { id } }))
      return ended.map(({ status, value, rowsFailed, error }) => ({ status, value, rowsFailed, error }))
    }
    const low = { status: 'ERRORED', value: '5', error: null }
    expect(await outcomes()).toMatchObject([low, low, low, { status: 'ERRORED', rowsFailed: 2 }])
    await addText(path)
    const text = {
      status: 'ERRORED',
      error: expect.stringContaining("The column 'v' holds text and cannot be compared"),
    }
    expect(await outcomes()).toMatchObject([text, text, text, { status: 'ERRORED', rowsFailed: 3, error: null }])
  })
})
