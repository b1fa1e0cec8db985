import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteName } from '../../sql/quote.ts'
import { rowsOf } from './sql.ts'

/**
 * Number of rows of the first sample; wide tables get fewer. The types that the sample suggests are then checked
 * against all rows.
 */
const SAMPLE_ROWS = 20_480
const SAMPLE_VALUES = 2_000_000
const LEAST_SAMPLE_ROWS = 1_000

/**
 * Which types are inferred from text. `temporal`: only dates and times, for text that was quoted in JSON. `numeric`:
 * for numbers in JSON, where whole numbers beyond 64 bits are decimals.
 */
export type TextKinds = 'all' | 'temporal' | 'numeric'

const fraction = String.raw`(?:\.\d{1,6})?`
const clock = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`
const numberShape = String.raw`-?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`
const decimalShape = String.raw`-?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)`
const timestampShape = String.raw`\d{4}-\d{2}-\d{2}(?:[ T]${clock}(?::[0-5]\d${fraction})?)?`
const zonedShape = String.raw`\d{4}-\d{2}-\d{2}[ T]${clock}:[0-5]\d${fraction} ?(?:Z|[+-]\d{2}(?::?\d{2})?)`
const timeShape = String.raw`${clock}(?::[0-5]\d${fraction})?`
const special = `nan|[-+]?inf(?:inity)?`

/**
 * Counts per check, as SQL over the text `v`. Integers and dates: text that equals the type's own output, which
 * excludes leading zeros, signs, blanks, underscores and exponents. `real`: numbers that a double represents without
 * loss, because they have at most 15 digits or equal the double's own output.
 */
const checks = {
  boolean: (v: string) => `count_if(lower(${v}) IN ('true', 'false'))`,
  bigint: (v: string) => `count_if(TRY_CAST(${v} AS BIGINT)::VARCHAR = ${v})`,
  hugeint: (v: string) => `count_if(TRY_CAST(${v} AS HUGEINT)::VARCHAR = ${v})`,
  real: (v: string) => `count_if(regexp_full_match(${v}, '${numberShape}') AND isfinite(TRY_CAST(${v} AS DOUBLE))
    AND (TRY_CAST(${v} AS DOUBLE) <> 0 OR regexp_full_match(${v}, '-?[0.]+(?:[eE].*)?'))
    AND (length(ltrim(replace(regexp_replace(${v}, '[eE].*', ''), '.', ''), '-0')) <= 15
      OR list_contains([${v}, ${v} || '.0'], TRY_CAST(${v} AS DOUBLE)::VARCHAR)))`,
  special: (v: string) => `count_if(regexp_full_match(lower(${v}), '${special}'))`,
  decimal: (v: string) => `count_if(regexp_full_match(${v}, '${decimalShape}'))`,
  whole: (v: string) => `max(length(ltrim(split_part(${v}, '.', 1), '-')))`,
  scale: (v: string) => `max(length(split_part(${v}, '.', 2)))`,
  date: (v: string) => `count_if(length(${v}) = 10 AND TRY_CAST(${v} AS DATE)::VARCHAR = ${v})`,
  timestamp: (v: string) =>
    `count_if(regexp_full_match(${v}, '${timestampShape}') AND TRY_CAST(${v} AS TIMESTAMP) IS NOT NULL)`,
  zoned: (v: string) =>
    `count_if(regexp_full_match(${v}, '${zonedShape}') AND TRY_CAST(${v} AS TIMESTAMPTZ) IS NOT NULL)`,
  time: (v: string) => `count_if(regexp_full_match(${v}, '${timeShape}') AND TRY_CAST(${v} AS TIME) IS NOT NULL)`,
}
type Check = keyof typeof checks
type Counts = { present: number } & Partial<Record<Check, number>>

const number: readonly Check[] = ['real', 'special', 'decimal', 'whole', 'scale']
const everyCheck: Readonly<Record<TextKinds, readonly Check[]>> = {
  all: ['boolean', 'bigint', 'hugeint', ...number, 'date', 'timestamp', 'zoned', 'time'],
  temporal: ['date', 'timestamp', 'zoned', 'time'],
  numeric: ['bigint', ...number],
}

/** The checks whose counts confirm a type. */
function checksFor(dataType: string): readonly Check[] {
  switch (dataType) {
    case 'BOOLEAN':
      return ['boolean']
    case 'BIGINT':
      return ['bigint']
    case 'HUGEINT':
      return ['hugeint']
    case 'DOUBLE':
      return ['real', 'special']
    case 'DATE':
      return ['date']
    case 'TIMESTAMP':
      return ['timestamp']
    case 'TIMESTAMP WITH TIME ZONE':
      return ['zoned']
    case 'TIME':
      return ['time']
    default:
      return number
  }
}

/** The narrowest type that represents every value without loss. */
function typeOf(counts: Counts): string {
  const { present } = counts
  const all = (check: Check) => present > 0 && counts[check] === present
  if (all('boolean')) return 'BOOLEAN'
  if (all('bigint')) return 'BIGINT'
  if (all('hugeint')) return 'HUGEINT'
  const real = counts.real ?? 0
  if (real > 0 && real + (counts.special ?? 0) === present) return 'DOUBLE'
  if (all('decimal')) {
    const scale = counts.scale ?? 0
    const precision = (counts.whole ?? 0) + scale
    if (precision <= 38) return `DECIMAL(${precision},${scale})`
  }
  if (all('date')) return 'DATE'
  if (all('timestamp')) return 'TIMESTAMP'
  if (all('zoned')) return 'TIMESTAMP WITH TIME ZONE'
  if (all('time')) return 'TIME'
  return 'VARCHAR'
}

/** Maximum number of columns per statement: each column needs up to a dozen expressions. */
const COLUMNS_AT_ONCE = 400

async function count(
  connection: DuckDBConnection,
  from: string,
  wanted: ReadonlyMap<string, readonly Check[]>,
): Promise<{ rows: number; counts: Map<string, Counts> }> {
  const columns = [...wanted]
  const counts = new Map<string, Counts>()
  let rows = 0
  for (let first = 0; first === 0 || first < columns.length; first += COLUMNS_AT_ONCE) {
    const some = columns.slice(first, first + COLUMNS_AT_ONCE)
    const selected = some.flatMap(([name, checked], index) => {
      const v = quoteName(name)
      return [
        `count(${v}) AS c${index}_present`,
        ...checked.map((check) => `${checks[check](v)} AS c${index}_${check}`),
      ]
    })
    const [row] = await rowsOf(connection, `SELECT ${['count(*) AS row_count', ...selected].join(', ')} FROM ${from}`)
    rows = Number(row?.row_count ?? 0)
    some.forEach(([name, checked], index) => {
      const found: Counts = { present: Number(row?.[`c${index}_present`] ?? 0) }
      for (const check of checked) found[check] = Number(row?.[`c${index}_${check}`] ?? 0)
      counts.set(name, found)
    })
  }
  return { rows, counts }
}

/**
 * Samples the first rows. The values of all columns go through one set of checks, so the number of expressions does not
 * grow with the number of columns. Columns are read in groups, so memory does not grow with it either.
 */
async function countSample(
  connection: DuckDBConnection,
  relation: string,
  wanted: ReadonlyMap<string, readonly Check[]>,
  limit: number,
): Promise<{ rows: number; counts: Map<string, Counts> }> {
  const selected = Object.entries(checks).map(([check, sql]) => `${sql('v')} AS c_${check}`)
  const [counted] = await rowsOf(connection, `SELECT count(*) AS n FROM (SELECT 1 FROM ${relation} LIMIT ${limit})`)
  const names = [...wanted.keys()]
  const counts = new Map<string, Counts>(names.map((name) => [name, { present: 0 }]))
  for (let first = 0; first < names.length; first += COLUMNS_AT_ONCE) {
    const some = names
      .slice(first, first + COLUMNS_AT_ONCE)
      .map(quoteName)
      .join(', ')
    const head = `(SELECT ${some} FROM ${relation} LIMIT ${limit})`
    const found = await rowsOf(
      connection,
      `SELECT k, count(v) AS c_present, ${selected.join(', ')}
       FROM (UNPIVOT ${head} ON COLUMNS(*) INTO NAME k VALUE v) GROUP BY k`,
    )
    for (const row of found) {
      const name = String(row.k)
      const one: Counts = { present: Number(row.c_present) }
      for (const check of wanted.get(name) ?? []) one[check] = Number(row[`c_${check}`] ?? 0)
      counts.set(name, one)
    }
  }
  return { rows: Number(counted?.n ?? 0), counts }
}

/**
 * The exact types of text columns over all rows of `relation`. A sample suggests a type for each column, and one scan
 * of all rows confirms the types. Only columns with a contradicting value are scanned again. A column that contains
 * only NULL is VARCHAR. Memory does not grow with the number of rows.
 */
export async function typesOfText(
  connection: DuckDBConnection,
  relation: string,
  columns: ReadonlyMap<string, TextKinds>,
): Promise<{ rows: number; types: Map<string, string> }> {
  const every = new Map([...columns].map(([name, kinds]) => [name, everyCheck[kinds]]))
  const limit = Math.max(
    LEAST_SAMPLE_ROWS,
    Math.min(SAMPLE_ROWS, Math.floor(SAMPLE_VALUES / Math.max(1, columns.size))),
  )
  const sample = await countSample(connection, relation, every, limit)
  const types = new Map([...sample.counts].map(([name, counts]) => [name, typeOf(counts)]))
  if (sample.rows < limit) return { rows: sample.rows, types }
  const confirm = new Map<string, readonly Check[]>()
  for (const [name, checked] of every) {
    const seen = sample.counts.get(name)?.present ?? 0
    const dataType = types.get(name) ?? 'VARCHAR'
    if (seen === 0) confirm.set(name, checked)
    else if (dataType !== 'VARCHAR') confirm.set(name, checksFor(dataType))
  }
  const full = await count(connection, relation, confirm)
  const again = new Map<string, readonly Check[]>()
  for (const [name, counts] of full.counts) {
    const found = typeOf(counts)
    const guess = types.get(name) ?? 'VARCHAR'
    const seen = sample.counts.get(name)?.present ?? 0
    types.set(name, found)
    if (found === 'VARCHAR' && guess !== 'VARCHAR' && seen > 0) again.set(name, every.get(name) ?? [])
  }
  if (again.size > 0) {
    const last = await count(connection, relation, again)
    for (const [name, counts] of last.counts) types.set(name, typeOf(counts))
  }
  return { rows: full.rows, types }
}
