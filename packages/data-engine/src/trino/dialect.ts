import { AssayError } from '@assay/service-kit/errors'
import type { Dialect } from '../sql/dialect.ts'
import { sql } from '../sql/fragment.ts'
import { numberTexts, withoutAsciiBlanks } from '../sql/number-text.ts'
import { portablePattern, writtenOut } from '../sql/pattern.ts'
import { quoteName, textLiteral } from '../sql/quote.ts'
import { textTypes, uuidPattern, wholeNumbers } from '../sql/text-type.ts'
import { clockForm, dateLiteral, requireTime, startOfDay, timeLiteral } from '../sql/time-literals.ts'
import { integerLimits, isNumeric, isTemporal } from '../types/logical-type.ts'
import { trinoComparedForm } from './compared.ts'
import { numberParts } from './number-parts.ts'
import { isTimeOfDay, isTimeText, timeOfText } from './times.ts'
import { formatTrinoType, parseTrinoType } from './types.ts'
import { castText, inUtc, valueText } from './value-text.ts'

const matches = (text: string, pattern: string) => `regexp_like(${text}, ${textLiteral(pattern)})`
const nan = 'nan()'
/** White space of every script. */
const spaces = '[\\x09-\\x0d\\x20\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]'

const numbers = numberTexts({
  matches,
  characters: (text) => `length(${text})`,
  partsOf: numberParts,
  text: castText,
  exact: { wholeDigits: 20, scaleDigits: 18 },
  decimal: (digits) => `DECIMAL '${digits}'`,
})
const { fitsDecimal, isBeyond } = numbers

const isOf = textTypes({
  ...{ name: 'Trino', numbers, matches, isTimeText, isTimeOfDay },
  isInteger(text, type) {
    const { min, max } = integerLimits(type)
    const outside = [
      isBeyond(text, { digits: min, scale: 0 }, 'min', true),
      isBeyond(text, { digits: max, scale: 0 }, 'max', true),
    ]
    return `CASE WHEN ${matches(text, '\\A[+-]?[0-9]+\\z')} THEN NOT (${outside.join(' OR ')}) ELSE false END`
  },
  isJson: (text) => `(TRY(json_parse(${text})) IS NOT NULL)`,
})

const isWhole = wholeNumbers((value, { min, max }) => {
  // No column has more than 38 digits.
  const most = 10n ** 38n - 1n
  const [least, greatest] = [min < -most ? -most : min, max > most ? most : max]
  return `${value} BETWEEN DECIMAL '${least}' AND DECIMAL '${greatest}'`
})

/** A text as a UUID in the only form that the server accepts. */
const uuidLiteral = (text: string) =>
  `UUID '${text.replaceAll('-', '').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}'`

/** The SQL dialect of Trino. The session's zone is UTC. */
export const trinoDialect: Dialect = {
  compared: trinoComparedForm,
  // An aggregate may be an expression over aggregates, which can have no FILTER.
  hasFilter: false,
  parseType: parseTrinoType,
  typeName: formatTrinoType,
  field: (column, names) => [column, ...names.map(quoteName)].join('.'),
  value: (column) => column,
  text: valueText,
  isNan: (value) => `is_nan(${value})`,
  nan: ({ type }) => (type.kind === 'float' && type.bits === 32 ? `CAST(${nan} AS real)` : nan),
  number: (digits, { dataType }) => `CAST('${digits}' AS ${dataType})`,
  bound(text, { type, dataType }) {
    if (isTemporal(type)) return requireTime(timeLiteral(text), text)
    return `CAST(${textLiteral(text)} AS ${dataType})`
  },
  // Converts only literals: a column or an expression already is a date or a time, and is compared by its instant.
  asTimestamp: (value) => (value.startsWith("'") ? requireTime(timeLiteral(value.slice(1, -1)), value) : value),
  instant: (text) => requireTime(timeLiteral(text), text),
  date: (text) => requireTime(dateLiteral(text), text),
  timeOfDay: (text) => requireTime(clockForm.test(text) ? `TIME '${text}'` : null, text),
  startOfDay: (text, next) => requireTime(startOfDay(text, next), text),
  fromZone: (time, zoneName) =>
    `CAST(with_timezone(${time}, ${textLiteral(zoneName)}) AT TIME ZONE 'UTC' AS timestamp(6))`,
  wideInteger: (value) => `CAST(${value} AS decimal(38, 0))`,
  characters: (text) => `length(${text})`,
  matches(text, pattern, whole) {
    const portable = writtenOut(portablePattern(pattern))
    return matches(text, whole ? `\\A(?:${portable})\\z` : `(?:${portable})`)
  },
  isBlank: (text) => matches(text, `\\A${spaces}*\\z`),
  withoutBlanks: withoutAsciiBlanks,
  table: (texts, column) =>
    `UNNEST(CAST(json_parse(${textLiteral(JSON.stringify(texts))}) AS array(varchar))) AS listed(${column})`,
  // The server's NaN equals nothing.
  isAmong(value, literals) {
    const others = literals.filter((literal) => !literal.includes(nan))
    const parts = [
      ...(others.length === 0 ? [] : [`${value} IN (${others.join(', ')})`]),
      ...(others.length === literals.length ? [] : [`is_nan(${value})`]),
    ]
    return `(${parts.join(' OR ')})`
  },
  literal(text, { type, dataType }) {
    if (isTemporal(type)) return timeLiteral(text)
    if (type.kind === 'time') return clockForm.test(text) ? `TIME '${text}'` : null
    if (type.kind === 'uuid') return new RegExp(`^${uuidPattern}$`).test(text) ? uuidLiteral(text) : null
    return `TRY_CAST(${textLiteral(text)} AS ${dataType})`
  },
  isBeyond,
  isOneOf: numbers.isOneOf,
  numberKey: numbers.key,
  timestamp(text, format) {
    if (format !== undefined)
      throw new AssayError('invalid', 'Times in a format other than ISO 8601 cannot be read in Trino.')
    return timeOfText(text)
  },
  fitsDecimal,
  isOf,
  isChanged({ sql: value, type: from }, type) {
    if (!isNumeric(from) || !isNumeric(type))
      throw new AssayError('invalid', `Whether ${from.kind} is ${type.kind} can be checked for text and numbers only.`)
    if (type.kind === 'integer') return `NOT ${isWhole(value, from, integerLimits(type))}`
    if (type.kind !== 'decimal') return 'false'
    return `coalesce(NOT ${fitsDecimal(valueText(value, from), type.precision, type.scale)}, true)`
  },
  aggregate(fn, argument, type) {
    if ((fn === 'SUM' || fn === 'AVG') && type !== undefined && !isNumeric(type))
      throw new AssayError('invalid', `${fn} needs a column of numbers.`)
    const scale = type?.kind === 'decimal' ? type.scale : 0
    const isExact = type?.kind === 'integer' || type?.kind === 'decimal'
    // A sum of whole numbers would overflow in their own type, and a 32-bit float would lose digits.
    if (fn === 'SUM' && isExact) return sql`sum(CAST(${argument} AS decimal(38, ${scale})))`
    if (fn === 'SUM' && type !== undefined) return sql`sum(CAST(${argument} AS double))`
    // The server would round the mean of decimals to their scale.
    if (fn === 'AVG' && isExact)
      return sql`(CAST(sum(CAST(${argument} AS decimal(38, ${scale}))) AS double) / count(${argument}))`
    if (fn === 'AVG') return sql`avg(CAST(${argument} AS double))`
    // NaN is the greatest value, but the server ignores it.
    if (fn === 'MAX' && type?.kind === 'float')
      return sql`CASE WHEN bool_or(is_nan(${argument})) THEN ${nan} ELSE max(${argument}) END`
    const plain = sql`${fn.toLowerCase()}(${argument})`
    return type?.kind === 'timestamptz' && fn !== 'COUNT' ? { ...plain, text: inUtc(plain.text, type) } : plain
  },
}
