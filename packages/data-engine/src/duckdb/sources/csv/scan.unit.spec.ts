import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldsOf, recordOf } from './fields.ts'
import { columnNames } from './names.ts'
import { RecordScanner } from './scan.ts'
import { scanDialect } from './shape.ts'

interface Seen {
  text: string
  fields: number
  line: number
}

function scanned(bytes: Buffer, chunk: number, delimiter = ','): { records: Seen[]; unclosedAt: number | null } {
  const records: Seen[] = []
  const scanner = new RecordScanner(
    scanDialect({ delimiter, quote: '"' }),
    ({ bytes: buffer, start, end, fields, line }) => {
      records.push({ text: Buffer.from(buffer.subarray(start, end)).toString('latin1'), fields, line })
    },
  )
  for (let at = 0; at < bytes.length; at += chunk) scanner.push(bytes.subarray(at, at + chunk))
  scanner.end()
  return { records, unclosedAt: scanner.unclosedAt }
}

const oddText = fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', 'a', '|', '""'), maxLength: 40 })

describe('given the bytes of a CSV file', () => {
  it('when they are read in chunks of any size then the records are the same', () => {
    fc.assert(
      fc.property(oddText, fc.integer({ min: 1, max: 7 }), fc.constantFrom(',', '||'), (text, chunk, delimiter) => {
        const bytes = Buffer.from(text)
        expect(scanned(bytes, chunk, delimiter)).toEqual(scanned(bytes, 1000, delimiter))
      }),
      { numRuns: 500 },
    )
  })

  it('when a record is split into fields then their number is the one that the scanner counted', () => {
    fc.assert(
      fc.property(oddText, (text) => {
        const { records, unclosedAt } = scanned(Buffer.from(text), 1000)
        const closed = unclosedAt === null ? records : records.slice(0, -1)
        for (const { text: record, fields } of closed) expect(fieldsOf(record, ',', '"')).toHaveLength(fields)
      }),
      { numRuns: 500 },
    )
  })

  it('when quotes contain line ends of any kind then records know the line on which they begin', () => {
    const { records } = scanned(Buffer.from('a,b\r\n"x\ny",1\r2,3\n\n"",'), 3)
    expect(records).toEqual([
      { text: 'a,b', fields: 2, line: 1 },
      { text: '"x\ny",1', fields: 2, line: 2 },
      { text: '2,3', fields: 2, line: 4 },
      { text: '', fields: 1, line: 5 },
      { text: '"",', fields: 2, line: 6 },
    ])
  })

  it('when a quote never closes then its offset is reported', () => {
    expect(scanned(Buffer.from('a,"b\nc,d\n'), 2).unclosedAt).toBe(2)
  })
})

describe('given fields', () => {
  it('when they are written and read then they are the same', () => {
    const field = fc.record({
      text: fc.string({ unit: fc.constantFrom('"', ',', '\n', 'a', ' '), maxLength: 8 }),
      quoted: fc.constant(true),
    })
    fc.assert(
      fc.property(fc.array(field, { minLength: 1, maxLength: 5 }), (fields) => {
        expect(fieldsOf(recordOf(fields, ',', '"'), ',', '"')).toEqual(fields)
      }),
    )
  })
})

describe('given a header', () => {
  it.each([
    [
      ['a', 'a', 'A'],
      ['a', 'a_1', 'A_2'],
    ],
    [
      ['', ' ', 'x'],
      ['column0', 'column1', 'x'],
    ],
    [
      ['column1', ''],
      ['column1', 'column1_1'],
    ],
    [
      ['a', 'a', 'a_1'],
      ['a', 'a_2', 'a_1'],
    ],
  ])('when it reads %j then the columns are called %j', (header, names) => {
    expect(columnNames(header)).toEqual(names)
  })
})
