import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { figuresOf } from '@assay/reliability'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Discovered } from '../../../dataset.ts'
import type { Metric } from '../../../plan.ts'
import type { DataEngine } from '../../../port.ts'
import { rowsInto } from '../../../row-sink.ts'
import { createEngineInProcess } from '../../../testing/engine-in-process.ts'

type Table = Extract<Discovered, { kind: 'table' }>

/** Beyond 2^53, where doubles represent only even numbers; beyond 2^64; beyond 38 digits. */
const odd = '9007199254740993'
const wide = '123456789012345678901234567890'
const endless = `1${'0'.repeat(44)}1`

const rows = [
  `{"id":1,"n":${odd},"mixed":${odd},"half":${odd},"wide":${wide},"any":${odd},"in":{"half":${odd},"wide":${wide},"say \\"it\\"":${odd}},"deep":{"er":{"n":${odd}}},"list":[${odd},0.5],"many":[{"v":${odd}},{"v":0.5}],"endless":{"n":${endless}}}`,
  `{"id":2,"n":9007199254740992,"mixed":1,"half":0.5,"wide":1,"any":"a","in":{"half":0.5,"wide":2,"say \\"it\\"":0.5},"deep":{"er":{"n":0.25}},"list":[1],"many":[],"endless":{"n":1}}`,
  '{"id":3,"n":null,"in":null,"deep":{"er":null},"list":null}',
]

/** The expected values of the first row, with all digits. */
const expected = {
  n: odd,
  mixed: odd,
  half: `${odd}.0`,
  wide,
  any: odd,
  in: { half: `${odd}.0`, wide, 'say "it"': `${odd}.0` },
  deep: { er: { n: `${odd}.00` } },
  list: [`${odd}.0`, 0.5],
  many: [{ v: `${odd}.0` }, { v: 0.5 }],
  endless: { n: endless },
}

let folder: string
let engine: DataEngine
const signal = new AbortController().signal
const limits = { timeoutMs: 120_000, memoryMb: 256, threads: 1, maxTempMb: 256 }
const tables = new Map<string, Table>()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-large-'))
  const data = join(folder, 'data')
  await mkdir(data)
  await writeFile(join(data, 'lines.ndjson'), `${rows.join('\n')}\n`)
  await writeFile(join(data, 'list.json'), `[${rows.join(',')}]`)
  engine = createEngineInProcess({ tempRoot: join(folder, 'temp') })
  for await (const found of engine.discover({ sourceType: 'FILE', path: data }, { signal })) {
    if (found.kind === 'table') tables.set(found.name, found)
  }
})
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

function table(name: string): Table {
  const found = tables.get(name)
  if (found === undefined) throw new Error(`${name} was not found`)
  return found
}

describe.each(['lines.ndjson', 'list.json'])('whole numbers beyond 2^53 in %s', (name) => {
  it('when they are sampled then no digit is lost, also within structures and lists', async () => {
    const { rows: found } = await engine.sample({ dataset: table(name).locator, limit: 10 }, { signal })
    expect(found[0]).toMatchObject(expected)
    expect(found[2]).toMatchObject({ n: null, in: null, deep: { er: null }, list: null })
  })

  it.each(['JSON', 'PARQUET', 'CSV'] as const)(
    'when rows fail then verdicts and kept rows (%s) are exact',
    async (format) => {
      const below = (id: number, column: string): Metric => ({
        kind: 'rows',
        id,
        predicate: { kind: 'range', column, max: { kind: 'number', text: '9007199254740992' }, inclusive: true },
      })
      const outputFolder = await mkdtemp(join(folder, 'out-'))
      const columns = ['n', 'mixed', 'half', 'wide', 'any']
      const metrics: Metric[] = [
        ...columns.map((column, at) => below(at + 1, column)),
        { kind: 'aggregate', id: 10, fn: 'MAX', column: 'n' },
        { kind: 'aggregate', id: 11, fn: 'MAX', column: 'wide' },
        { kind: 'aggregate', id: 12, fn: 'SUM', column: 'n' },
        { kind: 'distinct', id: 13, column: 'n' },
      ]
      const measured = await engine.measure(
        {
          dataset: table(name).locator,
          metrics,
          rows: { bad: { format, limit: null }, good: null, preview: 100 },
        },
        { rows: rowsInto(outputFolder), limits, signal },
      )
      const failed = (at: number) => ({ id: at + 1, kind: 'rows', scanned: 3, failed: columns[at] === 'any' ? 2 : 1 })
      expect(measured.metrics).toEqual([
        ...columns.map((_, at) => failed(at)),
        { id: 10, kind: 'value', value: odd, scanned: 3 },
        { id: 11, kind: 'value', value: wide, scanned: 3 },
        { id: 12, kind: 'value', value: '18014398509481985', scanned: 3 },
        { id: 13, kind: 'rows', scanned: 2, failed: 0 },
      ])
      expect(measured.bad?.preview[0]?.values).toMatchObject(expected)
      if (format !== 'PARQUET') {
        const kept = await readFile(join(outputFolder, measured.bad?.files[0] ?? ''), 'utf8')
        for (const digits of [odd, wide, endless]) expect(kept).toContain(digits)
        expect(kept).not.toContain('9007199254740992.0')
      }
    },
  )

  it('when it is profiled then the least, greatest and most frequent values are exact', async () => {
    const { columns } = await engine.profile({ dataset: table(name).locator }, { limits, signal })
    const profile = (column: string) => columns.map(figuresOf).find((one) => one.name === column)
    expect(profile('n')).toMatchObject({ min: '9007199254740992', max: odd, distinct: 2, nulls: 1, error: null })
    expect(profile('wide')).toMatchObject({ min: 1, max: wide, distinct: 2, nulls: 1, error: null })
    expect(profile('wide')?.mostFrequent).toEqual([
      { value: 1, count: 1 },
      { value: wide, count: 1 },
    ])
    expect(profile('half')).toMatchObject({ min: 0.5, max: `${odd}.0` })
    expect(profile('in')?.mostFrequent.map(({ value }) => value)).toContainEqual(expect.stringContaining(odd))
  })
})

describe('fields whose names are special in a path', () => {
  it('given stars and brackets in them, then they are read, and the other fields keep all their digits', async () => {
    const path = join(folder, 'names.jsonl')
    await writeFile(path, `{"a":{"*":0.5,"[*]":0.5,"x.*y":0.5,"x[0]":${wide},"$":${wide}},"b":[{"*":{"n":0.5}}]}\n`)
    const found: Discovered[] = []
    for await (const one of engine.discover({ sourceType: 'FILE', path }, { signal })) found.push(one)
    expect(found.filter(({ kind }) => kind === 'failed')).toEqual([])
    const [table] = found.filter((one) => one.kind === 'table')
    if (table === undefined) throw new Error('no table was found')
    const { rows: sampled } = await engine.sample({ dataset: table.locator, limit: 1 }, { signal })
    const a = { '*': 0.5, '[*]': 0.5, 'x.*y': 0.5, 'x[0]': wide, $: wide }
    expect(sampled).toEqual([{ a, b: [{ '*': { n: 0.5 } }] }])
  })
})
