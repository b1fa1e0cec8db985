import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { duckdbDialect } from '../../duckdb/dialect.ts'
import { checkOne } from '../../duckdb/parse.ts'
import type { Predicate } from '../../plan.ts'
import { quoteName, textLiteral } from '../quote.ts'
import { planParameters } from '../written.ts'
import { columnFinder } from './column.ts'
import { type ColumnPredicate, failsSql, notTrue } from './fails.ts'

type RowPredicate = ColumnPredicate | Extract<Predicate, { kind: 'expression' }>

let connection: DuckDBConnection
beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run("SET TimeZone = 'UTC'")
})
afterAll(() => connection.closeSync())

/** The values of a column (as text or null, cast to its type) that fail the predicate. */
async function failing(
  dataType: string,
  values: readonly (string | null)[],
  predicate: RowPredicate,
): Promise<(string | null)[]> {
  const column = columnFinder([{ name: 'the "col"', dataType }], duckdbDialect)
  const fails =
    predicate.kind === 'expression'
      ? notTrue(
          (
            await checkOne(
              connection,
              { given: predicate.expression, reach: { form: 'expression', tables: [] } },
              planParameters('2026-01-01T00:00:00.000Z'),
            )
          ).fragment,
        )
      : failsSql(predicate, column)
  const rows = values.map((value, at) => `(${at}, ${value === null ? 'NULL' : textLiteral(value)})`)
  const name = quoteName('the "col"')
  const source = `(SELECT index, CAST(text AS ${dataType}) AS ${name} FROM (VALUES ${rows.join(', ')}) t(index, text)) AS asset`
  const reader = await connection.runAndReadAll(`SELECT index FROM ${source} WHERE ${fails.text} ORDER BY index`)
  return reader.getRows().map(([index]) => values[Number(index)] ?? null)
}

const column = 'the "col"'
const number = (text: string) => ({ kind: 'number', text }) as const
const range = (min: string | null, max: string | null, inclusive = true): RowPredicate => ({
  kind: 'range',
  column,
  ...(min === null ? {} : { min: number(min) }),
  ...(max === null ? {} : { max: number(max) }),
  inclusive,
})
const times = (kind: 'date' | 'time', min: string | null, max: string | null, inclusive = true): RowPredicate => ({
  kind: 'range',
  column,
  ...(min === null ? {} : { min: { kind, text: min } }),
  ...(max === null ? {} : { max: { kind, text: max } }),
  inclusive,
})
const list = (values: (string | number | boolean)[], negate = false): RowPredicate => ({
  kind: 'in-list',
  column,
  values,
  negate,
})
const type = (dataType: string): RowPredicate => ({ kind: 'datatype', column, dataType })
const digits = (precision: number, scale: number): RowPredicate => ({
  kind: 'precision-scale',
  column,
  precision,
  scale,
})

/** A list long enough for a hash lookup, with a value of another type than the column's. */
const longList = (at: (index: number) => string): (string | number)[] => [
  'none of that',
  ...Array.from({ length: 1200 }, (_, index) => at(index)),
]
const uuid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
const dayAt = (index: number) => new Date(Date.UTC(2000, 0, 1 + index)).toISOString().slice(0, 10)
const clockAt = (index: number) => new Date(index * 1000).toISOString().slice(11, 19)

const cases: [string, string, (string | null)[], RowPredicate, (string | null)[]][] = [
  ['missing counts NULL only', 'VARCHAR', [null, '', ' ', 'x'], { kind: 'missing', column, blankToo: false }, [null]],
  [
    'missing with blanks counts white space of every script',
    'VARCHAR',
    [null, '', ' \t\n', '\u00a0\u2003', 'x', ' x', '\u00e9', '~', '!'],
    { kind: 'missing', column, blankToo: true },
    [null, '', ' \t\n', '\u00a0\u2003'],
  ],
  ['missing of numbers', 'INTEGER', [null, '0'], { kind: 'missing', column, blankToo: true }, [null]],
  [
    'a pattern must match the whole value',
    'VARCHAR',
    [null, 'abc', 'xabc', 'abc\n', 'abcabc', ''],
    { kind: 'regex', column, pattern: 'abc', partial: false },
    ['xabc', 'abc\n', 'abcabc', ''],
  ],
  [
    'alternatives are grouped',
    'VARCHAR',
    ['a', 'b', 'ab'],
    { kind: 'regex', column, pattern: 'a|b', partial: false },
    ['ab'],
  ],
  [
    'a partial pattern searches',
    'VARCHAR',
    [null, 'xabcx', 'ab'],
    { kind: 'regex', column, pattern: 'abc', partial: true },
    ['ab'],
  ],
  [
    "a pattern with ' is only text",
    'VARCHAR',
    ["'", 'x'],
    { kind: 'regex', column, pattern: "'", partial: false },
    ['x'],
  ],
  [
    'a pattern matches the text of a number',
    'INTEGER',
    ['12', '123'],
    { kind: 'regex', column, pattern: '[0-9]{2}', partial: false },
    ['123'],
  ],

  [
    'a long list with a value of no type, DATE',
    'DATE',
    [null, '2000-01-02', '1999-01-01'],
    list(longList(dayAt)),
    ['1999-01-01'],
  ],
  [
    'a long list with a value of no type, negated',
    'DATE',
    [null, '2000-01-02', '1999-01-01'],
    list(longList(dayAt), true),
    ['2000-01-02'],
  ],
  [
    'a long list with a value of no type, TIMESTAMP',
    'TIMESTAMP',
    ['2000-01-02 00:00:00', '1999-01-01 00:00:00'],
    list(longList(dayAt)),
    ['1999-01-01 00:00:00'],
  ],
  [
    'a long list with a value of no type, TIME',
    'TIME',
    ['00:00:05', '23:00:00'],
    list(longList(clockAt)),
    ['23:00:00'],
  ],
  ['a long list with a value of no type, UUID', 'UUID', [uuid(3), uuid(9999)], list(longList(uuid)), [uuid(9999)]],
  ['a long list with a value of no type, INTEGER', 'INTEGER', ['3', '9999'], list(longList(String)), ['9999']],
  ['a short list with a value of no type', 'UUID', [uuid(3), uuid(4)], list(['x', uuid(3)]), [uuid(4)]],
  ['a short float is what it prints, in a list', 'FLOAT', [null, '0.1', '0.2', 'nan'], list([0.1]), ['0.2', 'nan']],
  ['a short float is what it prints, at a bound', 'FLOAT', ['0.1', '0.3', '0.31'], range('0.1', '0.3'), ['0.31']],
  ['a short float at an exclusive bound', 'FLOAT', ['0.1', '0.2', '0.3'], range('0.1', '0.3', false), ['0.1', '0.3']],
  [
    'a bound that a short float cannot hold',
    'FLOAT',
    ['3e38', 'inf', '-inf', 'nan'],
    range(null, '1e39'),
    ['inf', 'nan'],
  ],
  [
    'a bound that a short float cannot hold, exclusive',
    'FLOAT',
    ['3e38', 'inf', '-inf'],
    range('-1e39', '1e39', false),
    ['inf', '-inf'],
  ],
  [
    'a least bound that a double cannot hold',
    'DOUBLE',
    ['1e308', 'inf', '-inf'],
    range('1e350', null),
    ['1e308', '-inf'],
  ],
  ['a number that no short float is, in a list', 'FLOAT', ['inf', '1'], list([1e39]), ['inf', '1']],
  [
    'numeric text is exact at any length',
    'VARCHAR',
    [
      '5',
      '5.0',
      ' +05.000',
      '5_0e-1',
      '0.5e1',
      '5.0000000000000000001',
      '5.00000000000000000010e0',
      '4.9999999999999999999',
      '50000000000000000001e-19',
      '-5.1',
    ],
    range(null, '5'),
    ['5.0000000000000000001', '5.00000000000000000010e0', '50000000000000000001e-19'],
  ],
  [
    'numeric text at an exclusive bound below zero',
    'VARCHAR',
    ['-5', '-5.00', '-5.0000000000000000001', '-4.9999999999999999999', '-0', '0e9', '1e-400', '-1e-400'],
    range('-5', '0', false),
    ['-5', '-5.00', '-5.0000000000000000001', '-0', '0e9', '1e-400'],
  ],
  [
    'numeric text beyond all doubles',
    'VARCHAR',
    ['1e349', '1e350', '1.0000001e350', 'inf', '-inf', '-1e351', 'nan'],
    range('-1e350', '1e350'),
    ['1.0000001e350', 'inf', '-inf', '-1e351', 'nan'],
  ],
  [
    'numbers of a list match text by all its digits',
    'VARCHAR',
    ['0.1', '1e-1', '0.10', '0.1000000000000000000001', '0', '-0.0', 'inf', 'x'],
    list([0.1, 0]),
    ['0.1000000000000000000001', 'inf', 'x'],
  ],
  ['a range includes its bounds', 'INTEGER', [null, '0', '1', '5', '9', '10'], range('1', '9'), ['0', '10']],
  ['an exclusive range does not', 'INTEGER', ['1', '2', '8', '9'], range('1', '9', false), ['1', '9']],
  ['a bound between two integers', 'INTEGER', ['1', '2', '-2', '-1'], range('-1.5', '1.5'), ['2', '-2']],
  [
    'a bound between two integers, exclusive',
    'INTEGER',
    ['1', '2', '-2', '-1'],
    range('-1.5', '1.5', false),
    ['2', '-2'],
  ],
  [
    'integers beyond 2^53 are distinguished',
    'BIGINT',
    ['9007199254740993', '9007199254740992', '9223372036854775807'],
    range(null, '9007199254740992'),
    ['9007199254740993', '9223372036854775807'],
  ],
  ["a bound outside of the type's range fails nothing", 'TINYINT', ['-128', '127', null], range('-1e30', '1e30'), []],
  ['a bound beyond the type fails all', 'TINYINT', ['-128', '127', null], range('128', null), ['-128', '127']],
  ['the largest value under an exclusive bound', 'TINYINT', ['126', '127'], range(null, '127', false), ['127']],
  [
    'decimals compare exactly',
    'DECIMAL(10,2)',
    ['0.10', '0.11', '-0.10', '99999999.99'],
    range('-0.1', '0.105'),
    ['0.11', '99999999.99'],
  ],
  ['decimals, exclusive on the grid', 'DECIMAL(10,2)', ['0.10', '0.11'], range(null, '0.10', false), ['0.10', '0.11']],
  [
    'long decimals',
    'DECIMAL(38,10)',
    ['1234567890123456789012345678.0000000001', '1234567890123456789012345678.0'],
    range(null, '1234567890123456789012345678'),
    ['1234567890123456789012345678.0000000001'],
  ],
  ['NaN fails a range of either side', 'DOUBLE', ['nan', '1', null, 'inf', '-inf'], range('0', null), ['nan', '-inf']],
  ['NaN fails a range with a largest value', 'DOUBLE', ['nan', '1', 'inf', '-inf'], range(null, '2'), ['nan', 'inf']],
  ['NaN fails a range without bounds', 'DOUBLE', ['nan', '1'], range(null, null), ['nan']],
  ['minus zero is zero', 'DOUBLE', ['-0', '0'], range('0', '0'), []],
  ['a bound in scientific notation', 'DOUBLE', ['999', '1000', '1001'], range(null, '1e3'), ['1001']],
  [
    'text compares as a number, and fails if it is not one',
    'VARCHAR',
    [null, '9', '10', '1e3', '-0', 'abc', '', '10.5'],
    range('-1', '10'),
    ['1e3', 'abc', '', '10.5'],
  ],
  [
    'numeric text beyond 2^53 is distinguished',
    'VARCHAR',
    ['9007199254740993', '9007199254740992'],
    range(null, '9007199254740992'),
    ['9007199254740993'],
  ],
  ['text as NaN fails', 'VARCHAR', ['NaN'], range('0', null), ['NaN']],
  [
    'dates before 1970',
    'DATE',
    ['1969-12-31', '0001-01-01', '1970-01-01', null],
    times('date', '1969-12-31', null),
    ['0001-01-01'],
  ],
  [
    'a date as the last day includes the day',
    'TIMESTAMP',
    ['2024-12-31 23:59:59.999999', '2025-01-01 00:00:00'],
    times('date', null, '2024-12-31'),
    ['2025-01-01 00:00:00'],
  ],
  [
    'a date as an exclusive end leaves the day out',
    'TIMESTAMP',
    ['2024-12-30 23:59:59', '2024-12-31 00:00:00'],
    times('date', null, '2024-12-31', false),
    ['2024-12-31 00:00:00'],
  ],
  [
    'a date as an exclusive start leaves the day out',
    'TIMESTAMP',
    ['2024-12-31 23:59:59', '2025-01-01 00:00:00'],
    times('date', '2024-12-31', null, false),
    ['2024-12-31 23:59:59'],
  ],
  [
    'a time with an offset',
    'TIMESTAMP',
    ['2024-01-01 08:00:00', '2024-01-01 07:59:59'],
    times('time', '2024-01-01T10:00:00+02:00', null),
    ['2024-01-01 07:59:59'],
  ],
  [
    'times with a zone',
    'TIMESTAMPTZ',
    ['2024-01-01 10:00:00+02', '2024-01-01 07:59:59+00'],
    times('time', '2024-01-01T08:00:00Z', null),
    ['2024-01-01 07:59:59+00'],
  ],
  [
    'times as text',
    'VARCHAR',
    ['2024-01-01', '2023-12-31', 'soon', null],
    times('date', '2024-01-01', null),
    ['2023-12-31', 'soon'],
  ],
  [
    'text bounds',
    'VARCHAR',
    ['a', 'b', 'B', 'c'],
    { kind: 'range', column, min: { kind: 'text', text: 'a' }, max: { kind: 'text', text: 'b' }, inclusive: true },
    ['B', 'c'],
  ],

  ['a list of text', 'VARCHAR', [null, 'a', 'A', ''], list(['a']), ['A', '']],
  ['a forbidden list', 'VARCHAR', [null, 'a', 'b'], list(['a'], true), ['a']],
  ['an empty list contains nothing', 'VARCHAR', [null, 'a'], list([]), ['a']],
  ['an empty forbidden list forbids nothing', 'VARCHAR', [null, 'a'], list([], true), []],
  [
    'numbers in a list compare as numbers',
    'DECIMAL(10,2)',
    ['1.00', '1.50', '2.00'],
    list([1, '1.5', 1.555, 'x']),
    ['2.00'],
  ],
  [
    'integers beyond 2^53 in a list',
    'BIGINT',
    ['9007199254740993', '9007199254740992'],
    list(['9007199254740993']),
    ['9007199254740992'],
  ],
  ['values that the column cannot have match nothing', 'TINYINT', ['1', null], list([300, 1.5, true, '']), ['1']],
  ['numbers against text', 'VARCHAR', ['1', '1.0', '01', 'x', '2'], list([1]), ['x', '2']],
  ['true and false', 'BOOLEAN', ['true', 'false', null], list([true]), ['false']],
  ['NaN and minus zero in a list', 'DOUBLE', ['nan', '-0', '1'], list(['NaN', 0]), ['1']],
  ['dates in a list', 'DATE', ['2024-01-01', '2024-01-02'], list(['2024-01-01', 'no date']), ['2024-01-02']],
  ['a long list', 'INTEGER', [null, '5', '5000'], list(Array.from({ length: 2000 }, (_, at) => at)), ['5000']],
  [
    'a long forbidden list',
    'INTEGER',
    [null, '5', '5000'],
    list(
      Array.from({ length: 2000 }, (_, at) => at),
      true,
    ),
    ['5'],
  ],

  [
    'integers as text: no blanks, no rounding, no exponent',
    'VARCHAR',
    [null, '42', '-7', '+7', '007', ' 42 ', '12.7', '1e3', '', '2147483648', '0x1F', '1_000', '４２'],
    type('INTEGER'),
    [' 42 ', '12.7', '1e3', '', '2147483648', '0x1F', '1_000', '４２'],
  ],
  [
    'integers as text at the number of digits that always fits',
    'VARCHAR',
    ['99', '-99', '127', '128', '-128', '-129', '+128', '0000127', '0000128', null],
    type('TINYINT'),
    ['128', '-129', '+128', '0000128'],
  ],
  [
    'large integers as text',
    'VARCHAR',
    ['9223372036854775807', '9223372036854775808', '-9223372036854775808'],
    type('LONG'),
    ['9223372036854775808'],
  ],
  [
    'decimals as text are not rounded',
    'VARCHAR',
    ['1.25', '1.250', '1.255', '1e2', '12345678.1', '123456789', '.', 'x', '.5', '5.'],
    type('DECIMAL(10,2)'),
    ['1.255', '123456789', '.', 'x'],
  ],
  [
    'doubles as text',
    'VARCHAR',
    ['1', '1.5e300', '1e999', 'NaN', 'Infinity', ' 1', 'x'],
    type('double'),
    ['1e999', ' 1', 'x'],
  ],
  [
    'dates as text',
    'VARCHAR',
    [
      '2024-02-29',
      '2023-02-29',
      '2024-1-2',
      '2024-01-01 00:00:00',
      '1969-12-31',
      '1000000-01-01',
      ' 2024-01-01',
      '20240101',
    ],
    type('DATE'),
    ['2023-02-29', '2024-01-01 00:00:00', ' 2024-01-01', '20240101'],
  ],
  [
    'times as text lose no digits',
    'VARCHAR',
    [
      '2024-01-01 10:00:00',
      '2024-01-01T10:00:00.123456Z',
      '2024-01-01T10:00:00.1234567Z',
      '2024-01-01T10:00:00+02:00',
      '2024-01-01',
    ],
    type('TIMESTAMP'),
    ['2024-01-01T10:00:00.1234567Z', '2024-01-01T10:00:00+02:00'],
  ],
  ['booleans as text', 'VARCHAR', ['true', 'FALSE', 't', '1', 'on', ''], type('BOOLEAN'), ['on', '']],
  ['every value is text', 'INTEGER', ['1', null], type('STRING'), []],
  [
    'doubles that are whole are integers',
    'DOUBLE',
    ['12', '12.7', 'nan', null, '1e300'],
    type('INTEGER'),
    ['12.7', 'nan', '1e300'],
  ],
  ['integers that fit', 'BIGINT', ['127', '128', null], type('TINYINT'), ['128']],

  [
    'digits of text',
    'VARCHAR',
    [
      null,
      '123.45',
      '123.450',
      '1234.5',
      '0123.4',
      '123.456',
      '-123.45',
      '1.2345e2',
      '12345e-2',
      '1e3',
      '1e-3',
      '0e99',
      'x',
      '',
      '.',
      '1e',
      '.12',
      '00000.10000',
    ],
    digits(5, 2),
    ['1234.5', '123.456', '1e3', '1e-3', 'x', '', '.', '1e'],
  ],
  ['no digits before the point', 'VARCHAR', ['0.12', '.12', '1.00', '0'], digits(2, 2), ['1.00']],
  ['digits of integers', 'INTEGER', ['999', '1000', '-999', '-1000', null], digits(5, 2), ['1000', '-1000']],
  [
    'digits of decimals',
    'DECIMAL(10,3)',
    ['1.250', '1.255', '999.990', '1000.000', '-1000.000'],
    digits(5, 2),
    ['1.255', '1000.000', '-1000.000'],
  ],
  [
    'digits of doubles',
    'DOUBLE',
    ['0.1', '0.125', '1e20', '1e-7', 'nan', 'inf', '-0'],
    digits(5, 2),
    ['0.125', '1e20', '1e-7', 'nan', 'inf'],
  ],
  [
    'beyond 38 digits',
    'VARCHAR',
    ['9'.repeat(45), '9'.repeat(46), `0.${'1'.repeat(5)}`],
    digits(50, 5),
    ['9'.repeat(46)],
  ],

  [
    'text length counts code points',
    'VARCHAR',
    [null, '', 'ab', 'é', '😀😀😀', 'abcd'],
    { kind: 'text-length', column, min: 1, max: 3 },
    ['', 'abcd'],
  ],
  ['text length of a number', 'INTEGER', ['1', '-12'], { kind: 'text-length', column, max: 2 }, ['-12']],

  [
    'an expression: NULL fails',
    'INTEGER',
    [null, '1', '2'],
    { kind: 'expression', expression: { sql: '"the ""col""" > 1', variables: {} } },
    [null, '1'],
  ],
]

describe('the values that fail each predicate', () => {
  it.each(cases)('%s (%s)', async (_, dataType, values, predicate, expected) => {
    expect(await failing(dataType, values, predicate)).toEqual(expected)
  })

  it.each<[string, string, Predicate & RowPredicate]>([
    ['an unknown column', 'VARCHAR', { kind: 'missing', column: 'nope', blankToo: false }],
    ['a bound that is not a number', 'INTEGER', range('x', null)],
    ['numbers against dates', 'DATE', range('1', null)],
    ['dates against numbers', 'INTEGER', times('date', '2024-01-01', null)],
    ['an unknown type', 'VARCHAR', type('INTEGER); DROP TABLE x; --')],
    ['a scale beyond the precision', 'VARCHAR', digits(2, 3)],
  ])('refuses %s', async (_, dataType, predicate) => {
    await expect(failing(dataType, ['1'], predicate)).rejects.toMatchObject({ code: 'invalid' })
  })
})
