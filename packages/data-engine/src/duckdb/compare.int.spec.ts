import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ComparedPair, ComparePlan } from '../compare.ts'
import type { DatasetLocator } from '../dataset.ts'
import { noRows, rowsInto } from '../row-sink.ts'
import { textLiteral } from '../sql/quote.ts'
import { comparingFeatures } from '../testing/compare-features.ts'
import { comparingInDuckDb } from '../testing/comparing-in-duckdb.ts'
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

comparingFeatures('DuckDB', comparingInDuckDb)

const pair = (name: string, isKey = false): ComparedPair => ({ left: name, right: name, isKey })

describe('a comparison in DuckDB', () => {
  it.each(['CSV', 'JSON'] as const)(
    'given many differing rows, when stored as %s, then they and the first ones are sorted by key',
    async (format) => {
      const engine = createEngineInProcess({ memoryMb: 300, threads: 2 })
      // More than one row group of the stored rows.
      const rows = 70_000
      const table = async (name: string, count: number) => {
        const file = join(folder, `${name}.parquet`)
        await connection.run(
          `COPY (SELECT ${rows} - i AS id FROM range(${count}) AS t(i)) TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE 10000)`,
        )
        return { dataset: await locatorOf(file) }
      }
      const { differing } = await engine.compare(
        {
          ...{ left: await table('sorted_left', rows), right: await table('sorted_right', 0) },
          columns: [{ left: 'id', right: 'id', isKey: true }],
          rows: { format, limit: rows, preview: 100, itemIds: [] },
        },
        { rows: rowsInto(folder), signal: new AbortController().signal },
      )
      const firstIds = differing?.preview.map((row) => row.left?.id)
      expect(firstIds).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
      const stored = `read_${format.toLowerCase()}(${textLiteral(join(folder, differing?.files[0] ?? ''))})`
      const moved = `SELECT count(*) FROM (SELECT row_number() OVER () AS position, left_id FROM ${stored}) WHERE left_id <> position`
      expect((await connection.runAndReadAll(moved)).getRows()).toEqual([[0n]])
      await engine.close()
    },
  )

  it('given more rows that agree than the limit, when compared, then the same rows are stored each time, as many as the limit', async () => {
    const engine = createEngineInProcess({ memoryMb: 300, threads: 2 })
    const table = async (name: string, value: string) => {
      const file = join(folder, `${name}.parquet`)
      await connection.run(
        `COPY (SELECT i AS id, ${value} AS n FROM range(5000) AS t(i)) TO '${file}' (FORMAT parquet)`,
      )
      return { dataset: await locatorOf(file) }
    }
    const plan: ComparePlan = {
      ...{ left: await table('agreeing_left', 'i'), right: await table('agreeing_right', 'i // 2 * 2') },
      columns: [pair('id', true), { ...pair('n'), tolerance: { absolute: '0.5' } }],
      rows: null,
      agreeing: { format: 'JSON', limit: 1000, preview: 100 },
    }
    const stored = async (more: Partial<ComparePlan> = {}) => {
      const options = { rows: async () => undefined, signal: new AbortController().signal }
      const { agreeing, equal } = await engine.compare({ ...plan, ...more }, options)
      expect(agreeing).toMatchObject({ count: equal, stored: 1000 })
      return agreeing?.preview.map(({ left }) => left.id)
    }
    const first = await stored()
    expect(first).toHaveLength(100)
    expect(await stored()).toEqual(first)
    expect(first).toEqual(first?.toSorted((one, other) => Number(one) - Number(other)))
    await stored({ right: plan.left })
    await engine.close()
  })

  it('given large Parquet files with few differences, when compared, then each is found, of repeated keys and several files too', async () => {
    const engine = createEngineInProcess({ memoryMb: 300, threads: 2 })
    // The names are those that the comparison itself uses.
    const base = 'SELECT i % 20000 AS k, CAST(i AS DECIMAL(38,2)) AS p, i // 20000 AS b FROM range(20100) AS t(i)'
    const left = `FROM (${base}) WHERE k <> 17000`
    const right = `SELECT k, CASE WHEN k = 4000 THEN p - 1 WHEN k = 9 AND b = 1 THEN -p ELSE p END AS p, b FROM (${base}) WHERE k <> 12000`
    const write = async (name: string, query: string, order: string) => {
      await connection.run(
        `COPY (${query} ORDER BY ${order}) TO '${join(folder, name)}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
      )
    }
    await write('few_left.parquet', left, 'p')
    await mkdir(join(folder, 'few_right'))
    await write('few_right/a.parquet', `${right} AND k % 2 = 0`, 'p DESC')
    await write('few_right/b.parquet', `${right} AND k % 2 = 1`, 'p')
    const [key, ...values] = [pair('k', true), pair('p'), pair('b')] as const
    const sides = {
      left: { dataset: await locatorOf(join(folder, 'few_left.parquet')) },
      right: { dataset: await locatorOf(join(folder, 'few_right/*.parquet')) },
    }
    const compare = (columns: ComparePlan['columns']) =>
      engine.compare({ ...sides, columns, rows: null }, { rows: noRows, signal: new AbortController().signal })
    const { left: ofLeft, right: ofRight, ...found } = await compare([key, ...values])
    expect(found).toMatchObject({ equal: 20_096, changed: 1, onlyLeft: 2, onlyRight: 2 })
    expect([ofLeft.duplicateKeys, ofRight.duplicateKeys]).toEqual([100, 100])
    // Without a key, a row that changed is on one side only.
    const multiset = await compare([pair('k'), ...values])
    expect(multiset).toMatchObject({ equal: 20_096, changed: 0, onlyLeft: 3, onlyRight: 3 })
    await engine.close()
  })

  describe('given a copy of a Parquet file', () => {
    const rows =
      'SELECT i AS k, NULLIF(i % 7, 0) AS g, chr(97 + (i % 26)::INTEGER) AS t, CAST(make_timestamp_ms(i) AS TIMESTAMP_MS) AS m FROM range(8192) AS r(i)'
    const copies: { title: string; left?: string; right: string; columns?: ComparePlan['columns']; isFolder?: true }[] =
      [
        { title: 'whose rows are the same', right: rows },
        {
          title: 'with a changed row',
          right: `SELECT * REPLACE (CASE WHEN k = 5000 THEN 'changed' ELSE t END AS t) FROM (${rows})`,
        },
        {
          title: 'in several files with changed rows',
          right: `SELECT * REPLACE (CASE WHEN k IN (5000, 8000) THEN 'changed' ELSE t END AS t) FROM (${rows})`,
          isFolder: true,
        },
        { title: 'with more rows', right: `${rows} UNION ALL SELECT -i, 1, 'new', NULL FROM range(1, 4) AS r(i)` },
        { title: 'with a key of the same rows once more', right: `${rows} UNION ALL SELECT 3, 3, 'd', NULL` },
        {
          title: 'with a changed key that the same rows have',
          right: `SELECT * REPLACE (CASE WHEN k = 8000 THEN 7 ELSE k END AS k) FROM (${rows})`,
        },
        {
          title: 'without a key',
          right: `${rows} UNION ALL SELECT 3, 3, 'd', NULL`,
          columns: [pair('k'), pair('g'), pair('t'), pair('m')],
        },
        {
          title: 'with a key of few values and NULLs',
          right: `SELECT * REPLACE (CASE WHEN k = 8000 THEN NULL ELSE g END AS g) FROM (${rows})`,
          columns: [pair('g', true), pair('k')],
        },
        {
          title: 'with a key of texts',
          left: `SELECT * REPLACE ('x' || k AS t) FROM (${rows})`,
          right: `SELECT * REPLACE ('x' || k AS t, CASE WHEN k = 9 THEN -1 ELSE k END AS k) FROM (${rows})`,
          columns: [pair('t', true), pair('k')],
        },
        {
          title: 'whose times are moved',
          right: rows,
          columns: [pair('k', true), { ...pair('m'), leftOffsetSeconds: 1 }],
        },
        {
          title: 'whose times have another unit',
          right: `SELECT * REPLACE (make_timestamp(k) AS m) FROM (${rows})`,
        },
      ]
    it.each(copies)('$title, when compared, then the figures are those of a file in another order', async (copy) => {
      const { left = rows, right, columns = [pair('k', true), pair('g'), pair('t'), pair('m')] } = copy
      const engine = createEngineInProcess({ memoryMb: 300, threads: 2 })
      const write = async (name: string, query: string, size: number, order = '') => {
        const path = join(folder, name)
        const store = (file: string, part: string) =>
          connection.run(`COPY (${part}${order}) TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE ${size})`)
        if (copy.isFolder === undefined) {
          await store(`${path}.parquet`, query)
          return { dataset: await locatorOf(`${path}.parquet`) }
        }
        await mkdir(path)
        for (const half of [0, 1])
          await store(join(path, `${half}.parquet`), `FROM (${query}) WHERE k // 4096 = ${half}`)
        return { dataset: await locatorOf(join(path, '*.parquet')) }
      }
      const original = await write('original', left, 2048)
      const compare = async (other: ComparePlan['right']) => {
        const { elapsedMs: _, ...figures } = await engine.compare(
          { left: original, right: other, columns, rows: null },
          { rows: noRows, signal: new AbortController().signal },
        )
        return figures
      }
      const figures = await compare(await write('copy', right, 2048))
      const others = await compare(await write('shuffled', `FROM (${right})`, 5000, ' ORDER BY hash(k)'))
      expect(figures).toEqual(others)
      await engine.close()
    })
  })

  it('given a Parquet file whose names differ only in case, when compared, then the values of the right column are', async () => {
    const engine = createEngineInProcess({ memoryMb: 300, threads: 2 })
    const write = async (name: string, value: string) => {
      const file = join(folder, name)
      await connection.run(
        `COPY (SELECT i AS id, 'x' AS "NAME", ${value} AS "nam~", 'y' AS name_1 FROM range(100) AS t(i)) TO '${file}' (FORMAT parquet)`,
      )
      // No writer at hand accepts such names. The engine calls the second column `name_1`.
      await writeFile(file, Buffer.from((await readFile(file, 'latin1')).replaceAll('nam~', 'name'), 'latin1'))
      return { dataset: await locatorOf(file) }
    }
    const sides = { left: await write('cased_left.parquet', "'a'"), right: await write('cased_right.parquet', "'b'") }
    const plan = { ...sides, columns: [pair('id', true), pair('name_1')] as const, rows: null }
    const { changed } = await engine.compare(plan, { rows: noRows, signal: new AbortController().signal })
    expect(changed).toBe(100)
    await engine.close()
  })

  it('given a column whose collation ignores case, when compared, then texts that differ in case are not equal', async () => {
    const file = join(folder, 'collated.duckdb')
    await connection.run(`ATTACH '${file}' AS collated`)
    await connection.run('CREATE TABLE collated.people (id BIGINT, name VARCHAR COLLATE NOCASE)')
    await connection.run("INSERT INTO collated.people VALUES (1, 'ann'), (2, 'Bob'), (3, 'B'), (4, 'cid')")
    await connection.run('DETACH collated')
    const right = join(folder, 'plain.parquet')
    await connection.run(
      `COPY (SELECT * FROM (VALUES (1, 'Ann'), (2, 'Bob'), (3, 'a'), (4, 'C')) AS t(id, name)) TO '${right}' (FORMAT parquet)`,
    )
    const sides = { left: { dataset: await locatorOf(file) }, right: { dataset: await locatorOf(right) }, rows: null }
    const engine = createEngineInProcess()
    const counts = async (columns: ComparePlan['columns']) => {
      const options = { rows: noRows, signal: new AbortController().signal }
      const { equal, changed, onlyLeft } = await engine.compare({ ...sides, columns }, options)
      return { equal, changed, onlyLeft }
    }
    const [id, name] = [pair('id', true), pair('name')]
    expect(await counts([id, name])).toEqual({ equal: 1, changed: 3, onlyLeft: 0 })
    expect(await counts([pair('name', true)])).toEqual({ equal: 1, changed: 0, onlyLeft: 3 })
    // By code points, capital letters come first.
    expect(await counts([id, { ...name, operation: 'GTE' }])).toEqual({ equal: 3, changed: 1, onlyLeft: 0 })
    await engine.close()
  })

  it('given more differing or agreeing rows than fit into memory, when compared, then all are found', {
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
    const same = await engine.compare(
      {
        ...{ left: { dataset: left }, right: { dataset: await table('large_copy', 'i') } },
        ...{ columns: [pair('id', true), pair('name'), pair('n')], rows: null },
        agreeing: { format: 'PARQUET', limit: null, preview: 1 },
      },
      { rows: async () => undefined, limits: { ...limits, memoryMb: 300 }, signal },
    )
    expect(same.agreeing).toMatchObject({ count: rows, stored: rows, preview: [{ left: { id: 0 }, right: { n: 0 } }] })
    await engine.close()
  })

  it('given a tolerance, when more rows agree than are to be stored, then only as many are written', async () => {
    const engine = createEngineInProcess({ threads: 2 })
    const file = join(folder, 'agreeing.parquet')
    await connection.run(`COPY (SELECT i AS id, i * 2 AS n FROM range(400000) AS t(i)) TO '${file}' (FORMAT parquet)`)
    const dataset = await locatorOf(file)
    const written: unknown[] = []
    const { runAndReadAll } = DuckDBConnection.prototype
    const spied = vi.spyOn(DuckDBConnection.prototype, 'runAndReadAll').mockImplementation(async function (
      this: DuckDBConnection,
      ...call: Parameters<typeof runAndReadAll>
    ) {
      const reader = await runAndReadAll.apply(this, call)
      if (/(TABLE|INTO) assay_agreements/.test(call[0])) written.push(Number(reader.getRows()[0]?.[0]))
      return reader
    })
    const { agreeing } = await engine.compare(
      {
        ...{ left: { dataset }, right: { dataset }, rows: null },
        columns: [pair('id', true), { ...pair('n'), tolerance: { absolute: '1' } }],
        agreeing: { format: 'PARQUET', limit: 1000, preview: 1 },
      },
      {
        rows: async () => undefined,
        limits: { timeoutMs: 120_000, memoryMb: 80, threads: 1, maxTempMb: 4000 },
        signal: new AbortController().signal,
      },
    )
    spied.mockRestore()
    expect(agreeing).toMatchObject({ count: 400_000, stored: 1000 })
    expect(written).toEqual([1000])
    await engine.close()
  })
})
