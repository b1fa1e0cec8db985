import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { probeSource } from '../dispatch.ts'
import { definitionOf, type Fixture, openFixture, selectFrom } from '../fixture.ts'

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
  it('when it is crawled then the tables and views of all schemas are found', async () => {
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
    ).toEqual(['TABLE shop/main/t 2', 'TABLE shop/odd schema/a"b 10', 'VIEW shop/main/v null'])
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
    const counts: number[] = []
    for (const table of tables) counts.push((await fixture.cells(await fixture.mount(table))).length)
    expect(counts).toEqual([2, 10, 2])
    expect(await probeSource(fixture.context, { sourceType: 'DUCKDB', path })).toMatchObject({ tables: 3 })
  })

  it('when it has views then the reads of each come from its definition', async () => {
    await writeFile(join(fixture.folder, 'f.csv'), 'a\n1\n')
    await fill(
      'CREATE TABLE people (id INTEGER, name VARCHAR)',
      'CREATE SCHEMA hr',
      'CREATE TABLE hr.pay (id INTEGER)',
      'CREATE TABLE hr.people (id INTEGER)',
      'CREATE MACRO first_name() AS (SELECT name FROM people LIMIT 1)',
      'CREATE MACRO everyone() AS TABLE SELECT * FROM people',
      'CREATE VIEW a_qualified(n) AS SELECT id FROM shop.main.people',
      'CREATE VIEW b_two AS SELECT * FROM HR.Pay JOIN hr.people USING (id)',
      'CREATE VIEW "c AS (" AS WITH c AS (SELECT * FROM b_two) SELECT *, (SELECT count(*) FROM hr.pay) AS n FROM c',
      'CREATE VIEW d_either AS SELECT id FROM people',
      'CREATE VIEW e_none AS SELECT * FROM generate_series(1, 3) AS g(people), information_schema.tables',
      'CREATE VIEW f_summary AS SELECT * FROM (SUMMARIZE hr.pay)',
      'CREATE VIEW g_united AS SELECT id FROM hr.pay UNION ALL (SELECT unnest([1, 2]))',
      'CREATE SCHEMA other',
      'CREATE VIEW other.pay AS SELECT * FROM hr.pay JOIN people USING (id)',
      'CREATE VIEW x1 AS SELECT first_name() AS f',
      'CREATE VIEW x2 AS FROM everyone()',
      "CREATE VIEW x3 AS FROM query_table('people')",
      `CREATE VIEW x4 AS FROM '${join(fixture.folder, 'f.csv')}'`,
      'CREATE VIEW x5 AS FROM x4',
    )
    const views = (await fixture.tables({ sourceType: 'DUCKDB', path })).filter(({ reads }) => reads !== undefined)
    const read = views.map(({ name, reads }) => [
      name,
      reads
        ?.map((one) => one.slice(1).join('.'))
        .sort()
        .join(),
    ])
    expect(read.filter(([name]) => !/^x\d$/.test(name ?? ''))).toEqual([
      ['a_qualified', 'main.people'],
      ['b_two', 'hr.pay,hr.people'],
      ['c AS (', 'hr.pay,hr.people,main.b_two'],
      ['d_either', 'hr.people,main.people'],
      ['e_none', ''],
      ['f_summary', 'hr.pay'],
      ['g_united', 'hr.pay'],
      ['pay', 'hr.pay,hr.people,main.people'],
    ])
    const all = 3 + 13
    for (const name of ['x1', 'x2', 'x3', 'x4', 'x5'])
      expect(views.find((view) => view.name === name)?.reads, name).toHaveLength(all - 1)
  })

  it('when a view, or a view that it reads, is redefined then its locator has another definition', async () => {
    const definitions = async () => (await fixture.tables({ sourceType: 'DUCKDB', path })).map(definitionOf)
    await fill(
      'CREATE TABLE t (a INTEGER, b INTEGER)',
      'CREATE VIEW v AS SELECT a FROM t',
      'CREATE VIEW w AS SELECT * FROM v',
    )
    const [table, ...views] = await definitions()
    expect([table, ...views]).toEqual([null, expect.any(String), expect.any(String)])
    await fill('INSERT INTO t VALUES (1, 2)')
    expect(await definitions()).toEqual([null, ...views])
    await fill('DROP VIEW v', 'CREATE VIEW v AS SELECT b AS a FROM t')
    for (const definition of (await definitions()).slice(1)) expect(views).not.toContain(definition)
  })

  it('when a view is redefined after the crawl then the view and views on it are refused', async () => {
    await fill(
      'CREATE TABLE people (name VARCHAR, ssn VARCHAR)',
      'CREATE TABLE flat AS SELECT name FROM people',
      'CREATE VIEW names AS SELECT name FROM people',
      'CREATE VIEW above AS SELECT * FROM names',
      'CREATE SCHEMA hr',
      'CREATE TABLE flat_too (a INTEGER)',
      'CREATE VIEW hr.unchanged AS SELECT p.name FROM main.people p, (SELECT count(*) AS n FROM main.flat_too) c',
    )
    const tables = await fixture.tables({ sourceType: 'DUCKDB', path })
    await fill(
      'DROP VIEW names',
      'CREATE VIEW names AS SELECT ssn AS name FROM people',
      'DROP TABLE flat',
      'CREATE VIEW flat AS SELECT ssn AS name FROM people',
      'CREATE TABLE other (a INTEGER)',
      'CREATE VIEW hr.other_too AS SELECT a FROM main.other',
    )
    const mounted: string[] = []
    for (const table of tables)
      await fixture.mount(table).then(
        () => mounted.push(table.name),
        (error: unknown) =>
          expect(error).toMatchObject({
            code: 'unprocessable',
            message: `The view "${table.name}" was redefined in its source. Crawl the source again.`,
          }),
      )
    expect(mounted.sort()).toEqual(['flat_too', 'people', 'unchanged'])
    const names = tables.find(({ name }) => name === 'names')
    if (names === undefined) throw new Error('not found')
    await expect(fixture.mount(selectFrom(names))).rejects.toThrow('"names" was redefined in its source')
  })

  it('when a view reads or calls anything outside of the file then the view and views on it are refused', async () => {
    await fill(
      'CREATE TABLE people (id INTEGER, name VARCHAR)',
      'CREATE SCHEMA hr',
      'CREATE TABLE hr.duckdb_databases (path VARCHAR)',
      'CREATE MACRO lower(x) AS (SELECT max(name) FROM people)',
      'CREATE VIEW good AS SELECT upper(name) AS n, now() AS t FROM People WHERE id > (SELECT min(id) FROM main.PEOPLE)',
      'CREATE VIEW good_too AS SELECT g.n FROM good g JOIN range(3) r(i) ON true',
      "CREATE VIEW b1 AS SELECT current_setting('temp_directory') AS s",
      'CREATE VIEW b2 AS SELECT * FROM duckdb_settings()',
      'CREATE VIEW b3 AS SELECT lower(name) AS l FROM people',
      'CREATE VIEW b4 AS SELECT * FROM b1',
      'CREATE VIEW b5 AS SELECT path FROM system.main.duckdb_databases',
      'CREATE VIEW b6 AS SELECT random() AS r',
    )
    const views = (await fixture.tables({ sourceType: 'DUCKDB', path })).filter(({ assetType }) => assetType === 'VIEW')
    const mounted: string[] = []
    for (const view of views)
      await fixture.mount(view).then(
        () => mounted.push(view.name),
        (error: unknown) =>
          expect(error).toMatchObject({
            code: 'unprocessable',
            message: expect.stringMatching(/is a view that cannot be read: it /),
          }),
      )
    expect(views).toHaveLength(8)
    expect(mounted).toEqual(['good', 'good_too'])
  })

  it('when it is not a database or does not exist then the error says so', async () => {
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
