import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatasetLocator, TableLocator } from '../dataset.ts'
import type { Metric } from '../plan.ts'
import type { DataEngine } from '../port.ts'
import { rowsInto } from '../row-sink.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { expression, onlyTable, planFor, rows, written } from '../testing/plans.ts'

describe("users' SQL cannot reach anything outside of its data", () => {
  let folder: string
  let engine: DataEngine
  let dataset: DatasetLocator
  const { signal } = new AbortController()
  const secret = 'the-secret-of-another'

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'assay-lock-'))
    await mkdir(path.join(folder, 'data'))
    await mkdir(path.join(folder, 'others'))
    await writeFile(path.join(folder, 'others', 'secret.csv'), `a\n${secret}\n`)
    await writeFile(path.join(folder, 'data', 'mine.csv'), 'a,b\n1,x\n2,y\n')
    await symlink(path.join(folder, 'others', 'secret.csv'), path.join(folder, 'data', 'link.csv'))
    engine = createEngineInProcess({ threads: 2, tempRoot: path.join(folder, 'temp') })
    dataset = await onlyTable(engine, { sourceType: 'FILE', path: path.join(folder, 'data', 'mine.csv') })
  })
  afterAll(async () => {
    await engine.close()
    await rm(folder, { recursive: true, force: true })
  })

  const measure = async (metrics: Metric[]) => {
    const outputFolder = await mkdtemp(path.join(folder, 'out-'))
    const measured = await engine.measure(planFor(dataset, metrics), { rows: rowsInto(outputFolder), signal })
    return { measured, outputFolder }
  }

  it('given SQL that reads or changes anything else, then it fails and changes nothing', async () => {
    const outside = path.join(folder, 'others', 'secret.csv')
    const tables = [
      `read_text('/etc/passwd')`,
      `read_text('${outside}')`,
      `read_csv('${outside}')`,
      `'${outside}'`,
      `read_blob('${path.join(folder, 'data', '..', 'others', 'secret.csv')}')`,
      `read_text('${path.join(folder, 'data', 'link.csv')}')`,
      `glob('/etc/*')`,
      `sniff_csv('${outside}')`,
      `read_parquet('http://127.0.0.1:1/x.parquet')`,
      `duckdb_secrets()`,
    ]
    const statements = [
      ...tables.map((table) => `SELECT count(*) FROM ${table}`),
      `COPY (SELECT 1) TO '${path.join(folder, 'data', 'copied.csv')}'`,
      `SELECT 1) TO '${path.join(folder, 'data', 'copied.csv')}'; SELECT (1`,
      `ATTACH '${path.join(folder, 'data', 'new.db')}'`,
      `INSTALL httpfs`,
      `LOAD httpfs`,
      `SET threads = 8`,
      `RESET memory_limit`,
      `PRAGMA enable_profiling`,
      `PRAGMA database_list`,
      `EXPORT DATABASE '${path.join(folder, 'data', 'exported')}'`,
      `CREATE TABLE t AS SELECT 1`,
      `INSERT INTO assay_shape VALUES (1, 'x')`,
      `DROP TABLE assay_shape`,
      `CALL pragma_version()`,
      `CHECKPOINT`,
      `SELECT 1; SELECT 2`,
      `SELECT getenv('HOME')`,
      `SELECT count(*) FROM query('COPY (SELECT 1) TO ''${path.join(folder, 'data', 'copied.csv')}''')`,
      `SELECT $1`,
      `SELECT ?`,
      `/* never closed`,
    ]
    const expressions = [
      `1=1) OR (1=1`,
      `true) FROM asset; DROP TABLE assay_shape; --`,
      `true); COPY asset TO '${path.join(folder, 'data', 'copied.csv')}'; SELECT (true`,
      `EXISTS (SELECT 1 FROM read_text('/etc/passwd'))`,
      `count(*) > 0`,
      `row_number() OVER () > 0`,
      `random() > 0.5`,
      `a > 1, b = 'x'`,
      `'never closed`,
      `$tag$ never closed`,
      ``,
      `-- nothing but a comment`,
    ]
    const metrics = [
      ...statements.map((sql, index): Metric => ({ kind: 'select', id: 1000 + index, select: written(sql) })),
      ...expressions.map((sql, index) => expression(2000 + index, sql)),
      ...expressions.map((sql, index) => rows(3000 + index, { kind: 'missing', column: 'a', blankToo: false }, sql)),
      rows(1, { kind: 'missing', column: 'a', blankToo: false }),
    ]
    const { measured, outputFolder } = await measure(metrics)
    const answered = measured.metrics.filter((metric) => metric.kind !== 'error').map((metric) => metric.id)
    expect(answered).toEqual([1])
    expect(JSON.stringify(measured)).not.toContain(secret)
    expect(JSON.stringify(measured)).not.toContain('root:')
    expect(await readdir(path.join(folder, 'data'))).toEqual(['link.csv', 'mine.csv'])
    expect(await readdir(outputFolder)).toEqual([])
    expect(await readFile(path.join(folder, 'data', 'mine.csv'), 'utf8')).toBe('a,b\n1,x\n2,y\n')
  })

  it('given a DuckDB file, then other tables than the declared one cannot be read by any name', {
    timeout: 60_000,
  }, async () => {
    const file = path.join(folder, 'shop.duckdb')
    const instance = await DuckDBInstance.create(file)
    const connection = await instance.connect()
    await connection.run('CREATE TABLE mine AS SELECT 1 AS a')
    await connection.run(`CREATE TABLE secret AS SELECT '${secret}' AS ssn`)
    connection.closeSync()
    instance.closeSync()
    const tables: TableLocator[] = []
    for await (const found of engine.discover({ sourceType: 'DUCKDB', path: file }, { signal }))
      if (found.kind === 'table' && found.name === 'mine' && found.locator.kind !== 'query') tables.push(found.locator)
    const [mine] = tables
    if (mine === undefined) throw new Error('not found')
    const names = [
      'secret',
      'main.secret',
      'shop.main.secret',
      'assay_attached_3.main.secret',
      'Assay_Attached_3.MAIN.SECRET',
    ]
    const stolen = names.map((name) => `(SELECT string_agg(ssn, ',') FROM ${name})`)
    const filters = stolen.map((one) => `CAST(${one} AS BOOLEAN)`)
    for (const filter of filters)
      await expect(
        engine.sample({ dataset: mine, limit: 1, filter: written(filter) }, { signal }),
        filter,
      ).rejects.toMatchObject({ code: 'invalid', message: expect.not.stringContaining(secret) })
    const metrics: Metric[] = [
      ...filters.map((sql, index) => expression(100 + index, sql)),
      ...stolen.map(
        (sql, index): Metric => ({ kind: 'select', id: 200 + index, select: written(`SELECT length(${sql})`) }),
      ),
      ...stolen.map(
        (sql, index): Metric => ({
          kind: 'aggregate-expression',
          id: 300 + index,
          fn: 'MAX',
          expression: written(sql),
        }),
      ),
    ]
    const prepared = await engine.prepare({ dataset: mine, metrics }, { signal })
    expect(prepared.metricErrors.map(({ id }) => id)).toEqual(metrics.map(({ id }) => id))
    expect(JSON.stringify(prepared)).not.toContain(secret)
    const view: DatasetLocator = {
      kind: 'query',
      sql: 'SELECT * FROM SECRET',
      tables: [{ name: 'mine', dataset: mine }],
      columns: [],
      fingerprint: '',
    }
    await expect(engine.sample({ dataset: view, limit: 1 }, { signal })).rejects.toMatchObject({ code: 'invalid' })
  })

  it('given a comment at the end, then the expression works and the comment hides nothing else', async () => {
    const { measured } = await measure([
      expression(1, 'a > 1 -- only the second'),
      expression(2, 'a > 1 /* nested /* comment */ */'),
    ])
    expect(measured.metrics.map((metric) => metric.kind === 'rows' && metric.failed)).toEqual([1, 1])
  })

  it('given variables, then they are bound as values, and only outside of strings, names and comments', async () => {
    const nasty = `x' OR 1=1 --`
    const { measured } = await measure([
      expression(1, 'b = ${who}', { who: nasty }),
      expression(2, "b = '${who}'", { who: 'x' }),
      expression(3, 'b = ${who} -- ${nothing}', { who: 'x' }),
      expression(4, 'a = ${n} AND ${yes}', { n: 2, yes: true }),
      expression(5, 'CAST(a AS VARCHAR) = ${n:text}', { n: 2 }),
      expression(6, 'b = $$x$$'),
      expression(7, '${who} = ${who}', { who: nasty }),
      expression(8, 'a > ${toString}'),
    ])
    expect(measured.metrics.map((metric) => (metric.kind === 'rows' ? metric.failed : metric.kind))).toEqual([
      2,
      2,
      1,
      1,
      1,
      1,
      0,
      'error',
    ])
  })

  it('given the time in a condition, then all scans of one run use the same time', async () => {
    const keep = {
      bad: { format: 'PARQUET', limit: null },
      good: { format: 'PARQUET', limit: null },
      preview: 1,
    } as const
    const outputFolder = await mkdtemp(path.join(folder, 'out-'))
    const odd = expression(1, "epoch_us(now()) % 2 = 0 AND current_date > DATE '2020-01-01'")
    const measured = await engine.measure(planFor(dataset, [odd], { rows: keep }), {
      rows: rowsInto(outputFolder),
      signal,
    })
    expect((measured.bad?.count ?? 0) + (measured.good?.count ?? 0)).toBe(2)
  })

  it('given SQL about the engine, then neither values nor errors contain a host folder', async () => {
    const queries = [
      "SELECT CAST(current_setting('temp_directory') AS INTEGER)",
      "SELECT CAST(current_setting('allowed_paths') AS VARCHAR)::INTEGER",
      "SELECT CAST(value AS INTEGER) FROM duckdb_settings() WHERE name = 'temp_directory'",
      "SELECT CAST(setting AS INTEGER) FROM 'pg_settings' WHERE name = 'temp_directory'",
      'SELECT sum(CAST(path AS INTEGER)) FROM duckdb_databases',
      'SELECT CAST(current_query() AS INTEGER)',
    ]
    const written1 = (id: number, sql: string): Metric => ({
      kind: 'aggregate-expression',
      id,
      fn: 'MAX',
      expression: written(sql),
    })
    const { measured } = await measure([
      ...queries.map((sql, index): Metric => ({ kind: 'select', id: index + 1, select: written(sql) })),
      written1(11, "current_setting('temp_directory')"),
      written1(12, "CAST(current_setting('allowed_paths') AS VARCHAR)"),
      written1(13, 'current_query()'),
      written1(14, `error('look at ${folder}/data/mine.csv and ${folder}/temp/compiled')`),
    ])
    expect(measured.metrics.map((metric) => metric.kind)).toEqual(measured.metrics.map(() => 'error'))
    expect(JSON.stringify(measured.metrics)).not.toContain(folder)
  })

  it('given columns with names of functions, then filters and conditions can use them', async () => {
    await writeFile(path.join(folder, 'data', 'names.csv'), 'uuid,random,nextval\nx,1,2\ny,3,4\n')
    const named = await onlyTable(engine, { sourceType: 'FILE', path: path.join(folder, 'data', 'names.csv') })
    const plan = planFor(named, [expression(1, 'nextval > 2')], {
      filter: written("uuid IN ('x', 'y') AND random < 9"),
    })
    const measured = await engine.measure(plan, { rows: rowsInto(await mkdtemp(path.join(folder, 'out-'))), signal })
    await rm(path.join(folder, 'data', 'names.csv'))
    expect(measured.metrics).toEqual([{ id: 1, kind: 'rows', scanned: 2, failed: 1 }])
  })

  it('given the time of day in a condition, then the engine accepts the constant that replaces it', async () => {
    const { measured } = await measure([
      expression(1, "current_time >= TIMETZ '00:00:00+00' AND get_current_time() IS NOT NULL"),
      expression(
        2,
        "localtime >= TIME '00:00:00' AND current_localtime() = localtime AND localtimestamp > DATE '2020-01-01'",
      ),
    ])
    expect(measured.metrics.map((metric) => metric.kind === 'rows' && metric.failed)).toEqual([0, 0])
  })
})
