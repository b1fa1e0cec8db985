import { AssayError } from '@assay/service-kit/errors'
import { scaledText } from '../sql/decimal.ts'
import type { Dialect } from '../sql/dialect.ts'
import { raw, sql } from '../sql/fragment.ts'
import { textLiteral } from '../sql/quote.ts'
import { standardCasts } from '../sql/standard-casts.ts'
import { integerLimits, isNumeric, type LogicalType } from '../types/logical-type.ts'
import { postgresComparedForm } from './compared.ts'
import { formatPostgresType, parsePostgresType } from './types.ts'

const matches = (text: string, pattern: string) => `(${text} ~ ${textLiteral(pattern)})`
const matchesWhole = (text: string, pattern: string, whole: boolean) =>
  matches(text, whole ? `^(?:${pattern})$` : pattern)
const number = '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,4})?$'
/** White space of every script. It is listed here, because character classes depend on the database's locale. */
const spaces = `U&' \\0009\\000A\\000B\\000C\\000D\\0085\\00A0\\1680\\2000\\2001\\2002\\2003\\2004\\2005\\2006\\2007\\2008\\2009\\200A\\2028\\2029\\202F\\205F\\3000'`
const asciiSpaces = `U&' \\0009\\000A\\000B\\000C\\000D'`

/** A text as an exact number; NULL if the text is not a number. */
const numberOf = (text: string) =>
  `CASE WHEN ${matches(`btrim(${text}, ${asciiSpaces})`, number)} THEN CAST(btrim(${text}, ${asciiSpaces}) AS numeric) END`

const days = '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
const clock = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6}0*)?)?'
const zone = '( ?(Z|[+-][0-9]{2}(:?[0-9]{2})?))?'

/** Whether a text begins with a valid calendar day: PostgreSQL has no cast that returns NULL instead of an error. */
function isDay(text: string): string {
  const [year, month, day] = [`substr(${text}, 1, 4)`, `substr(${text}, 6, 2)`, `CAST(substr(${text}, 9, 2) AS int)`]
  const leap = `(CAST(${year} AS int) % 4 = 0 AND (CAST(${year} AS int) % 100 <> 0 OR CAST(${year} AS int) % 400 = 0))`
  const last = `CASE WHEN ${month} = '02' THEN CASE WHEN ${leap} THEN 29 ELSE 28 END WHEN ${month} IN ('04', '06', '09', '11') THEN 30 ELSE 31 END`
  return `CASE WHEN ${matches(text, days)} THEN ${year} <> '0000' AND ${day} <= ${last} ELSE false END`
}

/** Whether a text has the form of `rest` after a valid calendar day. */
const isTimestampText = (text: string, rest: string) => `(${isDay(text)} AND ${matches(text, `${days}${rest}$`)})`

function isOf(text: string, type: LogicalType): string {
  switch (type.kind) {
    case 'integer': {
      const { min, max } = integerLimits(type)
      return `CASE WHEN ${matches(text, '^[+-]?[0-9]+$')} THEN CAST(${text} AS numeric) BETWEEN ${min} AND ${max} ELSE false END`
    }
    case 'decimal':
      return fitsDecimal(text, type.precision, type.scale)
    case 'float':
      return `(${matches(text, number)} OR lower(${text}) IN ('nan', 'inf', '+inf', '-inf', 'infinity', '+infinity', '-infinity'))`
    case 'boolean':
      return `(lower(${text}) IN ('true', 'false', 't', 'f', 'yes', 'no', 'y', 'n', '1', '0'))`
    case 'date':
      return isTimestampText(text, '')
    case 'time':
      return matches(text, `^${clock}$`)
    case 'timestamp':
      return isTimestampText(text, `([ T]${clock}( ?Z)?)?`)
    case 'timestamptz':
      return isTimestampText(text, `([ T]${clock}${zone})?`)
    case 'uuid':
      return matches(text, '^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$')
    default:
      throw new AssayError('invalid', `Whether text is ${type.kind} cannot be checked in PostgreSQL.`)
  }
}

function fitsDecimal(text: string, precision: number, scale: number): string {
  return `CASE WHEN ${matches(text, number)} THEN ${fits(`CAST(${text} AS numeric)`, precision, scale)} ELSE false END`
}

const fits = (value: string, precision: number, scale: number) =>
  `(${value} = round(${value}, ${scale}) AND abs(${value}) < ${10n ** BigInt(precision - scale)})`

/** A date or time as a literal that the server accepts. Null if the day or time does not exist. */
function timestampLiteral(text: string, dataType: string): string | null {
  const [, date = '', rest = ''] = /^(\d{4}-\d{2}-\d{2})(.*)$/.exec(text.trim()) ?? []
  const at = new Date(`${date}T00:00:00Z`)
  const isDate = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date)
  const isRest = new RegExp(`^([ T]${clock}${zone})?$`).test(rest)
  return isDate && isRest ? `CAST(${textLiteral(text.trim())} AS ${dataType})` : null
}

/** The SQL dialect of PostgreSQL. The session's zone is UTC. */
export const postgresDialect: Dialect = {
  ...standardCasts,
  compared: postgresComparedForm,
  parseType: parsePostgresType,
  typeName: formatPostgresType,
  field(column, names) {
    if (names.length > 0) throw new AssayError('invalid', 'Fields of columns cannot be checked in PostgreSQL.')
    return column
  },
  text: (value, type) => `${type.kind === 'text' ? value : `CAST(${value} AS text)`} COLLATE "C"`,
  isNan: (value) => `(${value} = 'NaN')`,
  wideInteger: (value) => `CAST(${value} AS numeric)`,
  matches: matchesWhole,
  compiles: (pattern, whole) => matchesWhole("''", pattern, whole),
  isBlank: (text) => `(btrim(${text}, ${spaces}) = '')`,
  withoutBlanks: (text) => `btrim(${text}, ${asciiSpaces})`,
  table: (texts, column) =>
    `json_array_elements_text(CAST(${textLiteral(JSON.stringify(texts))} AS json)) AS listed(${column})`,
  isAmong: (value, literals) => `(${value} IN (${literals.join(', ')}))`,
  literal(text, { dataType, type }) {
    if (type.kind === 'date' || type.kind === 'timestamp' || type.kind === 'timestamptz')
      return timestampLiteral(text, dataType)
    if (type.kind === 'uuid' && !/^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text)) return null
    if (type.kind === 'time' && !new RegExp(`^${clock}$`).test(text)) return null
    return `CAST(${textLiteral(text)} AS ${dataType})`
  },
  isBeyond(text, limit, side, inclusive) {
    const compare = `${side === 'min' ? '<' : '>'}${inclusive ? '' : '='}`
    return `coalesce((${numberOf(text)}) ${compare} ${scaledText(limit.digits, limit.scale)}, true)`
  },
  isOneOf: (text, numbers) =>
    numbers.length === 0
      ? 'false'
      : `((${numberOf(text)}) IN (${numbers.map(({ digits, scale }) => scaledText(digits, scale)).join(', ')}))`,
  numberKey: (text) => `CAST(trim_scale(${numberOf(text)}) AS text)`,
  timestamp(text, format) {
    if (format !== undefined)
      throw new AssayError('invalid', 'Times in a format other than ISO 8601 cannot be read in PostgreSQL.')
    return `CASE WHEN ${isTimestampText(text, `([ T]${clock}${zone})?`)} THEN CAST(CAST(${text} AS timestamptz) AS timestamp) END`
  },
  fitsDecimal,
  isOf,
  isChanged({ sql: value, type: from }, type) {
    if (!isNumeric(from) || !isNumeric(type))
      throw new AssayError('invalid', `Whether ${from.kind} is ${type.kind} can be checked for text and numbers only.`)
    if (type.kind === 'float') return 'false'
    const exact = `CAST(${value} AS numeric)`
    if (type.kind === 'decimal') return `coalesce(NOT ${fits(exact, type.precision, type.scale)}, true)`
    if (type.kind !== 'integer') return 'false'
    const { min, max } = integerLimits(type)
    return `NOT (${exact} = trunc(${exact}) AND ${exact} BETWEEN ${min} AND ${max})`
  },
  aggregate(fn, argument, type) {
    if (fn === 'AVG') return sql`avg(CAST(${argument} AS double precision))`
    // A sum of 32-bit floats would be one, too, and so round what other databases do not.
    if (fn === 'SUM' && type?.kind === 'float' && type.bits === 32)
      return sql`sum(CAST(${argument} AS double precision))`
    const ordered = type?.kind === 'text' && (fn === 'MIN' || fn === 'MAX') ? raw(' COLLATE "C"') : raw('')
    return sql`${fn.toLowerCase()}(${argument}${ordered})`
  },
}
