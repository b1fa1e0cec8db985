import { chmod, mkdir, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Discovered } from '../../../dataset.ts'
import { probeSource } from '../dispatch.ts'
import { type Fixture, openFixture } from '../fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

async function put(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(fixture.folder, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
}

async function putParquet(name: string, select: string): Promise<void> {
  const path = join(fixture.folder, name)
  await mkdir(dirname(path), { recursive: true })
  await fixture.context.connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`)
}

function line(one: Discovered): string {
  switch (one.kind) {
    case 'found':
      return `found ${one.tables}`
    case 'container':
      return `${one.assetType} ${[...one.path, one.name].join('/')}`
    case 'table':
      return `${one.assetType} ${[...one.path, one.name].join('/')} ${one.rowCount}`
    case 'failed':
      return `failed ${one.path}: ${one.message}`
    case 'skipped':
      return `skipped ${one.total}: ${one.first.map(({ path }) => path).join(', ')}`
  }
}

const shown = (found: Discovered[]) => found.map(line)

describe('given a folder with files and folders', () => {
  it('when it is crawled then folders come before their files, in the order of names, without hidden ones', async () => {
    await put({
      'b.csv': 'a\n1\n',
      'a.ndjson': '{"x":1}\n',
      'deep/er/c.tsv': 'a\tb\n1\t2\n3\t4\n',
      'only-notes/readme.txt': 'nothing',
      '.hidden.csv': 'a\n1\n',
      _SUCCESS: '',
      '_temporary/x.csv': 'a\n1\n',
      'old.csv~': 'a\n1\n',
      '.git/x.csv': 'a\n1\n',
    })
    expect(shown(await fixture.discover({ sourceType: 'FILE', path: fixture.folder }))).toEqual([
      'found 3',
      'FILE a.ndjson 1',
      'FILE b.csv 1',
      'DIRECTORY deep',
      'DIRECTORY deep/er',
      'FILE deep/er/c.tsv 2',
      'skipped 1: only-notes/readme.txt',
    ])
    expect(await probeSource(fixture.context, { sourceType: 'FILE', path: fixture.folder })).toMatchObject({
      tables: 3,
    })
  })

  it('when include and exclude are given then only files that pass include and exclude are crawled', async () => {
    await put({
      'a.csv': 'a\n1\n',
      'x/a.csv': 'a\n1\n',
      'x/b.json': '[{"a":1}]',
      'y/a.csv': 'a\n1\n',
      'x/tmp/a.csv': 'a\n1\n',
    })
    const source = {
      sourceType: 'FILE' as const,
      path: fixture.folder,
      include: ['**/*.csv'],
      exclude: ['x/tmp', 'y/**'],
    }
    expect(shown(await fixture.discover(source))).toEqual(['found 2', 'FILE a.csv 1', 'DIRECTORY x', 'FILE x/a.csv 1'])
  })

  it('when files are broken, empty or links to the outside then each is reported and the other files are crawled', async () => {
    const outside = join(dirname(fixture.folder), 'outside.csv')
    await writeFile(outside, 'secret\n1\n')
    await put({
      'good.csv': 'a\n1\n',
      'empty.csv': '',
      'text.parquet': 'no',
      'cut.json': '[{"a":1},{"a"',
      'empty.json': '',
    })
    await putParquet('cut.parquet', 'SELECT range AS a FROM range(1000)')
    await truncate(join(fixture.folder, 'cut.parquet'), 500)
    await symlink(outside, join(fixture.folder, 'link.csv'))
    await symlink(join(fixture.folder, 'good.csv'), join(fixture.folder, 'same.csv'))
    await symlink(join(fixture.folder, 'nowhere.csv'), join(fixture.folder, 'dangling.csv'))
    const found = await fixture.discover({ sourceType: 'FILE', path: fixture.folder })
    const failed = found.filter((one) => one.kind === 'failed')
    expect(failed.map(({ path }) => path).sort()).toEqual([
      'cut.json',
      'cut.parquet',
      'dangling.csv',
      'empty.csv',
      'empty.json',
      'link.csv',
      'text.parquet',
    ])
    for (const { path, message } of failed) {
      expect(message).toMatch(new RegExp(`^${path} .*\\.$`))
      expect(message).not.toContain(fixture.folder)
    }
    expect(found.filter((one) => one.kind === 'table').map(({ name }) => name)).toEqual(['good.csv', 'same.csv'])
  })

  it('when the folder does not exist then the crawl is refused with a sentence', async () => {
    const path = join(fixture.folder, 'gone')
    await expect(fixture.discover({ sourceType: 'FILE', path })).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(/^gone does not exist: check the path/),
    })
  })

  it.skipIf(process.getuid?.() === 0)('when a folder may not be read then it is reported', async () => {
    await put({ 'locked/a.csv': 'a\n1\n', 'b.csv': 'a\n1\n' })
    await chmod(join(fixture.folder, 'locked'), 0)
    const found = shown(await fixture.discover({ sourceType: 'FILE', path: fixture.folder }))
    await chmod(join(fixture.folder, 'locked'), 0o755)
    expect(found).toEqual(['found 1', 'FILE b.csv 1', expect.stringMatching(/^failed locked: locked may not be read/)])
  })
})

describe('given a folder with databases', () => {
  async function putSqlite(name: string): Promise<string> {
    const path = join(fixture.folder, name)
    await mkdir(dirname(path), { recursive: true })
    const database = new DatabaseSync(path)
    database.exec("CREATE TABLE people (id INTEGER, name TEXT); INSERT INTO people VALUES (1, 'a'), (2, 'b')")
    database.close()
    return path
  }
  async function putDuckdb(name: string): Promise<string> {
    const path = join(fixture.folder, name)
    await mkdir(dirname(path), { recursive: true })
    const { connection } = fixture.context
    await connection.run(`ATTACH '${path}' AS made`)
    await connection.run('CREATE SCHEMA made.sales')
    await connection.run('CREATE TABLE made.sales.orders AS SELECT range AS id FROM range(3)')
    await connection.run('DETACH made')
    return path
  }

  it('when it is crawled then each database is below its folders, and its tables can be read', async () => {
    await put({ 'a.csv': 'a\n1\n', 'Thumbs.db': 'nothing of ours', 'sub/notes.sqlite': 'text' })
    await putSqlite('sub/shop.db')
    await putDuckdb('ware.duckdb')
    await put({ 'sub/cut.sqlite3': 'SQLite format 3\0 and then no more' })
    const source = { sourceType: 'FILE' as const, path: fixture.folder }
    const found = await fixture.discover(source)
    expect(shown(found)).toEqual([
      'found 4',
      'FILE a.csv 1',
      expect.stringMatching(/^failed sub\/cut.sqlite3: .*cut.sqlite3 .*\.$/),
      'failed sub/notes.sqlite: sub/notes.sqlite is not a database file of SQLite or DuckDB: it is damaged or encrypted.',
      'DIRECTORY sub',
      'DATABASE sub/shop.db',
      'SCHEMA sub/shop.db/main',
      'TABLE sub/shop.db/main/people 2',
      'DATABASE ware.duckdb',
      'SCHEMA ware.duckdb/sales',
      'TABLE ware.duckdb/sales/orders 3',
      'skipped 1: Thumbs.db',
    ])
    expect(await probeSource(fixture.context, source)).toMatchObject({ tables: 4 })
    const [, people, orders] = found.filter((one) => one.kind === 'table')
    if (people === undefined || orders === undefined) throw new Error('not found')
    expect(people.locator).toMatchObject({ kind: 'table', engine: 'SQLITE', schema: 'main', table: 'people' })
    const readPeople = await fixture.mount(people)
    const readOrders = await fixture.mount(orders)
    await fixture.lockDown(readOrders)
    expect(await fixture.cells(readPeople)).toEqual([
      ['1', 'a'],
      ['2', 'b'],
    ])
    expect(await fixture.cells(readOrders)).toEqual([['0'], ['1'], ['2']])
  })

  it('when a database is a link out of the source, at the crawl or later, then it is not read', async () => {
    const path = await putSqlite('in/shop.db')
    const outside = await putSqlite('outside.db')
    await symlink(outside, join(fixture.folder, 'in/link.db'))
    const found = await fixture.discover({ sourceType: 'FILE', path: join(fixture.folder, 'in') })
    expect(shown(found).filter((line) => line.startsWith('failed'))).toEqual([
      'failed link.db: link.db is a link that leads out of the source: it was skipped.',
    ])
    const table = found.find((one) => one.kind === 'table')
    if (table === undefined) throw new Error('not found')
    await rm(path)
    await symlink(outside, path)
    await expect(fixture.mount(table)).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(/^shop.db is a link that leads out/),
    })
  })

  it('when include, exclude or the path select files then they also select databases', async () => {
    const path = await putSqlite('x/shop.db')
    await putSqlite('y/shop.db')
    const crawl = async (more: object) =>
      shown(await fixture.discover({ sourceType: 'FILE', path: fixture.folder, ...more }))
    expect(await crawl({ include: ['x/**'] })).toEqual(await crawl({ exclude: ['y'] }))
    expect(await crawl({ include: ['x/**'] })).toContain('TABLE x/shop.db/main/people 2')
    expect(shown(await fixture.discover({ sourceType: 'FILE', path }))).toEqual([
      'found 1',
      'DATABASE shop.db',
      'SCHEMA shop.db/main',
      'TABLE shop.db/main/people 2',
    ])
  })

  it('when a database is among partitioned folders then the crawl reports it', async () => {
    await putSqlite('sales/year=2026/shop.db')
    await put({ 'sales/year=2026/a.csv': 'a\n1\n' })
    expect(shown(await fixture.discover({ sourceType: 'FILE', path: fixture.folder }))).toEqual([
      'found 1',
      expect.stringMatching(/^failed sales\/year=2026\/shop.db: .*partitioned/),
      'FILE sales 1',
    ])
  })
})

describe('given entries that are not files', () => {
  it('when they are crawled then a socket and a link to a folder are reported', async () => {
    await put({ 'a.csv': 'a\n1\n' })
    const server = createServer()
    await new Promise<void>((done) => server.listen(join(fixture.folder, 'pipe.csv'), done))
    await symlink(fixture.folder, join(fixture.folder, 'loop'))
    expect(shown(await fixture.discover({ sourceType: 'FILE', path: fixture.folder }))).toEqual([
      'found 1',
      'FILE a.csv 1',
      'skipped 2: loop, pipe.csv',
    ])
    server.close()
  })
})

describe('given CSV that is read in an unexpected way', () => {
  const notes = async () => (await fixture.tables({ sourceType: 'FILE', path: fixture.folder })).map((one) => one.notes)

  it('when names of columns are blank or repeated then a note lists the new ones', async () => {
    await put({ 'a.csv': 'id,id,,ID\n1,2,3,4\n' })
    const [found = []] = await notes()
    expect(found).toEqual([
      "Blank or repeated column names were changed: 'id' became id_1, '' became column2, 'ID' became ID_2.",
    ])
  })

  it('when a file of a partition is empty then a note names it', async () => {
    await put({ 'd/day=1/a.csv': 'a\n1\n', 'd/day=2/a.csv': '' })
    expect(await notes()).toEqual([['Empty files were skipped: d/day=2/a.csv.']])
  })

  it('when all values of a column, not only some, look like decimal commas or dates then a note names the option', async () => {
    await put({
      'a.csv': 'n;d;mixed;plain;zip\n1.234,50;31.12.2026;1,5;x;00501\n-2,5;1.2.2026;n/a;y;10115\n',
      'stated.csv': 'n;d\n1,5;31.12.2026\n',
    })
    const csv = { decimalSeparator: ',' as const, dateFormat: 'dd.MM.yyyy' }
    const files = [{ pattern: 'stated.csv', csv }]
    const found = await fixture.tables({ sourceType: 'FILE', path: fixture.folder, files })
    expect(found.map((one) => one.notes)).toEqual([
      [
        'Text that looks like numbers with a decimal comma, in n: set decimalSeparator to "," to read numbers.',
        'Text that looks like dates, in d: set dateFormat, such as dd.MM.yyyy, to read dates.',
      ],
      undefined,
    ])
  })
})

describe('given links that lead out of the source', () => {
  it('when no include pattern matches them then they are not reported', async () => {
    await put({ 'in/passwd.csv': 'a\n1\n', 'out.csv': 'a\n1\n' })
    await symlink(join(fixture.folder, 'out.csv'), join(fixture.folder, 'in/other.csv'))
    await symlink(join(fixture.folder, 'out.csv'), join(fixture.folder, 'in/passwd-link.csv'))
    const source = { sourceType: 'FILE' as const, path: join(fixture.folder, 'in'), include: ['passwd*'] }
    expect(shown(await fixture.discover(source))).toEqual([
      'found 1',
      'failed passwd-link.csv: passwd-link.csv is a link that leads out of the source: it was skipped.',
      'FILE passwd.csv 1',
    ])
  })
})

describe('given partitioned folders', () => {
  it('when Parquet files are in year=/month= then they are one table with the keys as columns, and a run reads new files', async () => {
    await putParquet('sales/year=2025/month=12/a.parquet', 'SELECT 1 AS id')
    await putParquet('sales/year=2026/month=01/a.parquet', 'SELECT 2 AS id, 5 AS extra')
    const [table] = await fixture.tables({ sourceType: 'FILE', path: fixture.folder })
    expect(table).toMatchObject({ path: [], name: 'sales', rowCount: 2, fileCount: 2, locator: { partitioned: true } })
    expect(table?.columns.map(({ name, dataType }) => `${name} ${dataType}`)).toEqual([
      'id INTEGER',
      'extra INTEGER',
      'month VARCHAR',
      'year BIGINT',
    ])
    if (table === undefined) return
    const mounted = await fixture.mount(table)
    expect(await fixture.cells(mounted)).toEqual([
      ['1', null, '12', '2025'],
      ['2', '5', '01', '2026'],
    ])
    expect(mounted.parquetFiles).toHaveLength(2)
    await putParquet('sales/year=2026/month=02/b.parquet', 'SELECT 3 AS id')
    expect(await fixture.cells(await fixture.mount(table))).toHaveLength(3)
  })

  it('when other files are added next to the partitions then they are reported, and the table can still be read', async () => {
    const crawl = () => fixture.discover({ sourceType: 'FILE', path: fixture.folder })
    await put({ 'sales/year=2024/p.csv': 'id\n1\n', 'sales/year=2025/p.csv': 'id\n2\n' })
    const clean = shown(await crawl())
    const [table] = await fixture.tables({ sourceType: 'FILE', path: fixture.folder })
    if (table === undefined) throw new Error('not found')
    await put({
      'sales/readme.csv': 'x\n1\n',
      'sales/tmp/p.csv': 'id\n9\n',
      'sales/copy/year=2024/p.csv': 'id\n9\n',
      'sales/year=2025/month=01/p.csv': 'id\n9\n',
    })
    expect(clean).toEqual(['found 1', 'FILE sales 2'])
    const strays = ['sales/year=2025/month=01/p.csv', 'sales/copy', 'sales/readme.csv', 'sales/tmp/p.csv']
    const found = await crawl()
    expect(shown(found)).toEqual(['found 1', 'FILE sales 2', `skipped 4: ${strays.join(', ')}`])
    const skipped = found.at(-1)
    if (skipped?.kind !== 'skipped') throw new Error('nothing was skipped')
    expect(skipped.first.map(({ message }) => message)).toEqual([
      'Most files of sales are in folders of year= and are read as one table, but this file is not. Move it.',
      ...Array(3).fill('It is next to the partitions of sales, which are read as one table. Move it out of sales.'),
    ])
    expect(await fixture.cells(await fixture.mount(table))).toHaveLength(2)
  })

  it('when the folder is the source itself then files next to its partitions are separate tables', async () => {
    await put({ 'year=2024/p.csv': 'id\n1\n', 'year=2025/p.csv': 'id\n2\n', 'orders.csv': 'x\n1\n' })
    await put({ 'other/year=2024/p.csv': 'id\n3\n' })
    const tables = await fixture.tables({ sourceType: 'FILE', path: fixture.folder })
    expect(tables.map(({ name, rowCount }) => [name, rowCount])).toEqual([
      ['orders.csv', 1],
      ['other', 1],
      [expect.any(String), 2],
    ])
    const whole = tables.at(-1)
    if (whole === undefined) throw new Error('not found')
    expect(await fixture.cells(await fixture.mount(whole))).toHaveLength(2)
  })

  it('when its CSV files differ in columns and quality then they are still one table', async () => {
    await put({
      'd/day=1/a.csv': 'a,b\n1,x\n',
      'd/day=2/a.csv': 'b,a\ny,2\n',
      'd/day=3/a.csv': 'a,b\n3\n',
      'd/day=__HIVE_DEFAULT_PARTITION__/a.csv': 'a,b,c\n4,z,w\n',
      'd/day=4/a.csv': '',
    })
    const [table] = await fixture.tables({ sourceType: 'FILE', path: fixture.folder })
    if (table === undefined) throw new Error('not found')
    expect(table.rowCount).toBe(4)
    expect(table.warnings).toEqual({
      total: 1,
      first: [{ line: 2, message: expect.stringContaining('d/day=3/a.csv: ') }],
    })
    const mounted = await fixture.mount(table)
    const names = mounted.columns.map(({ name }) => name)
    const rows = (await fixture.cells(mounted)).map((row) => Object.fromEntries(row.map((cell, i) => [names[i], cell])))
    expect(rows.sort((x, y) => Number(x.a) - Number(y.a))).toEqual([
      { a: '1', b: 'x', c: null, day: '1' },
      { a: '2', b: 'y', c: null, day: '2' },
      { a: '3', b: null, c: null, day: '3' },
      { a: '4', b: 'z', c: 'w', day: null },
    ])
  })

  it('when NDJSON is in the root itself then the table has the name of the root', async () => {
    await put({ 'events/day=2026-01-01/a.ndjson': '{"x":1}\n', 'events/day=2026-01-02/a.ndjson': '{"x":"late"}\n' })
    const [table] = await fixture.tables({ sourceType: 'FILE', path: join(fixture.folder, 'events') })
    expect(table).toMatchObject({ path: [], name: 'events', rowCount: 2 })
    if (table === undefined) return
    expect(await fixture.cells(await fixture.mount(table))).toEqual([
      ['1', '2026-01-01'],
      ['late', '2026-01-02'],
    ])
  })
})

describe('given a glob as path', () => {
  it('when its files have the same columns then they are one table, named after the glob', async () => {
    await put({ 'in/orders-1.csv': 'a,b\n1,x\n', 'in/orders-2.csv': 'a,b\n2,y\n', 'in/other.csv': 'q\n1\n' })
    const source = { sourceType: 'FILE' as const, path: join(fixture.folder, 'in/orders-*.csv') }
    const [table] = await fixture.tables(source)
    expect(table).toMatchObject({ path: [], name: 'orders', rowCount: 2, fileCount: 2 })
    if (table === undefined) return
    await put({ 'in/orders-3.csv': 'a,b\nlate,z\n' })
    const mounted = await fixture.mount(table)
    expect(mounted.columns[0]).toEqual({ name: 'a', dataType: 'VARCHAR' })
    expect(await fixture.cells(mounted)).toHaveLength(3)
  })

  it('when their columns differ or they are in several folders then each is a separate table', async () => {
    await put({ 'in/a1.csv': 'a\n1\n', 'in/a2.csv': 'b\n1\n', 'in2/a1.csv': 'a\n1\n' })
    expect(
      (await fixture.tables({ sourceType: 'FILE', path: join(fixture.folder, 'in/a*.csv') })).map(({ name }) => name),
    ).toEqual(['a1.csv', 'a2.csv'])
    const deep = await fixture.tables({ sourceType: 'FILE', path: join(fixture.folder, 'in*/a1.csv') })
    expect(deep.map(({ path, name }) => [...path, name].join('/'))).toEqual(['in/a1.csv', 'in2/a1.csv'])
  })
})

describe('given a crawled file', () => {
  it('when it is unchanged then its types are reused', async () => {
    await put({ 'a.csv': 'a,b\n1,x\n' })
    const at = new Date('2026-03-04T05:06:07.000Z')
    await utimes(join(fixture.folder, 'a.csv'), at, at)
    const [table] = await fixture.tables({ sourceType: 'FILE', path: join(fixture.folder, 'a.csv') })
    expect(table).toMatchObject({
      path: [],
      name: 'a.csv',
      sizeBytes: 8,
      fileCount: 1,
      lastChangedAt: at.toISOString(),
    })
  })

  it('when it changed before the run then its types are inferred again', async () => {
    await put({ 'a.csv': 'a,b\n1,x\n' })
    const [table] = await fixture.tables({ sourceType: 'FILE', path: fixture.folder })
    if (table === undefined) throw new Error('not found')
    await put({ 'a.csv': 'a;c\n1;2\nlate;3\n' })
    const mounted = await fixture.mount(table)
    expect(mounted.columns).toEqual([
      { name: 'a', dataType: 'VARCHAR' },
      { name: 'c', dataType: 'BIGINT' },
    ])
  })

  it('when it was removed, truncated or replaced by a link before the run then the error says so', async () => {
    await putParquet('a.parquet', 'SELECT 1 AS id')
    await put({ 'b.csv': 'a\n1\n' })
    const [a, b] = await fixture.tables({ sourceType: 'FILE', path: fixture.folder })
    if (a === undefined || b === undefined) throw new Error('not found')
    await truncate(join(fixture.folder, 'a.parquet'), 20)
    await expect(fixture.mount(a)).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(/^a.parquet is not a complete Parquet/),
    })
    await rm(join(fixture.folder, 'a.parquet'))
    await expect(fixture.mount(a)).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(/^a.parquet no longer exists/),
    })
    await rm(join(fixture.folder, 'b.csv'))
    await symlink('/etc/hostname', join(fixture.folder, 'b.csv'))
    await expect(fixture.mount(b)).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(/^b.csv is a link that leads out/),
    })
  })

  it('when options say how CSV is read then they apply to the crawl and to the run', async () => {
    await writeFile(join(fixture.folder, 'a.csv'), Buffer.from("x#'gr\u00fc\u00dfe'\n1#NA\n2#'NA'\n", 'latin1'))
    const csv = { delimiter: '#', quote: "'", header: false, encoding: 'latin-1', nullValues: ['NA'] }
    const [table] = await fixture.tables({ sourceType: 'FILE', path: fixture.folder, csv })
    if (table === undefined) throw new Error('not found')
    expect(table.rowCount).toBe(3)
    expect(await fixture.cells(await fixture.mount(table))).toEqual([
      ['x', 'grüße'],
      ['1', null],
      ['2', 'NA'],
    ])
  })
})
