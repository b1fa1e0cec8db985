import type { DatasetLocator, QueryLocator } from '../dataset.ts'
import type { Metric, Predicate } from '../plan.ts'
import type { MeasuringEngine } from '../port.ts'
import { noRows } from '../row-sink.ts'
import { textLiteral } from '../sql/quote.ts'
import { planFor, rows, written } from '../testing/plans.ts'

const { signal } = new AbortController()

/** Texts that databases, collations, casts and regular expressions take for different things. */
const texts = [
  ...[
    null,
    '',
    ' ',
    'a',
    'A',
    'á',
    'a\u0301',
    'a ',
    'b',
    'ß',
    'ss',
    '😀',
    "it's",
    'back\\slash',
    '%',
    '_',
    'NULL',
    'null',
  ],
  ...[
    'tab\t',
    'line\n',
    'a\nb',
    '\u00a0',
    '\u3000',
    '１',
    'İ',
    'ı',
    '\u212a',
    'k',
    '"',
    '`',
    '$1',
    '${x}',
    '--',
    '/* x */',
    '\u200b',
  ],
  ...[
    '0',
    '-0',
    '00',
    '1',
    '1.0',
    '1.00',
    '+1',
    ' 1 ',
    '1e3',
    '1E+3',
    '00012.500',
    '.5',
    '5.',
    '-.5e-1',
    '1_000',
    '0x10',
    '1,5',
  ],
  ...[
    '9223372036854775808',
    '-9223372036854775809',
    '12345678901234567890123456789012345678901234567890.5',
    '1e400',
    '1e-400',
  ],
  ...['NaN', 'inf', '-Infinity', 'true', 'TRUE', 't', 'yes', '2'],
  ...[
    '2024-02-29',
    '2023-02-29',
    '2024-2-9',
    '0000-01-01',
    '9999-12-31',
    '2024-02-29 12:00',
    '2024-02-29T12:00:00.123456Z',
  ],
  ...[
    '2024-02-29T12:00:00+02:00',
    '2024-02-29 24:00:00',
    '12:00:00',
    '12:00',
    '25:00:00',
    '2024-02-29T12:00:00.1234567Z',
  ],
  ...['123e4567-e89b-12d3-a456-426655440000', '123e4567e89b12d3a456426655440000', '123e4567', `${'x'.repeat(3000)}y`],
] as const

const doubles = ['0.1', '-0.0', '1e300', '-1.5', '9007199254740993', '1e-300', '3', '2.675', null]
const numbers = ['9223372036854775807', '-9223372036854775808', '0', '9007199254740993', '-1', '12', '100', null]
const decimals = ['0.1', '-0.10', '12345678901234.123456', '-99999999999999.999999', '0', '1', '2.5', null]
const days = ['2024-02-29', '1969-12-31', '0001-01-01', '9999-12-31', null]
const flags = ['true', 'false', null]
const codes = ['a', 'ab', 'open', '', 'b c', 'á', null]

/** The time of a row's period: one day for each row, so that each check has a result for each row. */
const dayOf = (index: number) => new Date(Date.UTC(2024, 0, 1 + index)).toISOString().slice(0, 10)
const at = <T>(values: readonly T[], index: number) => values[index % values.length] ?? null

export const names = {
  duckdb: ['VARCHAR', 'BIGINT', 'DECIMAL(20,6)', 'DOUBLE', 'DATE', 'TIMESTAMP', 'BOOLEAN', 'TIMESTAMP', 'VARCHAR'],
  postgres: [
    'text',
    'bigint',
    'numeric(20,6)',
    'double precision',
    'date',
    'timestamp',
    'boolean',
    'timestamp',
    'char(4)',
  ],
  mariadb: [
    'longtext',
    'bigint',
    'decimal(20,6)',
    'double',
    'date',
    'datetime(6)',
    'boolean',
    'datetime(6)',
    'char(4)',
  ],
  trino: ['varchar', 'bigint', 'decimal(20,6)', 'double', 'date', 'timestamp(6)', 'boolean', 'timestamp(6)', 'char(4)'],
}
const columns = ['t', 'n', 'd', 'x', 'day', 'made', 'yes', 'period', 'code']

/** Allowed values, for lookups. */
const listed = [
  ["'a'", '12', '0.1', '2.500', "'2024-02-29'"],
  ["'A '", '9223372036854775807', '100', '12345678901234.123', "'9999-12-31'"],
  ["'1'", '-1', '9007199254740992', '0.100', 'NULL'],
  ["'true'", '0', '-1.5', '12.000', "'1969-12-31'"],
  ["'2024-02-29'", '1', '3', '-1.000', "'0001-01-01'"],
  ['NULL', 'NULL', 'NULL', 'NULL', 'NULL'],
]

/** `casts`: writes each value as a text that is cast to its column's type, for databases that convert no literals. */
export function statements(types: readonly string[], casts = false): string[] {
  const cell = (text: string | null, index: number, written = text) =>
    text === null ? 'NULL' : casts ? `CAST(${textLiteral(text)} AS ${types[index]})` : written
  const quoted = (text: string | null, index: number) => cell(text, index, text === null ? null : textLiteral(text))
  const typed = columns.map((name, index) => `${name} ${types[index]}${casts ? '' : ' NULL'}`)
  const values = texts.map((text, index) => {
    const day = at(days, index)
    const made = day === null ? null : `${day} 23:59:59.${index % 2 === 0 ? '999999' : '5'}`
    const cells = [at(numbers, index), at(decimals, index), at(doubles, index)].map((one, place) =>
      cell(one, place + 1),
    )
    const times = [
      quoted(day, 4),
      quoted(made, 5),
      cell(at(flags, index), 6),
      quoted(dayOf(index), 7),
      quoted(at(codes, index), 8),
    ]
    return `(${[quoted(text, 0), ...cells, ...times].join(', ')})`
  })
  const [text, integer, decimal = '', double, day] = types
  const ofListed = [text, integer, double, decimal.replace(/\(.*\)/, '(20,3)'), day]
  const inListed = (literal: string, index: number) =>
    casts && literal !== 'NULL' ? `CAST('${literal.replaceAll("'", '')}' AS ${ofListed[index]})` : literal
  const columnsOfListed = ['t', 'n', 'x', 'd', 'day'].map((name, index) => `${name} ${ofListed[index]}`)
  return [
    ...[`CREATE TABLE nasty (${typed.join(', ')})`, `INSERT INTO nasty VALUES ${values.join(', ')}`],
    `CREATE TABLE listed (${columnsOfListed.join(', ')})`,
    `INSERT INTO listed VALUES ${listed.map((row) => `(${row.map(inListed).join(', ')})`).join(', ')}`,
  ]
}

const number = (text: string) => ({ kind: 'number', text }) as const
const regex = (pattern: string, partial = false): Predicate => ({ kind: 'regex', column: 't', pattern, partial })
const range = (column: string, bounds: object): Predicate => ({ kind: 'range', column, inclusive: true, ...bounds })
const list = (column: string, values: (string | number | boolean)[], negate = false): Predicate => ({
  ...{ kind: 'in-list', column, values, negate },
})
const ofType = (dataType: string, column = 't'): Predicate => ({ kind: 'datatype', column, dataType })

const checks: Readonly<Record<string, Predicate>> = {
  'missing text': { kind: 'missing', column: 't', blankToo: false },
  'missing or blank text': { kind: 'missing', column: 't', blankToo: true },
  'one character': { kind: 'text-length', column: 't', min: 1, max: 1 },
  'regex a': regex('a'),
  'regex a|b': regex('a|b'),
  'regex (?i)a|k': regex('(?i)(a|k)'),
  'regex .': regex('.'),
  'regex \\d+': regex('\\d+'),
  'regex \\w': regex('\\w', true),
  'regex \\s': regex('\\s', true),
  'regex ^line$': regex('^line$', true),
  'regex [[:alpha:]]+': regex('[[:alpha:]]+'),
  'regex \\bb\\b': regex('\\bb\\b', true),
  'text list': list('t', ['a', 'ss', "it's", 'back\\slash', 'K', '']),
  'text list with numbers': list('t', [1, 1000, 0.5, 0, 'a'], true),
  'text from a to b': range('t', { min: { kind: 'text', text: 'a' }, max: { kind: 'text', text: 'b' } }),
  'text as number at least 1': range('t', { min: number('1') }),
  'text as number below 1e39': range('t', { max: number('1e39'), inclusive: false }),
  'text as time': range('t', { min: { kind: 'time', text: '2024-02-29T10:00:00Z' } }),
  'text as day': range('t', { max: { kind: 'date', text: '2024-02-29' } }),
  'text precision': { kind: 'precision-scale', column: 't', precision: 4, scale: 1 },
  'text is INTEGER': ofType('INTEGER'),
  'text is BIGINT': ofType('BIGINT'),
  'text is DECIMAL(6,2)': ofType('DECIMAL(6,2)'),
  'text is DOUBLE': ofType('DOUBLE'),
  'text is BOOLEAN': ofType('BOOLEAN'),
  'text is DATE': ofType('DATE'),
  'text is TIME': ofType('TIME'),
  'text is TIMESTAMP': ofType('TIMESTAMP'),
  'text is TIMESTAMPTZ': ofType('TIMESTAMPTZ'),
  'text is UUID': ofType('UUID'),
  'integer range': range('n', { min: number('-0.5'), max: number('9007199254740992.5') }),
  'integer list': list('n', ['9007199254740993', 0, 'x']),
  'integer precision': { kind: 'precision-scale', column: 'n', precision: 2, scale: 0 },
  'integer is INTEGER': ofType('INTEGER', 'n'),
  'decimal range': range('d', { min: number('-0.1'), max: number('12345678901234.1234559') }),
  'decimal list': list('d', [0.1, '2.50']),
  'decimal precision': { kind: 'precision-scale', column: 'd', precision: 4, scale: 1 },
  'decimal is INTEGER': ofType('INTEGER', 'd'),
  'double range': range('x', { min: number('0'), max: number('9007199254740992') }),
  'double list': list('x', [0.1, 3, '1e300']),
  'double precision': { kind: 'precision-scale', column: 'x', precision: 4, scale: 2 },
  'double is BIGINT': ofType('BIGINT', 'x'),
  'day range': range('day', { min: { kind: 'date', text: '1970-01-01' }, max: { kind: 'date', text: '9999-12-30' } }),
  'day list': list('day', ['2024-02-29', '2023-02-29']),
  'time range': range('made', { max: { kind: 'date', text: '2024-02-28' } }),
  'time bound': range('made', { min: { kind: 'time', text: '2024-03-01T01:59:59.6+02:00' } }),
  'code regex': { kind: 'regex', column: 'code', pattern: 'open|ab', partial: false },
  'code regex to the end': { kind: 'regex', column: 'code', pattern: '[bc]$', partial: true },
  'code list': list('code', ['open', '', 'ab ']),
  'code length': { kind: 'text-length', column: 'code', min: 2, max: 3 },
  'code range': range('code', { min: { kind: 'text', text: 'ab' }, max: { kind: 'text', text: 'b c' } }),
  'code expression': { kind: 'expression', expression: written("code IS NULL OR concat(code, '.') <> 'open.'") },
  'boolean list': list('yes', ['true']),
  expression: { kind: 'expression', expression: written("n > 5 AND (t IS NULL OR t <> 'a')") },
}

/** Lookups: the column, and the column of `listed` with the allowed values. */
const lookups = [
  ...[
    ['t', 't'],
    ['t', 'n'],
    ['t', 'day'],
    ['n', 'n'],
    ['n', 'd'],
    ['n', 'x'],
    ['n', 't'],
    ['d', 'x'],
    ['d', 'd'],
  ],
  ...[
    ['x', 'd'],
    ['x', 'x'],
    ['day', 'day'],
    ['day', 't'],
    ['made', 'day'],
    ['yes', 't'],
  ],
] as const
export const lookupsIn = (dataset: DatasetLocator) =>
  lookups.map(([column, other]): [string, Predicate] => [
    `${column} in ${other}`,
    { kind: 'in-lookup', column, lookup: { dataset, column: other } },
  ])
const checksOf = (dataset: DatasetLocator): [string, Predicate][] => [...Object.entries(checks), ...lookupsIn(dataset)]

/** A view over a table, with the same rows. */
export const viewOf = (dataset: DatasetLocator, sql = 'WITH few AS (SELECT * FROM "rows") SELECT few.* FROM few') => {
  if (dataset.kind === 'query') throw new Error('A view reads tables.')
  const query: QueryLocator = {
    ...{ kind: 'query', sql, tables: [{ name: 'rows', dataset }], columns: [], fingerprint: '' },
  }
  return query
}

/** SELECTs that no view may have, by what the message says. `rows` is the only table. */
export const refusedViews: readonly (readonly [string, RegExp])[] = [
  ['SELECT * FROM "nasty"', /There is no table "nasty" here/],
  ['SELECT * FROM assay.hidden', /cannot be read here/],
  [
    'SELECT 1 AS one FROM "rows") AS answer; DROP TABLE nasty; SELECT * FROM (SELECT 1 AS one',
    /bracket|expected|semicolon/,
  ],
  ['SELECT 1 AS one) UNION (SELECT 2', /bracket|expected/],
  ['SELECT 1 AS one FROM "rows" /* ', /comment|Comment/],
  ['SELECT 1 AS one; SELECT 2 AS two', /semicolon/],
  ['DELETE FROM "rows"', /Only a SELECT/],
  ['INSERT INTO "rows" SELECT * FROM "rows"', /Only a SELECT/],
  ['WITH gone AS (DELETE FROM "rows" RETURNING *) SELECT * FROM gone', /./],
  ['SELECT * INTO copy FROM "rows"', /cannot be parsed/],
  ['SELECT sleep(1) AS one FROM "rows"', /There is no function "sleep"/],
  ['SELECT current_user AS one FROM "rows"', /cannot be used here/],
  ['SELECT t, t FROM "rows"', /"t" twice|Duplicate column/],
  ['SELECT t, r.priod FROM "rows" AS r', /^There is no column "priod"; did you mean "period"\? \(character 13\)$/],
]

/** SELECTs that all databases read alike. */
export const selects = [
  'SELECT count(*) FROM asset WHERE n > 0',
  'SELECT count(*) FROM asset AS a JOIN "listed" AS l ON a.n = l.n',
  'SELECT sum(asset.d) FROM asset, "listed" WHERE asset.d = "listed".d',
  'WITH few AS (SELECT n, count(*) AS c FROM asset GROUP BY n) SELECT max(c) FROM few',
  'SELECT count(*) FROM (SELECT n, row_number() OVER (PARTITION BY n ORDER BY period) AS r FROM asset) AS f WHERE r > 1;',
  'SELECT (SELECT count(*) FROM "listed" WHERE n IS NULL) + count(*) FROM asset WHERE NOT EXISTS (SELECT 1 FROM "listed" AS l WHERE l.n = asset.n)',
  "SELECT count(DISTINCT CASE WHEN n IN (12, 100) THEN upper('x') END) FROM asset",
]
/** SELECTs that are refused, by what the message says. */
export const refusedSelects: readonly (readonly [string, RegExp])[] = [
  ['SELECT count(*) FROM hidden', /There is no table "hidden" here/],
  ['SELECT count(*) FROM nasty', /There is no table "nasty" here/],
  ['SELECT count(*) FROM asset, assay.hidden', /cannot be read here/],
  ['SELECT count(*) FROM asset WHERE n = (SELECT max(n) FROM hidden)', /There is no table "hidden" here/],
  ['WITH Hidden AS (SELECT 1) SELECT count(*) FROM hidden', /There is no table "hidden" here/],
  ['SELECT sleep(1)', /There is no function "sleep"/],
  ['SELECT count(*), 1 FROM asset', /returns 2 columns/],
  ['SELECT max(day) FROM asset', /must return a number/],
  ['SELECT max("priod") FROM asset', /^There is no column "priod"; did you mean "period"\? \(character 12\)$/],
  ['SELECT n FROM asset', /must return one row, but returns more/],
  ['SELECT count(*) FROM asset; SELECT 1', /without a semicolon/],
  ['DELETE FROM asset', /Only a SELECT/],
]

export const aggregates: Metric[] = [
  rows(1, { kind: 'duplicate', columns: ['t'] }),
  rows(2, { kind: 'duplicate', columns: ['n', 'd', 'x'] }),
  rows(3, { kind: 'duplicate', columns: null }),
  ...['t', 'n', 'd', 'x', 'day', 'made', 'yes', 'code'].flatMap((column, index): Metric[] => [
    { kind: 'distinct', id: 10 + index, column },
    { kind: 'aggregate', id: 20 + index, fn: 'COUNT', column },
    ...(column === 'yes' ? [] : [{ kind: 'aggregate', id: 30 + index, fn: 'MIN', column } as const]),
    ...(column === 'yes' ? [] : [{ kind: 'aggregate', id: 40 + index, fn: 'MAX', column } as const]),
  ]),
  { kind: 'aggregate', id: 50, fn: 'SUM', column: 'n' },
  { kind: 'aggregate', id: 51, fn: 'SUM', column: 'd' },
  { kind: 'aggregate', id: 52, fn: 'AVG', column: 'n' },
  { kind: 'newest', id: 60, column: 'made' },
  { kind: 'newest', id: 61, column: 't' },
]

export interface Subject {
  engine: MeasuringEngine
  table: DatasetLocator
  listed: DatasetLocator
}

const impossible = 'cannot be evaluated'
/** The texts or row numbers of the rows that fail a check. */
type Failing = readonly (string | number | null)[] | typeof impossible

export async function failing(
  { engine, table, listed }: Subject,
  all = checksOf(listed),
): Promise<Map<string, Failing>> {
  const bounds = Array.from({ length: texts.length + 1 }, (_, index) => `${dayOf(index)}T00:00:00`)
  const metrics = all.map(([, predicate], id) => rows(id, predicate))
  const plan = { dataset: table, time: [{ column: 'period', format: null }], bounds, metrics }
  const { periods } = await engine.measurePeriods(plan, { signal })
  return new Map(
    all.map(([name], id): [string, Failing] => {
      const results = periods.map((period) => period.metrics[id])
      if (results.some((one) => one?.kind !== 'rows')) return [name, impossible]
      const failed = results.flatMap((one, row) => (one?.kind === 'rows' && one.failed > 0 ? [row] : []))
      return [name, /^(?:text|regex)/.test(name) ? failed.map((row) => texts[row] ?? null) : failed]
    }),
  )
}

/** What an engine says about the rows of a table, and of a table that lists values. */
export async function answersOf(subject: Subject) {
  const { engine, table, listed } = subject
  const metrics = [
    ...aggregates,
    ...selects.map((text, index): Metric => {
      return { kind: 'select', id: 100 + index, select: written(text), tables: [{ name: 'listed', dataset: listed }] }
    }),
  ]
  const measured = await engine.measure(planFor(table, metrics), { rows: noRows, signal })
  const described = await engine.describe({ dataset: table }, { signal })
  return {
    failing: await failing(subject),
    metrics: measured.metrics,
    sampled: await engine.sample({ dataset: table, limit: 100 }, { signal }).then((sample) => sample.rows),
    // A view has no `char`: its SELECT reads them as texts.
    columns: described.columns.map(({ name, dataType, content }) => {
      return { name, dataType: name === 'code' ? 'text' : dataType, content }
    }),
  }
}

type Difference = { only: Failing; missing: Failing } | typeof impossible | null

export function difference(expected: Failing = impossible, found: Failing = impossible): Difference {
  if (typeof expected === 'string' || typeof found === 'string') return impossible
  const only = found.filter((one) => !expected.includes(one))
  const missing = expected.filter((one) => !found.includes(one))
  return only.length + missing.length === 0 ? null : { only, missing }
}

/** What an engine answers otherwise than DuckDB, by check: texts that fail in it only, and in DuckDB only. */
export const inBoth = {
  'text as number at least 1': { only: ['1_000', 'inf'], missing: [] },
  'text as number below 1e39': { only: ['1_000', '-Infinity'], missing: [] },
  'text list with numbers': { only: [], missing: ['1_000'] },
  'text as day': { only: ['2024-2-9', '0000-01-01', '2024-02-29T12:00:00.1234567Z'], missing: [] },
  'text as time': { only: ['2024-02-29 24:00:00', '2024-02-29T12:00:00.1234567Z'], missing: [] },
  'text is DATE': { only: ['2024-2-9', '0000-01-01'], missing: [] },
  'text is TIMESTAMP': { only: ['2024-2-9', '0000-01-01', '2024-02-29 24:00:00'], missing: [] },
  'text is TIMESTAMPTZ': { only: ['2024-2-9', '0000-01-01', '2024-02-29 24:00:00'], missing: [] },
}
