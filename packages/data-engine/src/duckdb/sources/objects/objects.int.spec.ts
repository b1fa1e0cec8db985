import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { textLiteral } from '../../../sql/quote.ts'
import { createCopies } from '../files/copies.ts'
import { rowsOf } from '../sql.ts'
import { createRunObjects } from './objects.ts'
import type { ByteRange } from './store.ts'

const rows = 400_000
const sql = `SELECT range AS id, range % 7 AS kind, 'text ' || range % 1000 AS "a, ""b""",
  {city: 'c' || range % 50, zip: range} AS address, hash(range) AS noise FROM range(${rows})`

describe('a Parquet object of which only parts are fetched', () => {
  let folder: string
  let object: string
  let size: number
  let connection: DuckDBConnection
  let fetched: number
  let relation: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-objects-'))
    object = join(folder, 'object.parquet')
    connection = await (await DuckDBInstance.create(':memory:')).connect()
    await connection.run(`COPY (${sql}) TO ${textLiteral(object)} (FORMAT parquet)`)
    size = (await stat(object)).size
    connection.closeSync()
  })
  afterAll(() => rm(folder, { recursive: true }))

  async function* read({ from, to }: ByteRange = { from: 0, to: size }) {
    const handle = await open(object)
    try {
      fetched += to - from
      const { buffer } = await handle.read(Buffer.alloc(to - from), 0, to - from, from)
      yield buffer
    } finally {
      await handle.close()
    }
  }

  async function opened(isLook = false, maxTempMb = 1000): Promise<void> {
    fetched = 0
    connection = await (await DuckDBInstance.create(':memory:')).connect()
    await connection.run('SET parquet_metadata_cache = true')
    const copies = createCopies(await mkdtemp(join(folder, 'run-')), maxTempMb)
    const objects = createRunObjects(connection, { copies, signal: new AbortController().signal, isLook })
    const file = {
      relative: 'a/object.parquet',
      path: 's3://b/a/object.parquet',
      format: 'PARQUET',
      mtimeMs: 1e12,
    } as const
    relation = `read_parquet([${textLiteral(await objects.placed({ ...file, size }, read))}])`
  }
  beforeEach(() => opened())

  const answerOf = async (text: string) => (await rowsOf(connection, text.replaceAll('FOUND', relation)))[0]
  const expected = async (text: string) =>
    (await rowsOf(connection, text.replaceAll('FOUND', `read_parquet([${textLiteral(object)}])`)))[0]

  it('given no statement that reads rows, then only the footer is fetched', async () => {
    expect(await answerOf('SELECT count(*) AS n FROM FOUND')).toEqual({ n: BigInt(rows) })
    expect(await answerOf('DESCRIBE SELECT * FROM FOUND')).toMatchObject({ column_name: 'id' })
    expect(fetched).toBeLessThan(40_000)
  })

  it.each([
    ['one column', 'SELECT sum(kind) AS n FROM FOUND', 0.1],
    ['a column in a condition only', 'SELECT count(*) AS n FROM FOUND WHERE kind = 3', 0.1],
    ['a name that needs quotation marks', 'SELECT count(DISTINCT "a, ""b""") AS n FROM FOUND', 1],
    ['a field', "SELECT count(*) AS n FROM FOUND WHERE address.city = 'c7'", 0.45],
    ['the first rows by another column', 'SELECT * FROM FOUND ORDER BY noise, id LIMIT 3', 1],
    ['a view', 'WITH v AS (SELECT * FROM FOUND) SELECT max(kind) AS n FROM v WHERE kind < 3', 0.1],
    ['whole rows', 'SELECT count(DISTINCT found) AS n FROM FOUND AS found WHERE id < 5', 1],
  ])(
    'given a statement with %s, then its answer is right and no more than its columns are fetched',
    async (_, text, part) => {
      expect(await answerOf(text)).toEqual(await expected(text))
      expect(fetched / size).toBeLessThan(part + 0.02)
    },
  )

  it('given several statements, then no byte is fetched twice', async () => {
    await answerOf('SELECT sum(kind) AS n FROM FOUND')
    const first = fetched
    await answerOf('SELECT max(kind) AS n FROM FOUND WHERE kind > 1')
    expect(fetched).toBe(first)
    await answerOf('SELECT * FROM FOUND ORDER BY noise LIMIT 1')
    expect(fetched).toBeLessThan(size * 1.01)
  })

  it('given a read of a sample, then the first row group is fetched, and the others only if it does not suffice', async () => {
    await opened(true)
    expect(await answerOf('SELECT id, noise FROM FOUND LIMIT 5')).toEqual(
      await expected('SELECT id, noise FROM FOUND LIMIT 5'),
    )
    expect(fetched / size).toBeLessThan(0.35)
    const late = `SELECT id, noise FROM FOUND WHERE id = ${rows - 1} LIMIT 5`
    expect(await answerOf(late)).toEqual(await expected(late))
  })

  it('given a condition on partition folders, then only the files of these partitions are fetched', async () => {
    fetched = 0
    connection = await (await DuckDBInstance.create(':memory:')).connect()
    const copies = createCopies(await mkdtemp(join(folder, 'run-')), 1000)
    const objects = createRunObjects(connection, { copies, signal: new AbortController().signal, isLook: false })
    const paths: string[] = []
    for (const year of [2024, 2025, 2026, '__HIVE_DEFAULT_PARTITION__']) {
      const relative = `year=${year}/object.parquet`
      const file = { relative, path: `s3://b/${relative}`, format: 'PARQUET', mtimeMs: 1e12, size } as const
      paths.push(textLiteral(await objects.placed(file, read)))
    }
    objects.partitioned([{ name: 'year', dataType: 'BIGINT' }])
    const footers = fetched
    const found = `read_parquet([${paths.join(', ')}], hive_partitioning = true, hive_types = {year: BIGINT})`
    const [row] = await rowsOf(connection, `SELECT count(noise) AS n FROM ${found} WHERE year = 2025 AND noise >= 0`)
    expect(row).toEqual({ n: BigInt(rows) })
    const one = fetched - footers
    await rowsOf(connection, `SELECT count(noise) AS n FROM ${found}`)
    expect(fetched - footers).toBe(4 * one)
  })

  it('given less temporary space than its columns need, then the run is too large', async () => {
    await opened(false, 1)
    await expect(answerOf('SELECT sum(noise) AS n FROM FOUND')).rejects.toMatchObject({ code: 'too-large' })
  })
})
