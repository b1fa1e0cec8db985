import type { SideName, SourceColumn } from '../../compared-source.ts'
import { type Fragment, raw } from '../../sql/fragment.ts'
import { quoteName, textLiteral } from '../../sql/quote.ts'
import type { LogicalType } from '../../types/logical-type.ts'
import type { AnswerFile } from '../protocol.ts'

/** Buffers have twice this size, and each thread has several. */
const leastLineBytes = 65_536

/** An answer of another engine as a relation of texts: `c0`, `c1`, and so on. */
function answer({ file, longest }: AnswerFile, columns: number): string {
  const types = Array.from({ length: columns }, (_, index) => `c${index}: 'VARCHAR'`).join(', ')
  return `read_json(${textLiteral(file)}, format = 'newline_delimited', columns = {${types}}, maximum_object_size = ${Math.max(leastLineBytes, longest + 1)})`
}

/** The buckets that another engine found. */
export function answeredBuckets(table: string, file: AnswerFile): Fragment {
  const columns = 'CAST(c0 AS INTEGER) AS b, CAST(c1 AS BIGINT) AS n, CAST(c2 AS HUGEINT) AS s'
  return raw(`CREATE TEMP TABLE ${table} AS SELECT ${columns}, CAST(c3 AS BIGINT) AS z FROM ${answer(file, 4)}`)
}

export const answeredNulls = (side: SideName): Fragment => raw(`SELECT coalesce(sum(z), 0) FROM assay_buckets_${side}`)

export const answeredCount = (file: AnswerFile): Fragment => raw(`SELECT c0 FROM ${answer(file, 1)}`)

function cast(text: string, { kind }: LogicalType, stored: string): string {
  if (stored === 'VARCHAR') return text
  if (kind === 'binary') return `unhex(${text})`
  // PostgreSQL writes the years before 1 in another way.
  const isDay = kind === 'date' || kind === 'timestamp' || kind === 'timestamptz'
  return `TRY_CAST(${isDay ? `regexp_replace(${text}, '^(\\S+)(.*) BC$', '\\1 (BC)\\2')` : text} AS ${stored})`
}

/** The rows of the different values of a column. */
export const answeredValues = (file: AnswerFile): Fragment =>
  raw(`SELECT coalesce(sum(CAST(c1 AS BIGINT)), 0) FROM ${answer(file, 2)}`)

/** The different values of a column, each with its count. */
export function answeredGroups(table: string, file: AnswerFile, { type, stored }: SourceColumn): Fragment {
  return raw(
    `CREATE OR REPLACE TEMP TABLE ${table} AS SELECT ${cast('c0', type, stored)} AS v, CAST(sum(CAST(c1 AS BIGINT)) AS BIGINT) AS n FROM ${answer(file, 2)} GROUP BY ALL`,
  )
}

const significant = (number: string) => `trim(replace(replace(${number}, '-', ''), '.', ''), '0')`

/**
 * The maximum numbers of digits before and after the point, the number of texts of another form, such as NaN, and the
 * number of numbers that a double would round.
 */
export function digitsOfAnswer(file: AnswerFile): Fragment {
  const whole = "length(ltrim(split_part(ltrim(c0, '-'), '.', 1), '0'))"
  const scale = "length(rtrim(split_part(c0, '.', 2), '0'))"
  const isNumber = "regexp_full_match(c0, '-?[0-9]+([.][0-9]+)?')"
  const asDouble = significant("split_part(CAST(TRY_CAST(c0 AS DOUBLE) AS VARCHAR), 'e', 1)")
  const rounded = `count(*) FILTER (WHERE ${isNumber} AND ${significant('c0')} IS DISTINCT FROM ${asDouble})`
  const counts = `count(*) FILTER (WHERE NOT ${isNumber}), ${rounded}`
  return raw(`SELECT coalesce(max(${whole}), 0), coalesce(max(${scale}), 0), ${counts} FROM ${answer(file, 2)}`)
}

/** The number of values of each column that do not fit the type in which they would be stored. */
export function misfits(file: AnswerFile, columns: readonly SourceColumn[], width = columns.length): Fragment {
  const counts = columns.map(
    ({ type, stored }, index) =>
      `count(*) FILTER (WHERE c${index} IS NOT NULL AND ${cast(`c${index}`, type, stored)} IS NULL)`,
  )
  return raw(`SELECT ${counts.join(', ')} FROM ${answer(file, width)}`)
}

/** The rows that another engine sent, as a relation. */
export function answeredRows(file: AnswerFile, columns: readonly SourceColumn[]): string {
  const values = columns.map(
    ({ name, type, stored }, index) => `${cast(`c${index}`, type, stored)} AS ${quoteName(name)}`,
  )
  return `(SELECT ${values.join(', ')} FROM ${answer(file, columns.length)})`
}
