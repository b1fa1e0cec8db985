import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Fixture, openFixture } from '../fixture.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

async function put(...names: string[]): Promise<void> {
  for (const name of names) {
    const path = join(fixture.folder, name)
    await mkdir(dirname(path), { recursive: true })
    if (!name.endsWith('.parquet')) await writeFile(path, name.endsWith('.csv') ? 'a\n1\n' : '{}')
    else await fixture.context.connection.run(`COPY (SELECT 1 AS id) TO '${path}' (FORMAT parquet)`)
  }
}

const crawl = async (path = '') => {
  const found = await fixture.discover({ sourceType: 'FILE', path: join(fixture.folder, path) })
  return {
    tables: found.flatMap((one) => (one.kind === 'table' ? [one.name] : [])),
    skipped: found.flatMap((one) => (one.kind === 'skipped' ? one.first : [])),
  }
}
const notRead = (format: string) => expect.stringContaining(`belongs to a table of ${format}, which is not read`)

describe('given the folder of a table format', () => {
  it.each([
    ['Delta Lake', '_delta_log/00000000000000000000.json', 'part-0.parquet'],
    ['Delta Lake', '_delta_log/00000000000000000000.json', 'day=2026-01-01/part-0.parquet'],
    ['Apache Iceberg', 'metadata/v1.metadata.json', 'data/part-0.parquet'],
    ['Apache Iceberg', 'metadata/00000-5f.gz.metadata.json', 'data/day=1/part-0.parquet'],
    ['Apache Hudi', '.hoodie/hoodie.properties', '2026/part-0.parquet'],
  ])(
    '%s (%s): when it is crawled then it is skipped with the reason, and its neighbours are read',
    async (format, log, part) => {
      await put(`lake/orders/${log}`, `lake/orders/${part}`, 'lake/other.csv')
      expect(await crawl()).toEqual({
        tables: ['other.csv'],
        skipped: [{ path: 'lake/orders', message: notRead(format) }],
      })
    },
  )

  it.each(['orders', 'orders/day=1', 'orders/day=1/part-0.parquet', 'orders/*/*.parquet'])(
    'when the source is %s then nothing of the table is read',
    async (path) => {
      await put('orders/_delta_log/0.json', 'orders/day=1/part-0.parquet')
      const { tables, skipped } = await crawl(path)
      expect(tables).toEqual([])
      expect(skipped).toMatchObject([{ message: notRead('Delta Lake') }])
    },
  )

  it('when it gets its log after the crawl then a run refuses its files', async () => {
    await put('orders/part-0.parquet', 'days/day=1/part-0.parquet')
    const tables = await fixture.tables({ sourceType: 'FILE', path: fixture.folder })
    expect(tables).toHaveLength(2)
    await put('orders/_delta_log/0.json', 'days/_delta_log/0.json')
    for (const table of tables)
      await expect(fixture.mount(table)).rejects.toMatchObject({
        code: 'unprocessable',
        message: notRead('Delta Lake'),
      })
  })
})

describe('given folders with similar names', () => {
  it('when they are crawled then they are read', async () => {
    await put('sales/metadata/columns.csv', 'sales/delta_log/a.csv', 'sales/_delta_log', 'sales/b.parquet')
    expect((await crawl()).tables.toSorted()).toEqual(['a.csv', 'b.parquet', 'columns.csv'])
  })
})
