import { AssayError } from '@assay/service-kit/errors'
import { integerLimits } from '../../types/logical-type.ts'
import type { Column } from './column.ts'

/** RE2 takes no larger repetition; a number of so many digits is beyond every column. */
const largestRepetition = 1000

const blanks = "concat(' ', chr(9), chr(10), chr(11), chr(12), chr(13))"

function requireDigits(precision: number, scale: number): void {
  const whole = Number.isInteger(precision) && Number.isInteger(scale)
  if (whole && precision >= 1 && scale >= 0 && scale <= precision && precision <= largestRepetition) return
  throw new AssayError(
    'invalid',
    `Precision ${precision} and scale ${scale} make no decimal: 1 to ${largestRepetition} digits, of them 0 to all after the point.`,
  )
}

/** Digits and zeros that count for nothing: leading zeros, and trailing ones after the point. */
export function fitsText(text: string, precision: number, scale: number): string {
  requireDigits(precision, scale)
  const whole = precision - scale
  const plain = `[+-]?0*[0-9]{0,${whole}}(\\.[0-9]{0,${scale}}0*)?`
  const bare = `list_contains(['', '+', '-', '.', '+.', '-.'], ${text})`
  return `((regexp_full_match(${text}, '${plain}') AND NOT ${bare}) OR (contains(lower(${text}), 'e') AND ${fitsScientific(text, whole, scale)}))`
}

/**
 * The exact digits of `1.50e-3`, by text: d = whole and fraction digits, the point stands `exponent` places after the whole ones.
 * Without leading and trailing zeros, what stands before the point and after it is counted.
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

/** True where the column's exact value does not fit DECIMAL(precision, scale). What is no number does not fit. */
export function beyondPrecision(column: Column, precision: number, scale: number): string {
  requireDigits(precision, scale)
  const { type } = column
  const whole = precision - scale
  const digits = type.kind === 'integer' ? 39 : type.kind === 'decimal' ? type.precision - type.scale : 0
  const tooLarge = whole >= digits ? 'false' : magnitude(column, whole)
  if (type.kind === 'integer') return tooLarge
  if (type.kind === 'decimal')
    return type.scale <= scale ? tooLarge : `(${tooLarge} OR ${column.sql} <> round(${column.sql}, ${scale}))`
  // Blanks around a number count for nothing, as in a range.
  return `(${column.sql} IS NOT NULL AND NOT ${fitsText(`trim(${column.text}, ${blanks})`, precision, scale)})`
}

/** The least value with more than `whole` digits before the point may lie beyond the column's own type, so both sides are widened. */
function magnitude(column: Column, whole: number): string {
  const edge = `${10n ** BigInt(whole)}`
  if (column.type.kind === 'integer') {
    const { min, max } = integerLimits(column.type)
    if (BigInt(edge) > max && -BigInt(edge) < min) return 'false'
    return `(CAST(${column.sql} AS HUGEINT) >= ${edge} OR CAST(${column.sql} AS HUGEINT) <= -${edge})`
  }
  return `(${column.sql} >= CAST('${edge}' AS ${column.dataType}) OR ${column.sql} <= CAST('-${edge}' AS ${column.dataType}))`
}
