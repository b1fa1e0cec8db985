import { AssayError } from '@assay/service-kit/errors'
import { scaledText } from '../sql/decimal.ts'
import type { Dialect } from '../sql/dialect.ts'
import { sql } from '../sql/fragment.ts'
import { formOf, keyOf } from '../sql/number-form.ts'
import { textLiteral } from '../sql/quote.ts'
import { standardCasts } from '../sql/standard-casts.ts'
import { formatType } from '../types/format-type.ts'
import { integerLimits, isTemporal, type LogicalType } from '../types/logical-type.ts'
import { parseType } from '../types/parse-type.ts'
import { beyondNumber, keySql } from './numeric-text.ts'

/**
 * Longer lists use a hash lookup, shorter ones a linear search. Measured: for long lists, the hash lookup is faster,
 * and by far if values repeat.
 */
const longList = 1000

function isAmong(value: string, literals: readonly string[]): string {
  const list = `[${literals.join(', ')}]`
  if (literals.length <= longList) return `list_contains(${list}, ${value})`
  // A value of another type is NULL in the list, and one NULL would make every IN unknown.
  return `${value} IN (SELECT entry FROM (SELECT unnest(${list}) AS entry) WHERE entry IS NOT NULL)`
}

const blanks = "concat(' ', chr(9), chr(10), chr(11), chr(12), chr(13))"

/** Removes insignificant zeros: leading ones, and trailing ones after the point. */
function fitsDecimal(text: string, precision: number, scale: number): string {
  const whole = precision - scale
  const plain = `[+-]?0*[0-9]{0,${whole}}(\\.[0-9]{0,${scale}}0*)?`
  const bare = `list_contains(['', '+', '-', '.', '+.', '-.'], ${text})`
  return `((regexp_full_match(${text}, '${plain}') AND NOT ${bare}) OR (contains(lower(${text}), 'e') AND ${fitsScientific(text, whole, scale)}))`
}

/**
 * For a text such as `1.50e-3`: moves the point by the exponent, and counts the digits before and after it. Leading and
 * trailing zeros do not count.
 */
function fitsScientific(text: string, whole: number, scale: number): string {
  const shape = `regexp_full_match(${text}, '[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)[eE][+-]?[0-9]{1,9}')`
  const integerPart = `regexp_extract(${text}, '^[+-]?([0-9]*)', 1)`
  const digits = `${integerPart} || regexp_extract(${text}, '\\.([0-9]*)', 1)`
  const exponent = `CAST(regexp_extract(${text}, '[eE]([+-]?[0-9]{1,9})$', 1) AS BIGINT)`
  const significant = `trim(${digits}, '0')`
  const point = `(length(${integerPart}) + ${exponent} - (length(${digits}) - length(ltrim(${digits}, '0'))))`
  return `coalesce(CASE WHEN ${shape} THEN ${significant} = '' OR (${point} <= ${whole} AND length(${significant}) - ${point} <= ${scale}) ELSE false END, false)`
}

const day = '[0-9]{1,6}(-[0-9]{1,2}-|/[0-9]{1,2}/)[0-9]{1,2}( \\(BC\\))?'
/** Microseconds at most: further digits must be zeros, because the cast would drop them. */
const clock = '[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,6}0*)?)?'

/**
 * The pattern for a text of the type. It allows no surrounding blanks, and nothing that the cast would round or drop.
 */
function textShape({ kind }: LogicalType): string | null {
  switch (kind) {
    case 'integer':
      return '[+-]?[0-9]+'
    case 'float':
      return '[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?|(?i:[+-]?(inf|infinity)|nan)'
    case 'boolean':
      return '(?i:true|false|t|f|yes|no|y|n|1|0)'
    case 'date':
      return day
    case 'time':
      return clock
    case 'timestamp':
      return `${day}([ T]${clock}( ?Z)?)?`
    case 'timestamptz':
      return `${day}([ T]${clock}( ?Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?`
    case 'uuid':
      return '[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}'
    default:
      return null
  }
}

function isOf(text: string, type: LogicalType): string {
  if (type.kind === 'json') return `json_valid(${text})`
  if (type.kind === 'decimal') return fitsDecimal(text, type.precision, type.scale)
  const [name, shape] = [formatType(type), textShape(type)]
  if (shape === null) throw new AssayError('invalid', `Whether text is ${name} cannot be checked.`)
  const matched = `regexp_full_match(${text}, '${shape}')`
  const cast = `TRY_CAST(${text} AS ${name})`
  // CASE evaluates its branches only for the rows that need them. AND and OR evaluate both sides for every row.
  if (type.kind === 'integer' && type.signed) {
    const always = String(integerLimits(type).max).length - 1
    return `CASE WHEN ${matched} THEN CASE WHEN strlen(${text}) <= ${always} THEN true ELSE ${cast} IS NOT NULL END ELSE false END`
  }
  const finite = type.kind === 'float' ? ` AND (NOT isinf(${cast}) OR contains(lower(${text}), 'inf'))` : ''
  const shaped = `CASE WHEN ${matched} THEN ${cast} IS NOT NULL${finite} ELSE false END`
  if (type.kind === 'float') return shaped
  // If the cast writes the same text again, the text is valid; this comparison is faster than matching the pattern. The
  // engine writes `infinity` for values beyond all dates, so `infinity` is not accepted as a date.
  const endless = isTemporal(type) ? ` AND NOT contains(${text}, 'infinity')` : ''
  return `CASE WHEN CAST(${cast} AS VARCHAR) = ${text}${endless} THEN true ELSE ${shaped} END`
}

/** The SQL dialect of DuckDB. */
export const duckdbDialect: Dialect = {
  ...standardCasts,
  parseType,
  typeName: formatType,
  field: (column, names) => `${column}${names.map((name) => `[${textLiteral(name)}]`).join('')}`,
  text: (value, type) => (type.kind === 'text' && type.values === undefined ? value : `CAST(${value} AS VARCHAR)`),
  isNan: (value) => `isnan(${value})`,
  wideInteger: (value) => `CAST(${value} AS HUGEINT)`,
  matches: (text, pattern, whole) =>
    `${whole ? 'regexp_full_match' : 'regexp_matches'}(${text}, ${textLiteral(pattern)})`,
  // Includes white space of every script. Text that begins with a visible ASCII character is not blank and needs no
  // pattern.
  isBlank: (text) =>
    `CASE WHEN ${text} >= '!' AND ${text} < chr(127) THEN false ELSE regexp_full_match(${text}, '[\\s\\v\\pZ]*') END`,
  withoutBlanks: (text) => `trim(${text}, ${blanks})`,
  table: (texts, column) =>
    `(SELECT unnest(CAST(CAST(${textLiteral(JSON.stringify(texts))} AS JSON) AS VARCHAR[])) AS ${column}) AS listed`,
  isAmong,
  literal: (text, { dataType }) => `TRY_CAST(${textLiteral(text)} AS ${dataType})`,
  isBeyond: beyondNumber,
  isOneOf(text, numbers) {
    if (numbers.length === 0) return 'false'
    const doubles = numbers.map(({ digits, scale }) => `CAST('${scaledText(digits, scale)}' AS DOUBLE)`)
    const keys = numbers.map((value) => textLiteral(keyOf(formOf(value))))
    // Compares doubles first, and compares digits if the doubles are equal.
    return `CASE WHEN ${isAmong(`TRY_CAST(${text} AS DOUBLE)`, doubles)} THEN ${isAmong(keySql(text), keys)} ELSE false END`
  },
  numberKey: (text) =>
    `CASE WHEN TRY_CAST(${text} AS DOUBLE) IS NOT NULL THEN coalesce(${keySql(text)}, lower(${text})) END`,
  // Excludes words that the engine reads as times (`epoch`, `infinity`): a date has digits.
  timestamp: (text, format) =>
    format === undefined
      ? `CASE WHEN regexp_matches(${text}, '[0-9]') THEN CAST(TRY_CAST(${text} AS TIMESTAMPTZ) AS TIMESTAMP) END`
      : `try_strptime(${text}, ${textLiteral(format)})`,
  fitsDecimal,
  isOf,
  // The value must survive the cast unchanged.
  isChanged: ({ sql: value, dataType }, type) =>
    `coalesce(TRY_CAST(TRY_CAST(${value} AS ${formatType(type)}) AS ${dataType}) IS DISTINCT FROM ${value}, true)`,
  aggregate: (fn, argument) => sql`${fn.toLowerCase()}(${argument})`,
}
