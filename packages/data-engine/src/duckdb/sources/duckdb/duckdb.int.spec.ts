import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { probeSource } from '../dispatch.ts'
import { type Fixture, openFixture } from '../fixture.ts'

let fixture: Fixture
let path: string
beforeEach(async () => {
  fixture = await openFixture()
  path = join(fixture.folder, 'shop.duckdb')
})
afterEach(() => fixture.close())

async function fill(...statements: string[]): Promise<void> {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  for (const statement of statements) await connection.run(statement)
  connection.closeSync()
  instance.closeSync()
}

describe('given a DuckDB file', () => {
  it('when it is crawled then all schemas show their tables and views', async () => {
    await fill(
      'CREATE TABLE t (a INTEGER NOT NULL, s STRUCT(x BIGINT, y VARCHAR))',
      "INSERT INTO t VALUES (1, {'x': 2, 'y': 'z'}), (3, NULL)",
      'CREATE SCHEMA "odd schema"',
      'CREATE TABLE "odd schema"."a""b" AS SELECT range AS n FROM range(10)',
      'CREATE VIEW v AS SELECT a FROM t',
    )
    const found = await fixture.discover({ sourceType: 'DUCKDB', path })
    expect(
      found.flatMap((one) =>
        one.kind === 'table' ? [`${one.assetType} ${[...one.path, one.name].join('/')} ${one.rowCount}`] : [],
      ),
    ).toEqual(['TABLE shop/main/t 2', 'VIEW shop/main/v null', 'TABLE shop/odd schema/a"b 10'])
    const tables = found.filter((one) => one.kind === 'table')
    expect(tables[0]?.columns).toEqual([
      { name: 'a', dataType: 'INTEGER', nullable: false, children: [] },
      {
        name: 's',
        dataType: expect.stringContaining('STRUCT'),
        nullable: true,
        children: [
          { name: 'x', dataType: 'BIGINT', nullable: true, children: [] },
          { name: 'y', dataType: 'VARCHAR', nullable: true, children: [] },
        ],
      },
    ])
    for (const [index, rows] of [
      [0, 2],
      [1, 2],
      [2, 10],
    ] as const) {
      const table = tables[index]
      if (table !== undefined) expect(await fixture.cells(await fixture.mount(table))).toHaveLength(rows)
    }
    expect(await probeSource(fixture.context, { sourceType: 'DUCKDB', path })).toEqual({ tables: 3 })
  })

  it('when it is no database or is not there then that is said', async () => {
    await writeFile(path, 'no database')
    await expect(fixture.discover({ sourceType: 'DUCKDB', path })).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(/^shop.duckdb /),
    })
    await expect(fixture.discover({ sourceType: 'DUCKDB', path: `${path}x` })).rejects.toMatchObject({
      code: 'unprocessable',
    })
  })
})
