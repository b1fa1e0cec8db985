import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ItemRecord } from '@assay/contracts'
import { type DataEngine, type Discovered, type MetricResult, rowsInto, type Source } from '@assay/data-engine'
import { createEngineInProcess } from '@assay/data-engine/testing'
import { planItem, type References } from '@assay/reliability'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itemFixture } from '../testing/fixtures.ts'

/** A value in the counts of this spec: null, or its text. */
type Value = string | null

/** The values in text sources. Typed sources add their own below. */
const texts: readonly Value[] = [
  '12',
  ' 7',
  '7 ',
  '7',
  'abc',
  '',
  '   ',
  null,
  null,
  '1e3',
  '١٢',
  '１２',
  '-5.5',
  '-5.50',
  '+8',
  '007',
  '0.1',
  '.5',
  '5.',
  '20.0000000000000000001',
  '9007199254740993',
  '9007199254740992',
  'NaN',
  'inf',
  '-inf',
  'infinity',
  'epoch',
  '0x1F',
  '1,5',
  '--1',
  '\u00a07',
  '2026-01-02',
  '2026-02-30',
  'true',
  'O\'Neil "x"',
  '12',
]

interface Dirty {
  name: string
  /** The values as text, in no order. */
  values: Value[]
  source: (folder: string) => Source
  write(folder: string): Promise<void>
}

/** INTEGER, REAL, TEXT, BLOB and NULL in one column without a type: in SQLite, values have types. */
const stored: readonly [value: string | number | bigint | Uint8Array | null, text: Value][] = [
  ...texts.map((text): [string | null, Value] => [text, text]),
  [12n, '12'],
  [7n, '7'],
  [-5.5, '-5.5'],
  [8.5, '8.5'],
  [0.1 + 0.2, '0.30000000000000004'],
  [9_007_199_254_740_993n, '9007199254740993'],
  [new Uint8Array([7]), "X'07'"],
  [new Uint8Array([0x31, 0x32]), "X'3132'"],
]

/** JSON has both numbers and text. */
const written: readonly [json: string, text: Value][] = [
  ...texts.map((text): [string, Value] => [JSON.stringify(text), text]),
  ['12', '12'],
  ['-5.5', '-5.5'],
  ['9007199254740993', '9007199254740993'],
  ['true', 'true'],
  ['null', null],
]

const dirty: readonly Dirty[] = [
  {
    name: 'SQLite',
    values: stored.map(([, text]) => text),
    source: (folder) => ({ sourceType: 'SQLITE', path: join(folder, 'dirty.db') }),
    write: async (folder) => {
      const database = new DatabaseSync(join(folder, 'dirty.db'))
      database.exec('CREATE TABLE dirty (id INTEGER, v)')
      const insert = database.prepare('INSERT INTO dirty VALUES (?, ?)')
      stored.forEach(([value], id) => {
        insert.run(id, value)
      })
      database.close()
    },
  },
  {
    name: 'CSV',
    values: [...texts],
    source: (folder) => ({ sourceType: 'FILE', path: join(folder, 'dirty.csv') }),
    write: (folder) => {
      const field = (value: Value) => (value === null ? '' : `"${value.replaceAll('"', '""')}"`)
      return writeFile(
        join(folder, 'dirty.csv'),
        ['id,v', ...texts.map((value, id) => `${id},${field(value)}`), ''].join('\n'),
      )
    },
  },
  {
    name: 'JSON',
    values: written.map(([, text]) => text),
    source: (folder) => ({ sourceType: 'FILE', path: join(folder, 'dirty.ndjson') }),
    write: (folder) =>
      writeFile(join(folder, 'dirty.ndjson'), written.map(([json], id) => `{"id":${id},"v":${json}}`).join('\n')),
  },
]

/** A number as a fraction, or an infinity; undefined for anything else. Written independently of the engine. */
function numberOf(value: string): { top: bigint; bottom: bigint } | 'inf' | '-inf' | undefined {
  const plain = value.replace(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g, '')
  if (/^[+]?inf(inity)?$/i.test(plain)) return 'inf'
  if (/^-inf(inity)?$/i.test(plain)) return '-inf'
  const parts = /^([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?$/.exec(plain)
  if (parts === null || `${parts[2]}${parts[3]}` === '') return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`)
  const shift = Number(exponent) - fraction.length
  return shift >= 0
    ? { top: digits * 10n ** BigInt(shift), bottom: 1n }
    : { top: digits, bottom: 10n ** BigInt(-shift) }
}

function order(value: string, bound: string): number | undefined {
  const [left, right] = [numberOf(value), numberOf(bound)]
  if (left === undefined || typeof right !== 'object') return undefined
  if (left === 'inf') return 1
  if (left === '-inf') return -1
  const difference = left.top * right.bottom - right.top * left.bottom
  return difference === 0n ? 0 : difference < 0n ? -1 : 1
}

const outside =
  (min: string | null, max: string | null, inclusive = true) =>
  (value: string) => {
    const [low, high] = [min === null ? 1 : order(value, min), max === null ? -1 : order(value, max)]
    if (order(value, '0') === undefined || low === undefined || high === undefined) return true
    return low < 0 || high > 0 || (!inclusive && (low === 0 || high === 0))
  }

/** Dates and times in ISO 8601; everything else is outside. */
const beforeDay = (day: string) => (value: string) => {
  const known = /^\d{4}-\d\d-\d\d$/.test(value) && new Date(`${value}T00:00:00Z`).toISOString().startsWith(value)
  return !known || value < day
}

function fits(value: string, precision: number, scale: number): boolean {
  const number = numberOf(value)
  if (typeof number !== 'object') return false
  const scaled = number.top * 10n ** BigInt(scale)
  if (scaled % number.bottom !== 0n) return false
  const size = scaled / number.bottom
  return (size < 0n ? -size : size) < 10n ** BigInt(precision)
}

const isBlank = (value: string) => /^\s*$/u.test(value)
const codePoints = (value: string) => [...value].length

type Case = [what: string, item: Partial<ItemRecord>, fails: (value: string) => boolean]

/** Items on rows whose NULLs pass. */
const rowCases: readonly Case[] = [
  ['RANGE_MATCH 0 to 20', { measurementType: 'RANGE_MATCH', value: { min: 0, max: 20 } }, outside('0', '20')],
  [
    'RANGE_MATCH, bounds excluded',
    { measurementType: 'RANGE_MATCH', value: { min: '7', max: '12', inclusive: false } },
    outside('7', '12', false),
  ],
  ['RANGE_MATCH, a least value', { measurementType: 'RANGE_MATCH', value: { min: 0 } }, outside('0', null)],
  ['RANGE_MATCH, a largest value', { measurementType: 'RANGE_MATCH', value: { max: 0.3 } }, outside(null, '0.3')],
  [
    'RANGE_MATCH beyond 2^53',
    { measurementType: 'RANGE_MATCH', value: { max: '9007199254740992' } },
    outside(null, '9007199254740992'),
  ],
  [
    'RANGE_MATCH by text',
    { measurementType: 'RANGE_MATCH', value: { min: 'a', max: 'b' } },
    (value) => value < 'a' || value > 'b',
  ],
  ['RANGE_MATCH by days', { measurementType: 'RANGE_MATCH', value: { min: '2026-01-01' } }, beforeDay('2026-01-01')],
  [
    'VALUES_IN_LIST of numbers',
    { measurementType: 'VALUES_IN_LIST', value: { values: [12, 7, -5.5] } },
    (value) => !['12', '7', '-5.5'].some((one) => order(value, one) === 0),
  ],
  [
    'VALUES_IN_LIST of text',
    { measurementType: 'VALUES_IN_LIST', value: { values: ['12', '7', 'abc', ''] } },
    (value) => !['12', '7', 'abc', ''].includes(value),
  ],
  [
    'VALUES_IN_LIST, forbidden',
    { measurementType: 'VALUES_IN_LIST', value: { values: [1000, 'abc'], negate: true } },
    (value) => value === 'abc' || order(value, '1000') === 0,
  ],
  [
    'VALUES_IN_LOOKUP',
    { measurementType: 'VALUES_IN_LOOKUP', value: { lookupAssetId: 5, lookupColumnName: 'v' } },
    (value) => !texts.includes(value),
  ],
  ['REGEX_MATCH', { measurementType: 'REGEX_MATCH', value: { pattern: '[0-9]+' } }, (value) => !/^[0-9]+$/.test(value)],
  [
    'REGEX_MATCH, partial',
    { measurementType: 'REGEX_MATCH', value: { pattern: '[0-9]', partial: true } },
    (value) => !/[0-9]/.test(value),
  ],
  [
    'DATATYPE_MATCH INTEGER',
    { measurementType: 'DATATYPE_MATCH', value: { dataType: 'INTEGER' } },
    (value) => !/^[+-]?[0-9]+$/.test(value) || BigInt(value.replace('+', '')) > 2_147_483_647n,
  ],
  [
    'DATATYPE_MATCH LONG',
    { measurementType: 'DATATYPE_MATCH', value: { dataType: 'LONG' } },
    (value) => !/^[+-]?[0-9]+$/.test(value),
  ],
  ['DATATYPE_MATCH DATE', { measurementType: 'DATATYPE_MATCH', value: { dataType: 'DATE' } }, beforeDay('0000-00-00')],
  [
    'DATATYPE_MATCH DECIMAL(4,1)',
    { measurementType: 'DATATYPE_MATCH', value: { dataType: 'DECIMAL(4,1)' } },
    (value) => value.trim() !== value || !fits(value, 4, 1),
  ],
  [
    'SIZE_CHECK',
    { measurementType: 'SIZE_CHECK', value: { min: 1, max: 3 } },
    (value) => codePoints(value) < 1 || codePoints(value) > 3,
  ],
  [
    'PRECISION_SCALE_CHECK',
    { measurementType: 'PRECISION_SCALE_CHECK', value: { precision: 5, scale: 1 } },
    (value) => !fits(value, 5, 1),
  ],
]

const references: (dataset: Found['locator']) => References = (dataset) => ({
  variables: { least: '0' },
  udf: () => ({
    name: 'longer',
    language: 'EXPRESSION',
    code: 'length($' + '{c}) > $' + '{n}',
    variables: [
      { key: 'c', value: null, isColumnVariable: true },
      { key: 'n', value: '2', isColumnVariable: false },
    ],
  }),
  lookup: () => ({ dataset, columns: [{ name: 'v', dataType: 'VARCHAR' }] }),
  tables: () => [],
  views: () => [],
  carriesTag: () => true,
})

type Found = Extract<Discovered, { kind: 'table' }>

let folder: string
let engine: DataEngine
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-dirty-'))
  engine = createEngineInProcess({ tempRoot: join(folder, 'temp') })
  for (const one of dirty) await one.write(folder)
})
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

async function tableOf(source: Source): Promise<Found> {
  for await (const found of engine.discover(source, { signal: new AbortController().signal })) {
    if (found.kind === 'table') return found
  }
  throw new Error('The engine found no table.')
}

/** Measures items on `v`; returns the results by the item's index. */
async function measured(of: Dirty, items: readonly Partial<ItemRecord>[]) {
  const table = await tableOf(of.source(folder))
  const lookup = await tableOf((dirty.find(({ name }) => name === 'CSV') ?? of).source(folder))
  const planned = items.map((item, id) =>
    planItem(itemFixture({ columnName: 'v', ...item, id: id + 1 }), table.columns, references(lookup.locator)),
  )
  const metrics = planned.flatMap((one) => ('metric' in one ? [one.metric] : []))
  const outputFolder = await mkdtemp(join(folder, 'out-'))
  await mkdir(outputFolder, { recursive: true })
  const { metrics: results, bad } = await engine.measure(
    {
      dataset: table.locator,
      metrics,
      rows: { bad: { format: 'JSON', limit: null }, good: null, preview: 100 },
    },
    {
      rows: rowsInto(outputFolder),
      limits: { timeoutMs: 120_000, memoryMb: 256, threads: 1, maxTempMb: 256 },
      signal: new AbortController().signal,
    },
  )
  const found = (at: number): MetricResult | undefined => results.find(({ id }) => id === at + 1)
  return { table, planned, found, bad }
}

describe.each(dirty)('dirty text in $name', (of) => {
  const present = of.values.flatMap((value) => (value === null ? [] : [value]))

  it('when items check rows, then each counts and stores the rows that an independent count finds', async () => {
    const { table, found, bad } = await measured(
      of,
      rowCases.map(([, item]) => item),
    )
    expect(table.columns.find(({ name }) => name === 'v')?.dataType).toBe('VARCHAR')
    const counted = rowCases.map(([what], at) => [what, found(at)])
    const failing = rowCases.map(([, , fails]) => of.values.map((value) => value !== null && fails(value)))
    expect(counted).toEqual(
      rowCases.map(([what], at) => [
        what,
        { id: at + 1, kind: 'rows', scanned: of.values.length, failed: failing[at]?.filter(Boolean).length },
      ]),
    )
    const broken = of.values.map((_, row) => failing.flatMap((rows, at) => (rows[row] ? [at + 1] : [])))
    const kept = new Map(bad?.preview.map(({ values, ruleItemIds }) => [Number(values.id), ruleItemIds]))
    expect(of.values.map((_, row) => kept.get(row) ?? [])).toEqual(broken)
  })

  it('when items check NULL, groups, expressions and aggregates, then their results equal independent counts', async () => {
    const { found } = await measured(of, [
      { measurementType: 'MISSING_VALUES' },
      { measurementType: 'MISSING_VALUES', value: { addEmptyCheck: true } },
      { measurementType: 'DISTINCTNESS_CHECK' },
      { measurementType: 'DUPLICATE_ROWS_CHECK' },
      { measurementType: 'CUSTOM', ruleExpression: 'TRY_CAST(v AS DOUBLE) >= $' + '{least}' },
      { measurementType: 'UDF_PREDICATE', value: { udfId: 1, parameters: { c: 'v' } } },
      { measurementType: 'AGGREGATES', aggregateType: 'COUNT', value: { operator: 'GT', value: 1 } },
      { measurementType: 'AGGREGATES', aggregateType: 'COUNT', columnName: null, value: { operator: 'GT', value: 1 } },
      { measurementType: 'AGGREGATES', aggregateType: 'MIN', value: { operator: 'EQ', value: 'a' } },
      { measurementType: 'AGGREGATES', aggregateType: 'MAX', value: { operator: 'EQ', value: 'x' } },
      {
        measurementType: 'BUSINESS_MEASURE',
        aggregateType: 'SUM',
        columnName: null,
        ruleExpression: 'length(v)',
        value: { operator: 'GT', value: 1 },
      },
      {
        measurementType: 'SQL_METRIC',
        columnName: null,
        value: { sql: "SELECT count(*) FROM asset WHERE v = '12'", operator: 'GT', value: 1 },
      },
      { measurementType: 'RANGE_MATCH', value: { min: 0, max: 20 }, filter: "v <> 'abc'" },
    ])
    const all = of.values.length
    const rows = (at: number, failed: number, scanned = all) =>
      expect(found(at), `item ${at + 1}`).toEqual({ id: at + 1, kind: 'rows', scanned, failed })
    const value = (at: number, text: string) => expect(found(at)).toMatchObject({ kind: 'value', value: text })
    const groups = Map.groupBy(of.values, (one) => one)
    const byText = [...present].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    rows(0, all - present.length)
    rows(1, of.values.filter((one) => one === null || isBlank(one)).length)
    rows(2, present.length - new Set(present).size, present.length)
    rows(3, [...groups.values()].filter((group) => group.length > 1).flat().length)
    // In the engine's own SQL, NaN is greater than every number.
    rows(4, of.values.filter((one) => one === null || (one !== 'NaN' && (order(one, '0') ?? -1) < 0)).length)
    rows(5, of.values.filter((one) => one === null || codePoints(one) <= 2).length)
    value(6, String(present.length))
    value(7, String(all))
    value(8, byText[0] ?? '')
    value(9, byText.at(-1) ?? '')
    value(10, String(present.reduce((sum, one) => sum + codePoints(one), 0)))
    value(11, String(present.filter((one) => one === '12').length))
    const filtered = present.filter((one) => one !== 'abc')
    rows(12, filtered.filter(outside('0', '20')).length, filtered.length)
  })

  it('when freshness is measured, then the times are read; a tag item reads no data', async () => {
    const { planned } = await measured(of, [
      { measurementType: 'FRESHNESS_CHECK', value: { maxAge: 'P1D' } },
      { measurementType: 'TAG_MATCH', value: { tag: 'pii' } },
    ])
    expect(planned).toMatchObject([{ metric: { kind: 'newest' } }, { known: { carried: true } }])
  })
})
