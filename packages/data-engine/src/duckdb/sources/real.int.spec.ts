import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DiscoveredTable, type Fixture, openFixture } from './fixture.ts'

const folder = join(dirname(fileURLToPath(import.meta.resolve('vega-datasets'))), '..', 'data')

let fixture: Fixture
let tables: DiscoveredTable[]
let failed: unknown[]
beforeAll(async () => {
  fixture = await openFixture()
  const found = await fixture.discover({ sourceType: 'FILE', path: folder })
  tables = found.filter((one) => one.kind === 'table')
  failed = found.filter((one) => one.kind === 'failed')
})
afterAll(() => fixture.close())

describe('given the data sets of vega-datasets', () => {
  it('when they are crawled then none fails', () => {
    expect(failed).toEqual([])
    expect(tables).toHaveLength(69)
  })

  it.each([
    ['birdstrikes.csv', 10_000, 'Flight Date', 'DATE'],
    ['flights-3m.parquet', 3_000_000, 'delay', 'BIGINT'],
    ['flights-200k.json', 200_000, 'delay', 'BIGINT'],
    ['movies.json', 3201, 'Title', 'VARCHAR'],
    ['seattle-weather.csv', 1461, 'date', 'DATE'],
    ['sp500.csv', 123, 'date', 'VARCHAR'],
    ['unemployment.tsv', 3218, 'rate', 'DOUBLE'],
    ['zipcodes.csv', 42_049, 'zip_code', 'VARCHAR'],
  ])('when %s is crawled then it has %i rows and %s is %s', (name, rows, column, dataType) => {
    const table = tables.find((one) => one.name === name)
    expect(table?.rowCount).toBe(rows)
    expect(table?.columns.find((one) => one.name === column)?.dataType).toBe(dataType)
  })

  it('when they are mounted then every row can be read with the types of the crawl', async () => {
    for (const table of tables) {
      const { relation, columns } = await fixture.mount(table)
      expect(columns).toEqual(table.locator.columns)
      const reader = await fixture.context.connection.runAndReadAll(
        `SELECT count(*), count(COLUMNS(*)) FROM ${relation}`,
      )
      expect(`${table.name} ${reader.getRowsJson()[0]?.[0]}`).toBe(`${table.name} ${table.rowCount}`)
    }
  })
})
