import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { keptRow, keptRows } from './lines.ts'

const fields = [
  { name: 'id', type: 'BIGINT', nullable: true },
  { name: 'price', type: 'DOUBLE', nullable: true },
  { name: 'open', type: 'BOOLEAN', nullable: true },
  { name: 'name', type: 'VARCHAR', nullable: true },
]

describe('stored rows as lines', () => {
  test('given a line of a typed file, then its values and items are unchanged', () => {
    const line = '{"id":1,"price":2.5,"open":null,"name":"3","__rule_item_ids":[7,9]}'
    expect(keptRow(line, fields, false)).toEqual({
      values: { id: 1, price: 2.5, open: null, name: '3' },
      ruleItemIds: [7, 9],
    })
  })

  test('given a line of a text-only file, then numbers and booleans are as in the preview, and other text is unchanged', () => {
    const line = '{"id":"9007199254740993","price":"2.50","open":"true","name":"3","__rule_item_ids":"[7]"}'
    const values = { id: '9007199254740993', price: 2.5, open: true, name: '3' }
    expect(keptRow(line, fields, true)).toEqual({ values, ruleItemIds: [7] })
    expect(keptRow('{"id":"12","price":"","__rule_item_ids":null}', fields, true)).toEqual({
      values: { id: 12, price: '' },
      ruleItemIds: [],
    })
  })

  test('given quoted formulas in CSV, then the quote is removed, but is data in other files', () => {
    const line = `{"'@name":"'=1+1","name":"'q","__rule_item_ids":"[7]"}`
    expect(keptRow(line, fields, true).values).toEqual({ '@name': '=1+1', name: "'q" })
    expect(keptRow(line.replace('"[7]"', '[7]'), fields, false).values).toEqual({ "'@name": "'=1+1", name: "'q" })
  })

  test('given lines, then each is a row, in their order', async () => {
    const lines = Array.from({ length: 1000 }, (_, id) => `{"id":${id},"__rule_item_ids":[${id % 3}]}\n`)
    const rows = await keptRows(Readable.from([lines.join('')]), { fields, isCsv: false })
    expect(rows).toEqual(lines.map((_, id) => ({ values: { id }, ruleItemIds: [id % 3] })))
  })

  test('given texts with characters that other readers take for line ends, then rows are not split', async () => {
    const texts = ['a\u2028b', 'a\u2029b', 'a\u0085b', 'a\r\nb']
    const lines = texts.map((name) => `${JSON.stringify({ name, __rule_item_ids: [1] })}\n`).join('')
    const rows = await keptRows(Readable.from([lines]), { fields, isCsv: false })
    expect(rows.map(({ values }) => values.name)).toEqual(texts)
  })

  test('given a stream that fails, then the error is thrown', async () => {
    const cut = new Readable({ read: () => cut.destroy(new Error('the file is gone')) })
    await expect(keptRows(cut, { fields, isCsv: false })).rejects.toThrow('the file is gone')
  })
})
