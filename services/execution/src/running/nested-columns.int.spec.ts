import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ItemRecord } from '@assay/contracts'
import { type DataEngine, type Discovered, rowsInto } from '@assay/data-engine'
import { createEngineInProcess } from '@assay/data-engine/testing'
import { planItem, type References } from '@assay/reliability'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itemFixture } from '../testing/fixtures.ts'

type Table = Extract<Discovered, { kind: 'table' }>

const people = [
  { id: 1, address: { city: 'Ulm', zip: '89073', geo: { lat: 48.4 } }, 'address.city': 'flat', since: '2026-01-02' },
  { id: 2, address: { city: null, zip: '8907', geo: { lat: 148.4 } }, 'address.city': 'flat', since: '2026-01-02' },
  { id: 3, address: { city: 'Ulm', zip: '89075', geo: null }, 'address.city': 'flat', since: '2026-01-02' },
  { id: 4, address: null, 'address.city': null, since: '2026-01-02' },
  { id: 5, address: { city: 'Bern', zip: null, geo: { lat: 46.9 } }, 'address.city': 'x', since: '2026-01-02' },
]

let folder: string
let engine: DataEngine
const tables = new Map<string, Table>()
const signal = new AbortController().signal
const limits = { timeoutMs: 120_000, memoryMb: 256, threads: 1, maxTempMb: 256 }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-nested-'))
  const data = join(folder, 'data')
  await mkdir(data)
  await writeFile(join(data, 'people.ndjson'), people.map((one) => JSON.stringify(one)).join('\n'))
  engine = createEngineInProcess({ tempRoot: join(folder, 'temp') })
  const find = async (path: string) => {
    for await (const found of engine.discover({ sourceType: 'FILE', path }, { signal })) {
      if (found.kind === 'table') tables.set(found.name, found)
    }
  }
  await find(data)
  // The engine's stored rows are a Parquet file with structures.
  const outputFolder = await mkdtemp(join(folder, 'out-'))
  await engine.measure(
    {
      dataset: table('people.ndjson').locator,
      metrics: [],
      rows: { bad: null, good: { format: 'PARQUET', limit: null }, preview: 0 },
    },
    { rows: rowsInto(outputFolder), limits, signal },
  )
  await find(join(outputFolder, 'good'))
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

const references: References = {
  variables: {},
  udf: () => ({
    name: 'present',
    language: 'EXPRESSION',
    code: '$' + '{c} IS NOT NULL',
    variables: [{ key: 'c', value: null, isColumnVariable: true }],
  }),
  lookup: () => ({
    dataset: table('people.ndjson').locator,
    columns: table('people.ndjson').columns.map(({ name, dataType }) => ({ name, dataType })),
  }),
  tables: () => [],
  views: () => [],
  carriesTag: () => true,
}

/** Items with the ids of the rows that fail them; `null` means the item has only the other result. */
const cases: readonly [Partial<ItemRecord>, number[] | null, object?][] = [
  [{ measurementType: 'MISSING_VALUES', columnName: '"address".city' }, [2, 4]],
  [{ measurementType: 'MISSING_VALUES', columnName: 'address.city' }, [4]],
  [{ measurementType: 'REGEX_MATCH', columnName: 'address.zip', value: { pattern: '[0-9]{5}' } }, [2]],
  [{ measurementType: 'RANGE_MATCH', columnName: 'address.geo.lat', value: { min: -90, max: 90 } }, [2]],
  [{ measurementType: 'VALUES_IN_LIST', columnName: '"address"."city"', value: { values: ['Ulm'] } }, [5]],
  [{ measurementType: 'SIZE_CHECK', columnName: 'address.zip', value: { min: 5 } }, [2]],
  [{ measurementType: 'DATATYPE_MATCH', columnName: 'address.zip', value: { dataType: 'SHORT' } }, [1, 3]],
  [{ measurementType: 'DUPLICATE_ROWS_CHECK', columnName: '"address".city' }, [1, 2, 3, 4]],
  [{ measurementType: 'PRECISION_SCALE_CHECK', columnName: 'address.geo.lat', value: { precision: 3, scale: 1 } }, [2]],
  [
    {
      measurementType: 'VALUES_IN_LOOKUP',
      columnName: '"address".city',
      value: { lookupAssetId: 1, lookupColumnName: 'address.zip' },
    },
    [1, 3, 5],
  ],
  [
    {
      measurementType: 'UDF_PREDICATE',
      value: { udfId: 1, parameters: [{ key: 'c', value: 'address.geo.lat', isColumnVariable: true }] },
    },
    [3, 4],
  ],
  [{ measurementType: 'CUSTOM', ruleExpression: 'address.zip IS NOT NULL' }, [4, 5]],
  [{ measurementType: 'DISTINCTNESS_CHECK', columnName: '"address".city' }, null, { scanned: 3, failed: 1 }],
  [
    {
      measurementType: 'AGGREGATES',
      aggregateType: 'MAX',
      columnName: 'address.geo.lat',
      value: { operator: 'LT', value: 90 },
    },
    null,
    { value: '148.4' },
  ],
]

describe.each(['people.ndjson', 'part-0.parquet'])('fields of structures in %s', (name) => {
  it('when items name the fields, then the fields are measured, and the failing rows are stored', async () => {
    const { locator, columns } = table(name)
    const planned = cases.map(([item], at) =>
      planItem(itemFixture({ columnName: null, value: null, ...item, id: at + 1 }), columns, references),
    )
    const metrics = planned.map((one) => {
      if ('metric' in one) return one.metric
      throw new Error(JSON.stringify(one))
    })
    const outputFolder = await mkdtemp(join(folder, 'out-'))
    const { metrics: found, bad } = await engine.measure(
      { dataset: locator, metrics, rows: { bad: { format: 'JSON', limit: null }, good: null, preview: 100 } },
      { rows: rowsInto(outputFolder), limits, signal },
    )
    expect(found).toMatchObject(
      cases.map(([, rows, other], at) => ({
        id: at + 1,
        ...(rows === null ? other : { kind: 'rows', scanned: 5, failed: rows.length }),
      })),
    )
    const kept = new Map(bad?.preview.map(({ values, ruleItemIds }) => [Number(values.id), ruleItemIds]))
    for (const { id, address } of people) {
      expect(kept.get(id) ?? []).toEqual(cases.flatMap(([, rows], at) => (rows?.includes(id) ? [at + 1] : [])))
      const row = bad?.preview.find(({ values }) => Number(values.id) === id)
      if (row !== undefined) expect(row.values).toMatchObject({ address })
    }
  })

  it('when the field does not exist, then the item is refused', () => {
    const { columns } = table(name)
    const refused = (item: Partial<ItemRecord>) => planItem(itemFixture({ value: null, ...item }), columns, references)
    expect(refused({ columnName: 'address.town' })).toMatchObject({ problem: { path: 'columnName' } })
    expect(refused({ columnName: 'id.town' })).toMatchObject({ problem: { path: 'columnName' } })
    expect(refused({ measurementType: 'RANGE_MATCH', columnName: 'address.geo', value: { min: 'a' } })).toMatchObject({
      problem: { path: 'value.min' },
    })
    expect(refused({ measurementType: 'TAG_MATCH', columnName: 'address.zip', value: { tag: 'pii' } })).toMatchObject({
      problem: { path: 'columnName' },
    })
  })
})
