import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeOrders } from '@assay/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fixture, openFixture } from '../fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture.close())

/** CSV by RFC 4180, with quotes if they are needed or requested; NULL is empty, empty text is `""`. */
function csvOf(
  rows: readonly (readonly (string | null)[])[],
  delimiter: string,
  lineEnd: string,
  quoteAll: boolean,
): string {
  const cell = (value: string | null) => {
    if (value === null) return ''
    const needed = value === '' || quoteAll || /["\r\n,;|\t]/.test(value)
    return needed ? `"${value.replaceAll('"', '""')}"` : value
  }
  return rows.map((row) => row.map(cell).join(delimiter) + lineEnd).join('')
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', ';', ' ', 'a', '\t', "'", '\\', '#', '|'), maxLength: 6 }),
)
const cell = fc.option(text, { nil: null, freq: 5 })
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 }))

describe('given any table', () => {
  it('when the table is written by RFC 4180 and crawled then every cell is read unchanged', async () => {
    const path = join(fixture.folder, 'any.csv')
    const choice = fc.record({
      rows: table,
      delimiter: fc.constantFrom(',', ';', '\t', '|'),
      lineEnd: fc.constantFrom('\n', '\r\n'),
      quoteAll: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(choice, async ({ rows, delimiter, lineEnd, quoteAll }) => {
        // A word in every last column makes all types text, so cells compare as written.
        const width = rows[0]?.length ?? 1
        const names = Array.from({ length: width }, (_, index) => `n${index}`)
        const words = Array.from({ length: width }, () => 'word')
        await writeFile(path, csvOf([names, ...rows, words], delimiter, lineEnd, quoteAll))
        const csv = { delimiter, header: true }
        const [crawled] = await fixture.tables({ sourceType: 'FILE', path, csv })
        if (crawled === undefined) throw new Error('the file was not found')
        expect(crawled.rowCount).toBe(rows.length + 1)
        const mounted = await fixture.mount(crawled)
        expect(await fixture.cells(mounted)).toEqual([...rows, words])
      }),
      { numRuns: 15 },
    )
    await rm(path)
  })

  it('when any bytes are crawled as CSV then each line is a row and nothing is thrown', async () => {
    const path = join(fixture.folder, 'bytes.csv')
    const piece = fc.constantFrom('a', '1', '"', '""', ',', '\n', '\r\n', '\r', 'é', ' ', '\u0000', '-', '.5')
    const bytes = fc.array(
      fc.oneof(
        piece.map((one) => Buffer.from(one)),
        fc.constantFrom(0xff, 0xc3, 0xe2, 0x80).map((one) => Buffer.from([one])),
      ),
      {
        minLength: 1,
        maxLength: 60,
      },
    )
    await fc.assert(
      fc.asyncProperty(bytes, async (parts) => {
        await writeFile(path, Buffer.concat([Buffer.from('h1,h2\n'), ...parts]))
        const found = await fixture.discover({ sourceType: 'FILE', path, csv: { header: true, delimiter: ',' } })
        expect(found.filter((one) => one.kind === 'failed')).toEqual([])
        const crawled = found.find((one) => one.kind === 'table')
        if (crawled === undefined) throw new Error('the file was not found')
        expect(await fixture.cells(await fixture.mount(crawled))).toHaveLength(crawled.rowCount ?? -1)
      }),
      { numRuns: 25 },
    )
    await rm(path)
  })
})

describe('given a CSV file of unusual size', () => {
  it('when a field is 3 MB then it is read whole', async () => {
    const path = join(fixture.folder, 'long.csv')
    await writeFile(path, `a,b\n1,"${'x'.repeat(3_000_000)}"\n2,y\n`)
    const [crawled] = await fixture.tables({ sourceType: 'FILE', path })
    if (crawled === undefined) throw new Error('the file was not found')
    const { relation } = await fixture.mount(crawled)
    const reader = await fixture.context.connection.runAndReadAll(`SELECT max(length(b)) FROM ${relation}`)
    expect(reader.getRowsJson()).toEqual([['3000000']])
  })

  it('when there are 1,000 columns then each has its type', async () => {
    const path = join(fixture.folder, 'wide.csv')
    const row = (cell: (index: number) => string) => Array.from({ length: 1000 }, (_, index) => cell(index)).join(',')
    await writeFile(path, `${row((i) => `c${i}`)}\n${row((i) => (i % 2 === 0 ? String(i) : `t${i}`))}\n`)
    const [crawled] = await fixture.tables({ sourceType: 'FILE', path })
    expect(crawled?.columns.filter(({ dataType }) => dataType === 'BIGINT')).toHaveLength(500)
    expect(crawled?.columns.filter(({ dataType }) => dataType === 'VARCHAR')).toHaveLength(500)
  })

  it('when every file of a partitioned folder is empty then the error says so', async () => {
    const folder = join(fixture.folder, 'hollow')
    await mkdir(join(folder, 'day=1'), { recursive: true })
    await mkdir(join(folder, 'day=2'), { recursive: true })
    await writeFile(join(folder, 'day=1/a.csv'), '')
    await writeFile(join(folder, 'day=2/a.csv'), '')
    const found = await fixture.discover({ sourceType: 'FILE', path: folder })
    expect(found.filter((one) => one.kind === 'failed')).toEqual([
      { kind: 'failed', path: 'hollow', message: 'hollow is empty: none of its files has a header or a row.' },
    ])
  })
})

describe('given the orders with known defects', () => {
  it('when they are crawled then the defects can be counted', async () => {
    const facts = await writeOrders(join(fixture.folder, 'shop'), 5000)
    const [, orders] = await fixture.tables({ sourceType: 'FILE', path: join(fixture.folder, 'shop') })
    if (orders === undefined) throw new Error('the file was not found')
    expect(orders.columns.map(({ name, dataType }) => `${name} ${dataType}`)).toEqual([
      'order_id BIGINT',
      'customer_id BIGINT',
      'email VARCHAR',
      'amount DOUBLE',
      'currency VARCHAR',
      'status VARCHAR',
      'ordered_at TIMESTAMP',
      'note VARCHAR',
    ])
    expect(orders.warnings.total).toBe(0)
    const { relation } = await fixture.mount(orders)
    const reader = await fixture.context.connection.runAndReadAll(`SELECT count(*)::INT AS "rows",
      count_if(email IS NULL)::INT AS "missingEmail", count_if(email = '')::INT AS "emptyEmail",
      count_if(email <> '' AND NOT contains(email, '@'))::INT AS "malformedEmail", count_if(amount < 0)::INT AS "negativeAmount",
      count_if(currency NOT IN ('EUR', 'USD', 'GBP'))::INT AS "unknownCurrency",
      count_if(status NOT IN ('new', 'paid', 'shipped', 'returned'))::INT AS "unknownStatus",
      count_if(customer_id > 100)::INT AS orphans, count(DISTINCT order_id)::INT AS "distinctOrderIds",
      round(sum(amount) * 100)::INT AS "amountCents" FROM ${relation}`)
    const [counted] = reader.getRowObjects()
    expect(facts).toMatchObject(counted ?? { rows: -1 })
    expect(facts).toMatchObject({
      rows: 5000,
      missingEmail: 100,
      emptyEmail: 100,
      malformedEmail: 100,
      negativeAmount: 200,
      unknownCurrency: 25,
      unknownStatus: 20,
      orphans: 125,
      duplicatedOrderIdRows: 98,
      distinctOrderIds: 4951,
    })
    expect((await readFile(facts.file, 'utf8')).split('\n').length).toBeGreaterThan(5000)
  })
})
