import { AssayError } from '@assay/service-kit/errors'
import { parseDecimal } from '../sql/decimal.ts'
import type { Dialect } from '../sql/dialect.ts'
import { sql } from '../sql/fragment.ts'
import { numberTexts, withoutAsciiBlanks } from '../sql/number-text.ts'
import { portablePattern } from '../sql/pattern.ts'
import { textLiteral } from '../sql/quote.ts'
import { textTypes, uuidPattern, wholeNumbers } from '../sql/text-type.ts'
import { clockForm, dateLiteral, requireTime, startOfDay, timeLiteral } from '../sql/time-literals.ts'
import { integerLimits, isNumeric, isTemporal, type LogicalType } from '../types/logical-type.ts'
import { mysqlComparedForm } from './compared.ts'
import { exactCollation, type Flavor } from './flavor.ts'
import { numberParts } from './number-parts.ts'
import { fromZone, isTimeOfDay, isTimeText, timeOfText } from './times.ts'
import { formatMysqlType, parseMysqlType } from './types.ts'

const matches = (text: string, pattern: string) => `(${text} REGEXP ${textLiteral(pattern)})`

/** White space of every script. */
const spaces =
  '[\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}]'

/** A zero date has no day, so it counts as NULL. */
const validDate = (column: string) => `(CASE WHEN month(${column}) > 0 AND day(${column}) > 0 THEN ${column} END)`

const numbers = numberTexts({
  matches,
  characters: (text) => `char_length(${text})`,
  partsOf: numberParts,
  text: (value) => value,
  exact: { wholeDigits: 35, scaleDigits: 30 },
  decimal: (digits) => digits,
})
const { fitsDecimal, isBeyond, isOneOf } = numbers

const isOf = textTypes({
  ...{ name: 'MariaDB or MySQL', numbers, matches, isTimeText, isTimeOfDay },
  isInteger(text, type) {
    const { min, max } = integerLimits(type)
    // Insignificant zeros are allowed, because they do not count towards the server's limit of 65 digits.
    const form = matches(text, '\\A[+-]?0*[0-9]{1,40}\\z')
    return `CASE WHEN ${form} THEN CAST(${text} AS DECIMAL(65, 0)) BETWEEN ${min} AND ${max} ELSE false END`
  },
  isJson: (text) => `json_valid(${text})`,
})

/** A value of a type as text. A fraction of a second without digits other than zero is left out. */
function asText(value: string, { kind }: LogicalType): string {
  if (kind === 'boolean') return `CASE ${value} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`
  const text = `CAST(${value} AS CHAR)`
  if (kind !== 'timestamp' && kind !== 'timestamptz' && kind !== 'time') return text
  return `CASE WHEN locate('.', ${text}) > 0 THEN TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM ${text})) ELSE ${text} END`
}

const isWhole = wholeNumbers((value, { min, max }) => `${value} BETWEEN ${min} AND ${max}`)

/**
 * The SQL dialect of MariaDB and MySQL. The session's zone is UTC, names are in double quotes (ANSI_QUOTES), backslashes
 * have no meaning in texts (NO_BACKSLASH_ESCAPES), and its collation is the exact one. `utf8mb4`: quoted names of columns
 * whose texts need no conversion.
 */
export function mysqlDialect(flavor: Flavor, utf8mb4: ReadonlySet<string> = new Set()): Dialect {
  const collate = `COLLATE ${exactCollation[flavor]}`
  return {
    compared: mysqlComparedForm,
    hasFilter: false,
    parseType: parseMysqlType,
    typeName: formatMysqlType,
    field(column, names) {
      if (names.length > 0) throw new AssayError('invalid', 'Fields of columns cannot be checked in MariaDB or MySQL.')
      return column
    },
    value(column, type) {
      if (type.kind === 'text')
        return `(${utf8mb4.has(column) ? column : `CONVERT(${column} USING utf8mb4)`} ${collate})`
      if (type.kind === 'boolean') return `(${column} <> 0)`
      // A bit becomes a number, ZEROFILL adds no zeros, a 32-bit float becomes the double that it stands for, and -0
      // becomes 0.
      if (type.kind === 'integer') return `(${column} + 0)`
      if (type.kind === 'float') return `(${column} + 0e0)`
      if (isTemporal(type)) return validDate(column)
      return column
    },
    // Measured: converting a text takes twice as long as the test for NULL.
    presence: (column, type) => (isTemporal(type) ? validDate(column) : column),
    text: (value, type) => (type.kind === 'text' ? value : `(${asText(value, type)} ${collate})`),
    isNan: () => 'false',
    nan: () => null,
    number(digits, { type }) {
      if (type.kind !== 'float') return digits
      return `${type.bits === 32 ? Math.fround(Number(digits)) : Number(digits)}e0`.replace(/(e[+-]?\d+)e0$/, '$1')
    },
    bound(text, { type, dataType }) {
      if (isTemporal(type)) return requireTime(timeLiteral(text), text)
      if (!isNumeric(type)) return textLiteral(text)
      if (parseDecimal(text) === null) throw new AssayError('invalid', `"${text}" is not ${dataType}.`)
      return text.trim()
    },
    // Converts only literals: a column or an expression already is a date or a time.
    asTimestamp: (value) => (value.startsWith("'") ? requireTime(timeLiteral(value.slice(1, -1)), value) : value),
    instant: (text) => requireTime(timeLiteral(text), text),
    date: (text) => requireTime(dateLiteral(text), text),
    timeOfDay: (text) => requireTime(clockForm.test(text) ? `TIME '${text}'` : null, text),
    startOfDay: (text, next) => requireTime(startOfDay(text, next), text),
    fromZone,
    wideInteger: (value) => value,
    characters: (text) => `char_length(${text})`,
    matches: (text, pattern, whole) => {
      const portable = portablePattern(pattern)
      return matches(text, whole ? `\\A(?:${portable})\\z` : `(?:${portable})`)
    },
    isBlank: (text) => matches(text, `\\A${spaces}*\\z`),
    withoutBlanks: withoutAsciiBlanks,
    table: (texts, column) =>
      `JSON_TABLE(${textLiteral(JSON.stringify(texts))}, '$[*]' COLUMNS (${column} LONGTEXT PATH '$')) AS listed`,
    // A subquery of long texts has no index, so each row would be compared with each text.
    shortKey: (text) => `md5(${text})`,
    isAmong: (value, literals) => `(${value} IN (${literals.join(', ')}))`,
    literal(text, { type }) {
      if (isTemporal(type)) return timeLiteral(text)
      if (type.kind === 'time') return clockForm.test(text) ? `TIME '${text}'` : null
      if (type.kind === 'uuid' && !new RegExp(`^${uuidPattern}$`).test(text)) return null
      return textLiteral(text)
    },
    isBeyond,
    isOneOf,
    numberKey: numbers.key,
    timestamp(text, format) {
      if (format !== undefined)
        throw new AssayError('invalid', 'Times in a format other than ISO 8601 cannot be read in MariaDB or MySQL.')
      return timeOfText(text)
    },
    fitsDecimal,
    isOf,
    isChanged({ sql: value, type: from }, type) {
      if (!isNumeric(from) || !isNumeric(type))
        throw new AssayError(
          'invalid',
          `Whether ${from.kind} is ${type.kind} can be checked for text and numbers only.`,
        )
      if (type.kind === 'integer') return `NOT ${isWhole(value, from, integerLimits(type))}`
      if (type.kind !== 'decimal') return 'false'
      return `coalesce(NOT ${fitsDecimal(`(CAST(${value} AS CHAR) ${collate})`, type.precision, type.scale)}, true)`
    },
    aggregate(fn, argument, type) {
      const sums = fn === 'SUM' || fn === 'AVG'
      // The server would take a text for the number that it begins with.
      if (sums && type !== undefined && !isNumeric(type))
        throw new AssayError('invalid', `${fn} needs a column of numbers.`)
      // The server would round the mean of exact numbers to four more digits than they have.
      if (fn === 'AVG')
        return type === undefined || type.kind === 'float'
          ? sql`avg((${argument}) + 0e0)`
          : sql`((sum(${argument}) + 0e0) / count(${argument}))`
      return sql`${fn.toLowerCase()}(${argument})`
    },
  }
}
