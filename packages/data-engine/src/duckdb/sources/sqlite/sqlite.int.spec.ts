import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { probeSource } from '../dispatch.ts'
import { definitionOf, type Fixture, openFixture, selectFrom } from '../fixture.ts'

let fixture: Fixture
let path: string
beforeEach(async () => {
  fixture = await openFixture()
  path = join(fixture.folder, 'shop.db')
})
afterEach(() => fixture.close())

function fill(sql: string): void {
  // The tests create a table that SQLite would refuse.
  const database = new DatabaseSync(path, { defensive: false })
  database.exec(sql)
  database.close()
}

/** Turns a table into SQLite's own `sqlite_stat4`, which contains values of indexed columns. Not every build writes it. */
function asStatistics(table: string): string {
  return `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET name = 'sqlite_stat4', tbl_name = 'sqlite_stat4',
    sql = replace(sql, '${table}', 'sqlite_stat4') WHERE name = '${table}'; PRAGMA writable_schema = RESET`
}

describe('given a SQLite file', () => {
  it('when it is crawled then tables and views have columns, types and rows', async () => {
    fill(`CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born DATE, active BOOLEAN, score REAL, photo BLOB, at DATETIME);
      INSERT INTO people VALUES (1, 'a', '1969-12-31', 1, 0.5, x'00ff', '2026-01-02 03:04:05'), (2, 'b', NULL, 0, 2, NULL, '2026-01-02T03:04:05.5');
      CREATE VIEW grown AS SELECT name FROM people WHERE id > 1;`)
    const found = await fixture.discover({ sourceType: 'SQLITE', path })
    expect(found.slice(0, 3)).toEqual([
      { kind: 'found', tables: 2 },
      { kind: 'container', path: [], name: 'shop', assetType: 'DATABASE' },
      { kind: 'container', path: ['shop'], name: 'main', assetType: 'SCHEMA' },
    ])
    const [people, grown] = found.filter((one) => one.kind === 'table')
    expect(grown).toMatchObject({ assetType: 'VIEW', name: 'grown', path: ['shop', 'main'], rowCount: 1 })
    expect(people?.columns.map(({ name, dataType, nullable }) => `${name} ${dataType} ${nullable}`)).toEqual([
      'id BIGINT true',
      'name VARCHAR false',
      'born DATE true',
      'active BOOLEAN true',
      'score DOUBLE true',
      'photo BLOB true',
      'at TIMESTAMP true',
    ])
    if (people === undefined || grown === undefined) return
    expect(await fixture.cells(await fixture.mount(people))).toEqual([
      ['1', 'a', '1969-12-31', 'true', '0.5', '\\x00\\xFF', '2026-01-02 03:04:05'],
      ['2', 'b', null, 'false', '2.0', null, '2026-01-02 03:04:05.5'],
    ])
    expect(await fixture.cells(await fixture.mount(grown))).toEqual([['b']])
    expect(await probeSource(fixture.context, { sourceType: 'SQLITE', path })).toMatchObject({ tables: 2 })
  })

  it('when it has views then each comes after the tables and views that it reads, and lists them', async () => {
    fill(`CREATE TABLE people (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT); CREATE TABLE "Odd x" (a, b); ANALYZE; CREATE INDEX i ON "Odd x" (a, b);
      CREATE VIEW adults AS SELECT name FROM PEOPLE WHERE id > 1;
      CREATE VIEW above AS WITH c AS (SELECT * FROM Adults) SELECT c.name, (SELECT count(*) FROM "odd X") AS n FROM c;
      CREATE VIEW counted AS SELECT count(*) AS n FROM people;
      CREATE VIEW hidden_name AS WITH people AS (SELECT 'adults' AS z) SELECT z FROM people;
      CREATE VIEW taken_apart AS SELECT value, p.name FROM json_each('[1]'), people p;
      CREATE VIEW planned AS SELECT tbl, seq FROM sqlite_stat1 LEFT JOIN sqlite_sequence ON tbl = name;
      CREATE VIEW recursive AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3) SELECT 1 FROM c;
      CREATE TABLE stats (sample); ${asStatistics('stats')}; CREATE VIEW sampled AS SELECT sample FROM sqlite_stat4;`)
    const views = (await fixture.tables({ sourceType: 'SQLITE', path })).filter(({ reads }) => reads !== undefined)
    expect(views.map(({ name, reads }) => [name, reads?.map((read) => read.join('/')).sort()])).toEqual([
      ['adults', ['shop/main/people']],
      ['above', ['shop/main/Odd x', 'shop/main/adults', 'shop/main/people']],
      ['counted', ['shop/main/people']],
      ['hidden_name', []],
      ['planned', []],
      ['recursive', []],
      [
        'sampled',
        ['Odd x', 'above', 'adults', 'counted', 'hidden_name', 'people', 'planned', 'recursive', 'taken_apart'].map(
          (name) => `shop/main/${name}`,
        ),
      ],
      ['taken_apart', ['shop/main/people']],
    ])
  })

  it('when a view, or a view that it reads, is redefined then its locator has another definition', async () => {
    const definitions = async () => (await fixture.tables({ sourceType: 'SQLITE', path })).map(definitionOf)
    fill('CREATE TABLE t (a INTEGER, b INTEGER); CREATE VIEW v AS SELECT a FROM t; CREATE VIEW w AS SELECT * FROM v')
    const [table, ...views] = await definitions()
    expect([table, ...views]).toEqual([null, expect.any(String), expect.any(String)])
    fill('INSERT INTO t VALUES (1, 2)')
    expect(await definitions()).toEqual([null, ...views])
    fill('DROP VIEW v; CREATE VIEW v AS SELECT b AS a FROM t')
    for (const definition of (await definitions()).slice(1)) expect(views).not.toContain(definition)
  })

  it('when tables are added then views that do not read them keep their definition', async () => {
    fill(`CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t; CREATE TABLE stats (sample); ${asStatistics('stats')};
      CREATE VIEW sampled AS SELECT sample FROM sqlite_stat4;
      CREATE VIEW recursive AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3) SELECT 1 FROM c`)
    const views = async () =>
      (await fixture.tables({ sourceType: 'SQLITE', path })).filter(({ assetType }) => assetType === 'VIEW')
    const before = await views()
    fill('CREATE TABLE other (a); CREATE VIEW other_too AS SELECT a FROM other')
    const after = (await views()).filter(({ name }) => name !== 'other_too')
    expect(after.map(definitionOf)).toEqual(before.map(definitionOf))
    for (const view of before)
      expect(await fixture.cells(await fixture.mount(view))).toHaveLength(Number(view.rowCount))
  })

  it('when a view is redefined after the crawl then the view and views on it are refused', async () => {
    fill(`CREATE TABLE people (name TEXT, ssn TEXT); INSERT INTO people VALUES ('a', 'secret');
      CREATE TABLE flat AS SELECT name FROM people; CREATE VIEW names AS SELECT name FROM people;
      CREATE VIEW above AS SELECT * FROM names; CREATE VIEW unchanged AS SELECT name FROM people;
      CREATE VIEW stored AS SELECT name FROM people`)
    const tables = await fixture.tables({ sourceType: 'SQLITE', path })
    fill(`DROP VIEW names; CREATE VIEW names AS SELECT ssn AS name FROM people;
      DROP TABLE flat; CREATE VIEW flat AS SELECT ssn AS name FROM people;
      DROP VIEW stored; CREATE TABLE stored AS SELECT ssn AS name FROM people`)
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
    expect(mounted).toEqual(['people', 'unchanged'])
    const names = tables.find(({ name }) => name === 'names')
    if (names === undefined) throw new Error('not found')
    await expect(fixture.mount(selectFrom(names))).rejects.toThrow('"names" was redefined in its source')
  })

  it('when values do not match their declared type then the column is text and nothing is lost', async () => {
    fill(`CREATE TABLE t (a INTEGER, b INTEGER, c, d DECIMAL(10,2), e TEXT);
      INSERT INTO t VALUES (1, 9007199254740993, 1, 1.5, 5), ('x', -9223372036854775808, 0.5, 2, NULL), (NULL, 3, NULL, NULL, 'y');`)
    const [table] = await fixture.tables({ sourceType: 'SQLITE', path })
    if (table === undefined) throw new Error('not found')
    expect(table.columns.map(({ dataType }) => dataType)).toEqual(['VARCHAR', 'BIGINT', 'DOUBLE', 'DOUBLE', 'VARCHAR'])
    expect(await fixture.cells(await fixture.mount(table))).toEqual([
      ['1', '9007199254740993', '1.0', '1.5', '5'],
      ['x', '-9223372036854775808', '0.5', '2.0', null],
      [null, '3', null, null, 'y'],
    ])
  })

  it('when a value of another type is added after the crawl then the run reads the column as text', async () => {
    fill('CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)')
    const [table] = await fixture.tables({ sourceType: 'SQLITE', path })
    if (table === undefined) throw new Error('not found')
    expect(table.columns[0]?.dataType).toBe('BIGINT')
    fill("INSERT INTO t VALUES ('late')")
    const mounted = await fixture.mount(table)
    expect(mounted.columns).toEqual([{ name: 'a', dataType: 'VARCHAR' }])
    expect(await fixture.cells(mounted)).toEqual([['1'], ['late']])
    fill('DROP TABLE t')
    await expect(fixture.mount(table)).rejects.toMatchObject({
      code: 'unprocessable',
      message: 't is no longer a table of shop.db: crawl the source again.',
    })
  })

  it('when it has many rows then they are copied in batches', async () => {
    fill(`CREATE TABLE t (a INTEGER, b TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250000) INSERT INTO t SELECT i, 'row ' || i FROM n;`)
    const [table] = await fixture.tables({ sourceType: 'SQLITE', path })
    if (table === undefined) throw new Error('not found')
    const mounted = await fixture.mount(table)
    const reader = await fixture.context.connection.runAndReadAll(
      `SELECT count(*), sum(a), max(b) FROM ${mounted.relation}`,
    )
    expect(reader.getRowsJson()).toEqual([['250000', '31250125000', 'row 99999']])
  })

  it('when it is not a database, or a view in it is broken, then the error says so', async () => {
    await writeFile(path, 'this is not a database, although its name says so')
    await expect(fixture.discover({ sourceType: 'SQLITE', path })).rejects.toMatchObject({
      code: 'unprocessable',
      message: 'shop.db is not a database file of this type.',
    })
    await expect(fixture.discover({ sourceType: 'SQLITE', path: `${path}x` })).rejects.toMatchObject({
      code: 'unprocessable',
    })
    path = join(fixture.folder, 'other.db')
    fill('CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t; CREATE TABLE u (a); DROP TABLE t')
    const found = await fixture.discover({ sourceType: 'SQLITE', path })
    expect(found.filter((one) => one.kind === 'table').map(({ name }) => name)).toEqual(['u'])
    expect(found.filter((one) => one.kind === 'failed').map((one) => one.path)).toEqual(['v'])
  })
})
