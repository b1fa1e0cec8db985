import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** A CSV file with an oddity, and its correct content, written by hand. */
export interface NastyFile {
  name: string
  /** The oddity. */
  about: string
  bytes: Buffer
  columns: { name: string; dataType: string }[]
  /** Values as the engine writes them as text, NULL as null. */
  rows: (string | null)[][]
  /** Malformed lines, and a part of the warning about each. */
  warnings: { line: number; about: string }[]
}

interface Case {
  name: string
  about: string
  text: string | Buffer
  /** `name TYPE`, the type after the last whitespace. */
  columns: [string, string][]
  rows: (string | null)[][]
  warnings?: [number, string][]
}

function nasty({ name, about, text, columns, rows, warnings = [] }: Case): NastyFile {
  return {
    name,
    about,
    bytes: typeof text === 'string' ? Buffer.from(text, 'utf8') : text,
    columns: columns.map(([column, dataType]) => ({ name: column, dataType })),
    rows,
    warnings: warnings.map(([line, what]) => ({ line, about: what })),
  }
}

/** One column `v` next to a column `n` that keeps the lines from being blank. */
function column(name: string, about: string, dataType: string, cells: readonly [string, string | null][]): NastyFile {
  return nasty({
    name,
    about,
    text: `n,v\n${cells.map(([cell], index) => `${index},${cell}\n`).join('')}`,
    columns: [
      ['n', 'BIGINT'],
      ['v', dataType],
    ],
    rows: cells.map(([, value], index) => [String(index), value]),
  })
}

const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])

/** Files with odd values in well-formed lines. */
const values: readonly NastyFile[] = [
  column('empty-and-null.csv', 'an empty quoted field is empty text, an empty unquoted one is NULL', 'VARCHAR', [
    ['""', ''],
    ['', null],
    ['x', 'x'],
    ['" "', ' '],
    ['NULL', 'NULL'],
    ['"NULL"', 'NULL'],
  ]),
  column('all-null.csv', 'a column without a value', 'VARCHAR', [
    ['', null],
    ['', null],
  ]),
  column('blanks.csv', 'blanks are text', 'VARCHAR', [
    [' ', ' '],
    ['1', '1'],
  ]),
  column('blank-number.csv', 'a blank next to a number makes text', 'VARCHAR', [
    [' 42', ' 42'],
    ['1', '1'],
  ]),
  column('leading-zeros.csv', 'leading zeros make text', 'VARCHAR', [
    ['1', '1'],
    ['007', '007'],
  ]),
  column('zero.csv', 'a single zero is a number', 'BIGINT', [
    ['0', '0'],
    ['-5', '-5'],
    ['', null],
  ]),
  column('plus.csv', 'a plus sign makes text', 'VARCHAR', [['+49', '+49']]),
  column('minus-zero.csv', 'only a double keeps minus zero', 'DOUBLE', [
    ['-0', '-0.0'],
    ['1', '1.0'],
  ]),
  column('above-2-53.csv', 'whole numbers above 2^53', 'BIGINT', [
    ['9007199254740993', '9007199254740993'],
    ['-9223372036854775808', '-9223372036854775808'],
  ]),
  column('above-2-63.csv', 'whole numbers above 2^63', 'HUGEINT', [
    ['9223372036854775808', '9223372036854775808'],
    ['1', '1'],
  ]),
  column('above-2-127.csv', 'whole numbers that no type can represent', 'VARCHAR', [
    ['999999999999999999999999999999999999999999', '999999999999999999999999999999999999999999'],
    ['1', '1'],
  ]),
  column('decimal.csv', 'decimals that a double can represent', 'DOUBLE', [
    ['0.1', '0.1'],
    ['12.50', '12.5'],
    ['-.5', '-0.5'],
    ['3', '3.0'],
    ['0.30000000000000004', '0.30000000000000004'],
  ]),
  column('long-decimal.csv', 'decimals that a double cannot represent', 'DECIMAL(20,3)', [
    ['12345678901234567.891', '12345678901234567.891'],
    ['0.5', '0.500'],
  ]),
  column('mixed-above-2-53.csv', 'a whole number above 2^53 among decimals', 'DECIMAL(17,1)', [
    ['9007199254740993', '9007199254740993.0'],
    ['0.5', '0.5'],
  ]),
  column('exponent.csv', 'exponents', 'DOUBLE', [
    ['1e3', '1000.0'],
    ['2', '2.0'],
  ]),
  column('overflow.csv', 'a number that no double can represent', 'VARCHAR', [
    ['1e400', '1e400'],
    ['2', '2'],
  ]),
  column('nan.csv', 'NaN and infinities among numbers', 'DOUBLE', [
    ['NaN', 'nan'],
    ['inf', 'inf'],
    ['-Infinity', '-inf'],
    ['1.5', '1.5'],
  ]),
  column('nan-only.csv', 'NaN without numbers is text', 'VARCHAR', [['NaN', 'NaN']]),
  column('underscore.csv', 'underscores and hex are text', 'VARCHAR', [
    ['1_000', '1_000'],
    ['0x10', '0x10'],
  ]),
  column('boolean.csv', 'true and false in any case', 'BOOLEAN', [
    ['true', 'true'],
    ['FALSE', 'false'],
    ['', null],
  ]),
  column('yes-no.csv', 'yes and no are text', 'VARCHAR', [
    ['yes', 'yes'],
    ['no', 'no'],
  ]),
  column('dates.csv', 'dates before 1970 and on a leap day', 'DATE', [
    ['1899-12-31', '1899-12-31'],
    ['0001-01-01', '0001-01-01'],
    ['2024-02-29', '2024-02-29'],
  ]),
  column('no-such-date.csv', 'an invalid date makes text', 'VARCHAR', [
    ['2024-02-29', '2024-02-29'],
    ['2023-02-29', '2023-02-29'],
  ]),
  column('other-dates.csv', 'dates of other countries are text', 'VARCHAR', [['31.12.2024', '31.12.2024']]),
  column('timestamps.csv', 'times without a zone', 'TIMESTAMP', [
    ['1969-07-20T20:17:40', '1969-07-20 20:17:40'],
    ['2026-01-02 03:04:05.123456', '2026-01-02 03:04:05.123456'],
    ['2026-01-02', '2026-01-02 00:00:00'],
  ]),
  column('zones.csv', 'times with a zone', 'TIMESTAMP WITH TIME ZONE', [
    ['2026-01-02T03:04:05Z', '2026-01-02 03:04:05+00'],
    ['2026-01-02 03:04:05+02:00', '2026-01-02 01:04:05+00'],
  ]),
  column('mixed-zones.csv', 'times with and without a zone in one column are text', 'VARCHAR', [
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02T03:04:05', '2026-01-02T03:04:05'],
  ]),
  column('times.csv', 'times of day', 'TIME', [
    ['23:59:59', '23:59:59'],
    ['00:00', '00:00:00'],
  ]),
  column('unicode.csv', 'emoji and combining characters', 'VARCHAR', [
    ['👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦'],
    ['e\u0301', 'e\u0301'],
    ['\u00e9', '\u00e9'],
    ['مرحبا', 'مرحبا'],
  ]),
  column('quotes.csv', 'quotes, commas and line ends in quotes', 'VARCHAR', [
    ['"a,b"', 'a,b'],
    ['"say ""hi"""', 'say "hi"'],
    ['"two\nlines"', 'two\nlines'],
    ['"two\r\nlines"', 'two\r\nlines'],
    ['""""', '"'],
  ]),
]

/** Files with odd lines, names or bytes. */
const lines: readonly NastyFile[] = [
  nasty({
    name: 'bom-crlf.csv',
    about: 'a byte order mark and CRLF',
    text: '\ufeffa,b\r\n1,x\r\n2,\r\n',
    columns: [
      ['a', 'BIGINT'],
      ['b', 'VARCHAR'],
    ],
    rows: [
      ['1', 'x'],
      ['2', null],
    ],
  }),
  nasty({
    name: 'no-last-line-end.csv',
    about: 'the last line has no line end',
    text: 'a,b\n1,x\n2,',
    columns: [
      ['a', 'BIGINT'],
      ['b', 'VARCHAR'],
    ],
    rows: [
      ['1', 'x'],
      ['2', null],
    ],
  }),
  nasty({
    name: 'mixed-line-ends.csv',
    about: 'LF and CRLF in one file',
    text: 'a,b\n1,x\r\n2,y\n',
    columns: [
      ['a', 'BIGINT'],
      ['b', 'VARCHAR'],
    ],
    rows: [
      ['1', 'x'],
      ['2', 'y'],
    ],
  }),
  nasty({
    name: 'ragged.csv',
    about: 'fields are missing or too many, and a line is empty',
    text: 'a,b,c\n1,x,p\n2\n3,y,q,surplus,more\n\n"4\n",z\n5,w,r\n',
    columns: [
      ['a', 'VARCHAR'],
      ['b', 'VARCHAR'],
      ['c', 'VARCHAR'],
    ],
    rows: [
      ['1', 'x', 'p'],
      ['2', null, null],
      ['3', 'y', 'q'],
      [null, null, null],
      ['4\n', 'z', null],
      ['5', 'w', 'r'],
    ],
    warnings: [
      [3, '1 field instead of 3'],
      [4, '5 fields instead of 3'],
      [5, 'empty'],
      [6, '2 fields instead of 3'],
    ],
  }),
  nasty({
    name: 'bad-bytes.csv',
    about: 'bytes that are not UTF-8',
    text: Buffer.concat([
      Buffer.from('a,b\n1,caf'),
      Buffer.from([0xe9]),
      Buffer.from('\n2,ok\n3,'),
      Buffer.from([0x81, 0x8d]),
      Buffer.from('x\n'),
    ]),
    columns: [
      ['a', 'BIGINT'],
      ['b', 'VARCHAR'],
    ],
    rows: [
      ['1', 'caf\ufffd'],
      ['2', 'ok'],
      ['3', '\ufffd\ufffdx'],
    ],
    warnings: [
      [2, 'U+FFFD'],
      [4, 'U+FFFD'],
    ],
  }),
  nasty({
    name: 'stray-quotes.csv',
    about: 'quotes within text and text after quotes',
    text: 'a,b\n1,5" disk\n2,"x"y\n3, "p"\n',
    columns: [
      ['a', 'BIGINT'],
      ['b', 'VARCHAR'],
    ],
    rows: [
      ['1', '5" disk'],
      ['2', 'xy'],
      ['3', ' "p"'],
    ],
    warnings: [[3, 'closing quote']],
  }),
  nasty({
    name: 'unclosed-quote.csv',
    about: 'a quote that never closes does not swallow lines',
    text: 'a,b\n1,x\n2,"oops\n3,y\n4,z\n',
    columns: [
      ['a', 'BIGINT'],
      ['b', 'VARCHAR'],
    ],
    rows: [
      ['1', 'x'],
      ['2', '"oops'],
      ['3', 'y'],
      ['4', 'z'],
    ],
    warnings: [[3, 'never closes']],
  }),
  nasty({
    name: 'duplicate-headers.csv',
    about: 'duplicate and missing names',
    text: 'a,a,,A,a_1\n1,2,3,4,5\n',
    columns: [
      ['a', 'BIGINT'],
      ['a_2', 'BIGINT'],
      ['column2', 'BIGINT'],
      ['A_3', 'BIGINT'],
      ['a_1', 'BIGINT'],
    ],
    rows: [['1', '2', '3', '4', '5']],
  }),
  nasty({
    name: 'odd-names.csv',
    about: 'names that need quoting',
    text: 'select,a b,"a""b",größe,"x,y",a\'b\n1,2,3,4,5,6\n',
    columns: [
      ['select', 'BIGINT'],
      ['a b', 'BIGINT'],
      ['a"b', 'BIGINT'],
      ['größe', 'BIGINT'],
      ['x,y', 'BIGINT'],
      ["a'b", 'BIGINT'],
    ],
    rows: [['1', '2', '3', '4', '5', '6']],
  }),
  nasty({
    name: "odd [file] 'name'.csv",
    about: 'a file name with wildcards and quotes',
    text: 'a\n1\n',
    columns: [['a', 'BIGINT']],
    rows: [['1']],
  }),
  nasty({
    name: 'one-column.csv',
    about: 'empty lines in a file of one column are NULL',
    text: 'a\nx\n\n""\ny\n',
    columns: [['a', 'VARCHAR']],
    rows: [['x'], [null], [''], ['y']],
  }),
  nasty({
    name: 'header-only.csv',
    about: 'a header and no rows',
    text: 'a,b\n',
    columns: [
      ['a', 'VARCHAR'],
      ['b', 'VARCHAR'],
    ],
    rows: [],
  }),
  nasty({
    name: 'semicolons.csv',
    about: 'semicolons, and decimal commas, which are text',
    text: 'a;b;c\n1;2,5;x\n2;3,5;y, z\n',
    columns: [
      ['a', 'BIGINT'],
      ['b', 'VARCHAR'],
      ['c', 'VARCHAR'],
    ],
    rows: [
      ['1', '2,5', 'x'],
      ['2', '3,5', 'y, z'],
    ],
  }),
  nasty({
    name: 'tabs.tsv',
    about: 'tabs',
    text: 'a\tb\n1\tx, y\n2\t\n',
    columns: [
      ['a', 'BIGINT'],
      ['b', 'VARCHAR'],
    ],
    rows: [
      ['1', 'x, y'],
      ['2', null],
    ],
  }),
  nasty({
    name: 'pipes.csv',
    about: 'vertical bars',
    text: 'a|b\n1|x,y\n2|z\n',
    columns: [
      ['a', 'BIGINT'],
      ['b', 'VARCHAR'],
    ],
    rows: [
      ['1', 'x,y'],
      ['2', 'z'],
    ],
  }),
  nasty({
    name: 'no-header.csv',
    about: 'no header: the first line is data',
    text: '1,alice,2.5\n2,bob,3.5\n',
    columns: [
      ['column0', 'BIGINT'],
      ['column1', 'VARCHAR'],
      ['column2', 'DOUBLE'],
    ],
    rows: [
      ['1', 'alice', '2.5'],
      ['2', 'bob', '3.5'],
    ],
  }),
  nasty({
    name: 'year-names.csv',
    about: 'years as column names',
    text: 'country,2024,2025\nDE,1,2\nFR,3,4\n',
    columns: [
      ['country', 'VARCHAR'],
      ['2024', 'BIGINT'],
      ['2025', 'BIGINT'],
    ],
    rows: [
      ['DE', '1', '2'],
      ['FR', '3', '4'],
    ],
  }),
  nasty({
    name: 'utf-16.csv',
    about: 'UTF-16 with its byte order mark',
    text: utf16('a,b\n1,größe\n2,😀\n'),
    columns: [
      ['a', 'BIGINT'],
      ['b', 'VARCHAR'],
    ],
    rows: [
      ['1', 'größe'],
      ['2', '😀'],
    ],
  }),
  nasty({
    name: 'packed.csv.gz',
    about: 'compressed with gzip',
    text: gzipSync('a,b\n1,x\n2,y\n'),
    columns: [
      ['a', 'BIGINT'],
      ['b', 'VARCHAR'],
    ],
    rows: [
      ['1', 'x'],
      ['2', 'y'],
    ],
  }),
  nasty({
    name: 'packed-ragged.csv.gz',
    about: 'compressed with gzip, with a short line',
    text: gzipSync('a,b\n1,x\n2\n'),
    columns: [
      ['a', 'BIGINT'],
      ['b', 'VARCHAR'],
    ],
    rows: [
      ['1', 'x'],
      ['2', null],
    ],
    warnings: [[3, '1 field instead of 2']],
  }),
  nasty({
    name: 'late.csv',
    about: 'a word after 30,000 numbers',
    text: `n,v\n${Array.from({ length: 30_000 }, (_, n) => `${n},${n % 7}\n`).join('')}30000,late\n`,
    columns: [
      ['n', 'BIGINT'],
      ['v', 'VARCHAR'],
    ],
    rows: [...Array.from({ length: 30_000 }, (_, n) => [String(n), String(n % 7)]), ['30000', 'late']],
  }),
  nasty({
    name: 'late-decimal.csv',
    about: 'a decimal after 30,000 whole numbers',
    text: `n,v\n${Array.from({ length: 30_000 }, (_, n) => `${n},${n % 7}\n`).join('')}30000,0.5\n`,
    columns: [
      ['n', 'BIGINT'],
      ['v', 'DOUBLE'],
    ],
    rows: [...Array.from({ length: 30_000 }, (_, n) => [String(n), `${n % 7}.0`]), ['30000', '0.5']],
  }),
]

/** Every odd CSV file of the kit. */
export const nastyCsvFiles: readonly NastyFile[] = [...values, ...lines]

/** Writes the odd CSV files to a folder and returns their content. */
export async function writeNastyCsv(folder: string): Promise<readonly NastyFile[]> {
  await mkdir(folder, { recursive: true })
  for (const file of nastyCsvFiles) await writeFile(join(folder, file.name), file.bytes)
  return nastyCsvFiles
}
