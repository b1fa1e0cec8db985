import { expect, it } from 'vitest'
import { currentDataset } from './current-dataset.ts'
import type { DatasetLocator, TableLocator } from './dataset.ts'

const found = { columns: [], fingerprint: '' }
const relation = (definition: string, source = 7): TableLocator => ({
  ...{ kind: 'relation', engine: 'TRINO', source, schema: 'shop', table: 'v', definition, ...found },
})
const inFile = (definition: string, path = '/data/shop.db'): TableLocator => ({
  ...{ kind: 'table', engine: 'SQLITE', path, schema: null, table: 'v', definition, ...found },
})
const view = (datasets: TableLocator[]): DatasetLocator => ({
  kind: 'query',
  sql: 'SELECT 1',
  tables: datasets.map((dataset, index) => ({ name: `t${index}`, dataset })),
  ...found,
})
const sources = [relation('new'), inFile('new'), { kind: 'of a later version' }]
const current = (locator: unknown) =>
  currentDataset(async (id) => ({ locator: sources[id] }), { locator, sourceIds: [0, 1, 2] })

it('given a SQL view over views that were crawled again, then it reads their latest definitions', async () => {
  const [otherSource, otherFile] = [relation('old', 8), inFile('old', '/data/other.db')]
  expect(await current(view([relation('old'), inFile('old'), otherSource, otherFile]))).toEqual(
    view([relation('new'), inFile('new'), otherSource, otherFile]),
  )
})

it('given any other dataset, then it is the one of its asset', async () => {
  const unread = () => Promise.reject(new Error('was read'))
  const own = { locator: relation('own'), sourceIds: [0] }
  expect(await currentDataset(unread, own)).toEqual(own.locator)
  expect(await currentDataset(unread, { locator: sources[2] })).toBeUndefined()
})
