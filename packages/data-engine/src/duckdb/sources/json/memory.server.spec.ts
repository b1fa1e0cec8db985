import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Discovered } from '../../../dataset.ts'
import type { Metric } from '../../../plan.ts'
import { noRows } from '../../../row-sink.ts'
import { planFor, written } from '../../../testing/plans.ts'
import { createDuckDbEngine, type DuckDbEngine } from '../../engine.ts'

let folder: string
let engine: DuckDbEngine
const { signal } = new AbortController()
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-json-'))
  engine = createDuckDbEngine({ memoryMb: 512, threads: 2, clock: Date })
})
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

/** Crawls a path that has one table. */
async function crawled(name: string): Promise<Extract<Discovered, { kind: 'table' }>> {
  for await (const found of engine.discover({ sourceType: 'FILE', path: join(folder, name) }, { signal })) {
    if (found.kind === 'failed') throw new Error(found.message)
    if (found.kind === 'table') return found
  }
  throw new Error('The source has no table.')
}

const typesOf = ({ columns }: { columns: { name: string; dataType: string }[] }) =>
  Object.fromEntries(columns.map(({ name, dataType }) => [name, dataType]))

/** Writes one file for each record, in partitions of `n`. */
async function writePartitions(
  name: string,
  ending: string,
  records: object[],
  pack = (text: string) => Buffer.from(text),
) {
  for (const [n, record] of records.entries()) {
    const partition = join(folder, name, `n=${n}`)
    await mkdir(partition, { recursive: true })
    await writeFile(join(partition, `a${ending}`), pack(`${JSON.stringify(record)}\n`))
  }
}

describe('given the default memory', () => {
  it('when a table of 400 files with equal types is crawled, measured and profiled, then each succeeds', async () => {
    const records = Array.from({ length: 400 }, (_, id) => ({ id, name: `x${id}`, at: '2026-01-01' }))
    await writePartitions('equal', '.ndjson', records)
    const table = await crawled('equal')
    expect(table).toMatchObject({ fileCount: 400, rowCount: 400 })
    expect(typesOf(table)).toEqual({ id: 'BIGINT', name: 'VARCHAR', at: 'DATE', n: 'BIGINT' })
    const [measured, profiled] = await Promise.all([
      engine.measure(planFor(table.locator, []), { rows: noRows, signal }),
      engine.profile({ dataset: table.locator, columns: ['id'] }, { signal }),
    ])
    expect([measured.rowsScanned, profiled.rows]).toEqual([400, 400])
  })

  it.each([
    ['.ndjson.gz', gzipSync],
    ['.json.zst', zstdCompressSync],
  ] as const)('when 60 files of %s have different types, then they are those of one file', async (ending, pack) => {
    const records = Array.from({ length: 60 }, (_, id) => ({
      id: id === 59 ? 1.5 : id,
      rare: id === 30 ? 'x' : null,
      mixed: id < 30 ? 1 : { a: 1 },
      large: id === 40 ? 1 : 0.1,
      nested: { on: id === 20 ? 'never' : '2026-01-01', ...(id === 50 ? { late: [1] } : {}) },
      ...(id === 10 ? { late: true } : {}),
    }))
    await writePartitions(`different${ending}`, ending, records, pack)
    await writeFile(join(folder, `one${ending}`), pack(records.map((one) => JSON.stringify(one)).join('\n')))
    const { n, ...types } = typesOf(await crawled(`different${ending}`))
    expect(types).toEqual(typesOf(await crawled(`one${ending}`)))
    expect(types).toMatchObject({ id: 'DOUBLE', rare: 'VARCHAR', mixed: 'JSON', late: 'BOOLEAN' })
  })

  it('when files of different types have 180 values of 1 MB, then the common type is found', async () => {
    const text = 'x'.repeat(1_000_000)
    const records = Array.from({ length: 9 }, (_, n) => ({ id: n === 4 ? 'x' : n, text }))
    await writePartitions('large', '.ndjson', records, (line) => Buffer.from(line.repeat(20)))
    expect(typesOf(await crawled('large'))).toMatchObject({ id: 'VARCHAR', text: 'VARCHAR' })
  })

  it('when a large file of small values is crawled and measured, then both succeed', async () => {
    const lines = Array.from({ length: 16_000 }, () => `{"a":"${randomBytes(750).toString('base64')}"}`)
    const text = lines.join(',\n')
    const files = { 'lines.ndjson.gz': text.replaceAll(',\n', '\n'), 'list.json.gz': `[${text}]` }
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(folder, name), gzipSync(content, { level: 1 }))
      const table = await crawled(name)
      const measured = await engine.measure(planFor(table.locator, []), { rows: noRows, signal })
      expect([table.rowCount, measured.rowsScanned]).toEqual([16_000, 16_000])
    }
  })

  it('when a value needs more than the usual buffer, then it is read at the crawl and at a run', async () => {
    await writeFile(join(folder, 'value.json'), `{"a":[${'123456789012,'.repeat(2_800_000)}0]}`)
    const table = await crawled('value.json')
    const metric: Metric = { kind: 'aggregate-expression', id: 1, fn: 'MAX', expression: written('length(a)') }
    const measured = await engine.measure(planFor(table.locator, [metric]), { rows: noRows, signal })
    expect(measured.metrics).toMatchObject([{ value: '2800001' }])
  })
})
