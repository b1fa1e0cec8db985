import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { raw } from '../../sql/fragment.ts'
import { type KnownColumn, maxPatterns, type TextType, textTypes } from '../../states/column-state.ts'
import { duckdbDialect } from '../dialect.ts'
import { read, readRow } from './database.ts'
import { groups } from './exact-sums.ts'

type TextState = NonNullable<KnownColumn['text']>

const numberOf = (value: DuckDBValue | undefined) => Number(value ?? 0)

const blank = String.raw`[\s\v\pZ]`
/** Words are runs of characters that are not blank; most values are one word. */
const words = String.raw`CASE WHEN regexp_matches(v, '${blank}') THEN len(regexp_extract_all(v, '[^\s\v\pZ]+')) ELSE CAST(v <> '' AS BIGINT) END`

const uuid = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
const number = String.raw`-?(?:(?:0|[1-9]\d*)(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?`
const time = String.raw`\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)? ?(?:Z|[+-]\d{2}(?::?\d{2})?)?`

/** The type that a text looks like. Numbers with leading zeros are codes, so they are text. */
const looksLike = `CASE
  WHEN v >= '-' AND v < ':' THEN CASE
    WHEN regexp_full_match(v, '-?(?:0|[1-9][0-9]*)') THEN 'INTEGER'
    WHEN regexp_full_match(v, '${number}') THEN 'DECIMAL'
    WHEN length(v) = 10 AND TRY_CAST(v AS DATE)::VARCHAR = v THEN 'DATE'
    WHEN regexp_full_match(v, '${time}') AND TRY_CAST(v AS TIMESTAMPTZ) IS NOT NULL THEN 'TIMESTAMP'
    WHEN length(v) = 36 AND regexp_full_match(v, '${uuid}') THEN 'UUID' ELSE 'TEXT' END
  WHEN length(v) = 36 AND regexp_full_match(v, '${uuid}') THEN 'UUID'
  WHEN length(v) BETWEEN 4 AND 5 AND lower(v) IN ('true', 'false') THEN 'BOOLEAN'
  WHEN ${duckdbDialect.isBlank('v')} THEN NULL ELSE 'TEXT' END`

/** Longer forms are truncated. */
const longestPattern = 32

/**
 * Replaces digits by `9`, with a function that is several times faster than patterns. Many texts differ only in digits.
 */
const withoutDigits = `translate(left(v, ${longestPattern + 1}), '012345678', '999999999')`

/** The form of a text whose digits are replaced: `A` for capital letters, `a` for other letters, all else unchanged. */
const form = String.raw`regexp_replace(regexp_replace(regexp_replace(w, '[\p{Ll}\p{Lt}\p{Lm}\p{Lo}]', 'a', 'g'), '\p{Lu}', 'A', 'g'), '\p{Nd}', '9', 'g')`

const shownForm = `CASE WHEN length(f) > ${longestPattern} THEN left(f, ${longestPattern}) || '…' ELSE f END`

/**
 * Number of values whose forms are computed first. Free text already has too many forms among these, so the remaining
 * values can be skipped.
 */
const firstValues = 20_000

async function formsOf(connection: DuckDBConnection, from: string): Promise<TextState['patterns']> {
  const texts = `SELECT ${withoutDigits} AS w, sum(n) AS n FROM ${from} GROUP BY w`
  const forms = `SELECT ${shownForm} AS p, sum(n) FROM (SELECT ${form} AS f, n FROM (${texts})) GROUP BY p LIMIT ${maxPatterns + 1}`
  const found = await read(connection, raw(forms))
  const rows = found.getRows().map(([pattern, count]) => ({ pattern: String(pattern), count: numberOf(count) }))
  return rows.length > maxPatterns ? null : rows.sort((one, other) => (one.pattern < other.pattern ? -1 : 1))
}

async function patternsOf(connection: DuckDBConnection, distinct: number): Promise<TextState['patterns']> {
  const first = `(SELECT v, n FROM ${groups} LIMIT ${firstValues})`
  if (distinct > firstValues && (await formsOf(connection, first)) === null) return null
  return formsOf(connection, groups)
}

/** The state of a column of text, from its distinct values. `distinct`: the number of these. */
export async function textState(connection: DuckDBConnection, distinct: number): Promise<TextState> {
  const length = 'length(v)'
  const cases = ['v = u AND v <> l', 'v = l AND v <> u', 'v <> u AND v <> l'].map(
    (one) => `sum(n) FILTER (WHERE ${one})`,
  )
  const types = textTypes.map((type) => `sum(n) FILTER (WHERE t = '${type}')`)
  const [empty, blanks, minLength, maxLength, lengths, upper, lower, mixed, minWords, maxWords, ...typed] =
    await readRow(
      connection,
      raw(
        `SELECT sum(n) FILTER (WHERE v = ''), sum(n) FILTER (WHERE ${duckdbDialect.isBlank('v')}), min(${length}), max(${length}), sum(${length} * n), ${cases.join(', ')}, min(w), max(w), ${types.join(', ')} FROM (SELECT v, n, upper(v) AS u, lower(v) AS l, ${words} AS w, ${looksLike} AS t FROM ${groups})`,
      ),
    )
  const counts = new Map(textTypes.map((type, index) => [type, numberOf(typed[index])]))
  const of = (type: TextType) => counts.get(type) ?? 0
  return {
    empty: numberOf(empty),
    blank: numberOf(blanks),
    minLength: numberOf(minLength),
    maxLength: numberOf(maxLength),
    lengths: numberOf(lengths),
    upper: numberOf(upper),
    lower: numberOf(lower),
    mixed: numberOf(mixed),
    minWords: numberOf(minWords),
    maxWords: numberOf(maxWords),
    patterns: await patternsOf(connection, distinct),
    types: {
      ...{ BOOLEAN: of('BOOLEAN'), INTEGER: of('INTEGER'), DECIMAL: of('DECIMAL'), DATE: of('DATE') },
      ...{ TIMESTAMP: of('TIMESTAMP'), UUID: of('UUID'), TEXT: of('TEXT') },
    },
  }
}
