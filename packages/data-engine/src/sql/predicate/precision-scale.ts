import { AssayError } from '@assay/service-kit/errors'
import { integerLimits } from '../../types/logical-type.ts'
import type { Column } from './column.ts'

/** RE2 takes no larger repetition; a number of so many digits is beyond every column. */
const largestRepetition = 1000

function requireDigits(precision: number, scale: number): void {
  const whole = Number.isInteger(precision) && Number.isInteger(scale)
  if (whole && precision >= 1 && scale >= 0 && scale <= precision && precision <= largestRepetition) return
  throw new AssayError(
    'invalid',
    `Precision ${precision} and scale ${scale} make no decimal: 1 to ${largestRepetition} digits, of them 0 to all after the point.`,
  )
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
  const { dialect } = column
  return `(${column.sql} IS NOT NULL AND NOT ${dialect.fitsDecimal(dialect.withoutBlanks(column.text), precision, scale)})`
}

/** The least value with more than `whole` digits before the point may lie beyond the column's own type, so both sides are widened. */
function magnitude(column: Column, whole: number): string {
  const edge = `${10n ** BigInt(whole)}`
  if (column.type.kind === 'integer') {
    const { min, max } = integerLimits(column.type)
    if (BigInt(edge) > max && -BigInt(edge) < min) return 'false'
    const value = column.dialect.wideInteger(column.sql)
    return `(${value} >= ${edge} OR ${value} <= -${edge})`
  }
  return `(${column.sql} >= CAST('${edge}' AS ${column.dataType}) OR ${column.sql} <= CAST('-${edge}' AS ${column.dataType}))`
}
