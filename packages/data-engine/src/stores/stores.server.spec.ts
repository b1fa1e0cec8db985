import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MinioServer, start, whyNot } from '../../../../tools/servers/minio.mjs'
import type { DatasetLocator, Discovered, StoreSource } from '../dataset.ts'
import type { DuckDbEngine } from '../duckdb/engine.ts'
import type { Window } from '../plan.ts'
import { noRows } from '../row-sink.ts'
import { textLiteral } from '../sql/quote.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { measuringFeatures } from '../testing/features.ts'
import { expression, planFor, resultOf, rows } from '../testing/plans.ts'
import { openBucket, reachStore, startRelay, type TestBucket } from './bucket.fixture.ts'

const reason = await whyNot()
if (reason !== undefined) process.stderr.write(`The suite of object stores as sources does not run. ${reason}\n`)

describe.skipIf(reason !== undefined)('given a real object store', () => {
  let server: MinioServer
  let bucket: TestBucket
  let folder: string
  let connection: DuckDBConnection
  let engine: DuckDbEngine
  const assemblies = new Map<number, StoreSource>()
  const { signal } = new AbortController()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-stores-'))
    connection = await (await DuckDBInstance.create(':memory:')).connect()
    server = await start()
    bucket = await openBucket(server)
    engine = createEngineInProcess({ threads: 2, storeOf: reachStore(assemblies) })
  }, 900_000)
  afterAll(async () => {
    await engine?.close()
    connection?.closeSync()
    bucket?.close()
    await rm(folder, { recursive: true, force: true })
    await server?.stop()
  })

  /** Puts the rows of a query as a Parquet object; returns its size. */
  async function putParquet(key: string, sql: string): Promise<number> {
    const file = join(folder, 'one.parquet')
    await connection.run(`COPY (${sql}) TO ${textLiteral(file)} (FORMAT parquet)`)
    return bucket.putFile(key, file)
  }

  async function crawl(source: StoreSource): Promise<Discovered[]> {
    const sourceId = assemblies.size + 1
    assemblies.set(sourceId, source)
    const found: Discovered[] = []
    for await (const one of engine.discover(source, { signal, sourceId })) found.push(one)
    return found
  }

  async function tableOf(source: StoreSource): Promise<DatasetLocator> {
    const table = (await crawl(source)).find((one) => one.kind === 'table')
    if (table === undefined) throw new Error('There is no table.')
    return table.locator
  }

  const measure = (dataset: DatasetLocator, metrics: Parameters<typeof planFor>[1]) =>
    engine.measure(planFor(dataset, metrics), { rows: noRows, signal })

  for (const format of ['csv', 'parquet'])
    measuringFeatures(`objects in ${format.toUpperCase()}`, async () => ({
      engine,
      keepsRows: true,
      async table(name, text, types) {
        const key = `${format}/${name}/${name}.${format}`
        if (format === 'csv') await bucket.put(key, text)
        else {
          const csv = join(folder, `${name}.csv`)
          await writeFile(csv, text)
          const typed = Object.entries(types).map(([column, type]) => `${textLiteral(column)}: ${textLiteral(type)}`)
          const options = `header = true, allow_quoted_nulls = false, columns = {${typed.join(', ')}}`
          await putParquet(key, `SELECT * FROM read_csv(${textLiteral(csv)}, ${options})`)
        }
        return tableOf(bucket.source({ prefix: `${format}/${name}` }))
      },
      drop: (name) => bucket.remove(`${format}/${name}/${name}.${format}`),
      stop: async () => undefined,
    }))

  it('given objects of all kinds, when they are crawled, then they are found as the files of a folder are', async () => {
    const text = 'id,name\n1,a\n2,b\n'
    const json = '{"id":1,"name":"a"}\n{"id":2,"name":"b"}\n'
    const at = (key: string) => `all/${key}`
    await bucket.put(at('a.csv'), text)
    await bucket.put(at('b.tsv.gz'), gzipSync(text.replaceAll(',', '\t')))
    await bucket.put(at('c.ndjson.zst'), zstdCompressSync(json))
    await bucket.put(
      at('d.json'),
      JSON.stringify([
        { id: 1, name: 'a' },
        { id: 2, name: 'b' },
      ]),
    )
    await bucket.put(at('folder with a space/e+é.csv.gz'), gzipSync(text))
    for (const year of [2025, 2026]) await putParquet(at(`parts/year=${year}/x.parquet`), "SELECT 1 AS id, 'a' AS name")
    await bucket.put(at('delta/_delta_log/0.json'), '{}')
    await bucket.put(at('delta/part.parquet'), 'x')
    await bucket.put(at('shop.sqlite'), 'x')
    await bucket.put(at('book.xlsx'), 'x')
    await bucket.put(at('broken.parquet'), 'This is no Parquet file.')
    await bucket.put('alley/other.csv', text)
    const found = await crawl(bucket.source({ prefix: '/all/' }))
    const tables = found.flatMap((one) =>
      one.kind === 'table'
        ? [[[...one.path, one.name].join('/'), one.rowCount, one.columns.map(({ name }) => name).join()]]
        : [],
    )
    expect(tables).toEqual([
      ['a.csv', 2, 'id,name'],
      ['b.tsv.gz', 2, 'id,name'],
      ['c.ndjson.zst', 2, 'id,name'],
      ['d.json', 2, 'id,name'],
      ['folder with a space/e+é.csv.gz', 2, 'id,name'],
      ['parts', 2, 'id,name,year'],
    ])
    expect(found.filter(({ kind }) => kind === 'failed')).toMatchObject([{ path: 'broken.parquet' }])
    const skipped = found.flatMap((one) => (one.kind === 'skipped' ? one.first : []))
    expect(skipped.map(({ path }) => path)).toEqual(['book.xlsx', 'delta', 'shop.sqlite'])
    expect(found.find((one) => one.kind === 'table')).toMatchObject({
      fileCount: 1,
      sizeBytes: text.length,
      lastChangedAt: expect.stringMatching(/^20/),
    })
    expect(JSON.stringify(found)).not.toContain(server.secretKey)
    for (const table of found) {
      if (table.kind !== 'table') continue
      const sample = await engine.sample({ dataset: table.locator, limit: 1 }, { signal })
      expect(sample.rows[0]).toMatchObject({ id: 1, name: 'a' })
    }
  })

  it('given a large Parquet object, when one column is measured, then little more than its bytes is transferred', async () => {
    const sql = `SELECT range AS id, range % 100 AS kind, hash(range) AS a, hash(range + 1) AS b, hash(range + 2) AS c,
      hash(range + 3) AS d FROM range(1000000)`
    const size = await putParquet('large/large.parquet', sql)
    const relay = await startRelay(server.port)
    try {
      const dataset = await tableOf(bucket.source({ prefix: 'large', endpoint: relay.url }))
      const crawled = relay.bytes()
      expect(crawled).toBeLessThan(100_000)
      const measured = await measure(dataset, [
        rows(1, { kind: 'range', column: 'kind', max: { kind: 'number', text: '98' }, inclusive: true }),
      ])
      expect(resultOf(measured, 1)).toMatchObject({ scanned: 1_000_000, failed: 10_000 })
      const transferred = relay.bytes() - crawled
      process.stderr.write(`One of six columns: ${transferred} of ${size} bytes transferred; the crawl: ${crawled}.\n`)
      expect(transferred / size).toBeLessThan(0.06)
      const before = relay.bytes()
      await engine.sample({ dataset, limit: 100 }, { signal })
      expect((relay.bytes() - before) / size).toBeLessThan(0.25)
    } finally {
      await relay.close()
    }
  })

  it('given partitions, when one is measured, then the objects of the others are not transferred', async () => {
    for (const day of [1, 2, 3, 4])
      await putParquet(`daily/day=${day}/a.parquet`, `SELECT hash(range + ${day}) AS noise FROM range(100000)`)
    const relay = await startRelay(server.port)
    try {
      const dataset = await tableOf(bucket.source({ prefix: 'daily', endpoint: relay.url }))
      const before = relay.bytes()
      const all = await measure(dataset, [expression(1, 'noise % 2 = 0')])
      const whole = relay.bytes() - before
      const window: Window = { kind: 'partition', values: [{ column: 'day', value: '3' }] }
      const one = await engine.measure(
        { ...planFor(dataset, [expression(1, 'noise % 2 = 0')]), window },
        { rows: noRows, signal },
      )
      expect([all.rowsScanned, one.rowsScanned]).toEqual([400_000, 100_000])
      expect((relay.bytes() - before - whole) / whole).toBeLessThan(0.35)
    } finally {
      await relay.close()
    }
  })

  it('given thousands of objects, when they are crawled, then all are listed, and a marker reads new ones only', async () => {
    const others = Array.from({ length: 3_000 }, (_, index) => `many/day=1/${index}.txt`)
    for (let first = 0; first < others.length; first += 200)
      await Promise.all(others.slice(first, first + 200).map((key) => bucket.put(key, 'x')))
    for (const day of [1, 2, 3]) await bucket.put(`many/day=${day}/a.csv`, `id\n${day}\n`)
    const source = bucket.source({ prefix: 'many' })
    expect(await engine.probe(source, { signal })).toMatchObject({ tables: 1, skipped: { total: 3_000 } })
    const dataset = await tableOf(source)
    const all = { kind: 'files', inclusive: false, follow: true } as const
    const first = await engine.profile({ dataset, window: all }, { signal })
    expect(first).toMatchObject({ rows: 3, partitions: { total: 3, scanned: 3 } })
    expect(await engine.lastChange({ dataset }, { signal })).toMatchObject({ files: 3, at: first.reached })
    await bucket.put('many/day=4/new.csv', 'id\n4\n')
    const next = await engine.profile({ dataset, window: { ...all, min: first.reached ?? '' } }, { signal })
    expect(next).toMatchObject({
      ...{ rows: 1, partitions: { total: 4, scanned: 1 } },
      files: { outside: first.files?.all },
    })
  })

  it.each(['csv', 'parquet'])(
    'given a changed %s object, when a run reads it, then the run ends with that reason',
    async (format) => {
      const key = `changing/${format}/a.${format}`
      const put = (rowCount: number) =>
        format === 'csv'
          ? bucket.put(key, `id\n${Array.from({ length: rowCount }, (_, id) => id).join('\n')}\n`)
          : putParquet(key, `SELECT range AS id, hash(range) AS noise FROM range(${rowCount})`)
      await put(100_000)
      const relay = await startRelay(server.port)
      try {
        const dataset = await tableOf(bucket.source({ prefix: `changing/${format}`, endpoint: relay.url }))
        let changed: Promise<unknown> | undefined
        const changing = engine.measure(planFor(dataset, [expression(1, 'id >= 0')]), {
          rows: noRows,
          signal,
          // The object is mounted by now. A small object could be read before another one is stored.
          onProgress: ({ stage }) => {
            if (stage !== 'MEASURING' || changed !== undefined) return
            changed = put(100_001)
            relay.hold(changed)
          },
        })
        await expect(changing).rejects.toMatchObject({
          code: 'unprocessable',
          message: `a.${format} changed while it was being read: run it again.`,
        })
        await changed
        expect((await measure(dataset, [expression(1, 'id >= 0')])).rowsScanned).toBe(100_001)
      } finally {
        await relay.close()
      }
    },
  )

  it('given a source that cannot be opened, when it is checked, then a sentence says why', async () => {
    const wrong: [{ [setting: string]: unknown }, RegExp][] = [
      [{ bucket: 'no-such-bucket' }, /no bucket "no-such-bucket"/],
      [{ accessKeyId: 'nobody' }, /does not know the access key "nobody"/],
      [{ secretAccessKey: 'wrong-secret' }, /refused the secret/],
      [{ endpoint: 'http://127.0.0.1:1' }, /Nothing listens at 127.0.0.1:1/],
      [{ endpoint: server.url.replace('http:', 'https:') }, /TLS was refused/],
      [{ prefix: 'nothing/here' }, /has no objects in the bucket/],
    ]
    for (const [settings, sentence] of wrong)
      await expect(engine.probe(bucket.source(settings), { signal })).rejects.toMatchObject({
        code: 'unprocessable',
        message: expect.stringMatching(sentence),
      })
  })
})
