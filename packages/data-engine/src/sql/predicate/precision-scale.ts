import { AssayError } from '@assay/service-kit/errors'
import { integerLimits } from '../../types/logical-type.ts'
import type { Column } from './column.ts'

/** Maximum number of digits: RE2 supports no larger repetition, and no column has numbers with more digits. */
const largestRepetition = 1000

function requireDigits(precision: number, scale: number): void {
  const whole = Number.isInteger(precision) && Number.isInteger(scale)
  if (whole && precision >= 1 && scale >= 0 && scale <= precision && precision <= largestRepetition) return
  throw new AssayError(
    'invalid',
    `Precision ${precision} and scale ${scale} do not describe a decimal: use 1 to ${largestRepetition} digits, of which 0 to all are after the point.`,
  )
}

/** True if the column's exact value does not fit DECIMAL(precision, scale), or is not a number. */
export function beyondPrecision(column: Column, precision: number, scale: number): string {
  requireDigits(precision, scale)
  const { type } = column
  const whole = precision - scale
  const digits = type.kind === 'integer' ? 39 : type.kind === 'decimal' ? type.precision - type.scale : 0
  const tooLarge = whole >= digits ? 'false' : magnitude(column, whole)
  if (type.kind === 'integer') return tooLarge
  if (type.kind === 'decimal')
    return type.scale <= scale ? tooLarge : `(${tooLarge} OR ${column.sql} <> round(${column.sql}, ${scale}))`
  // Ignores blanks around a number, as `range` does.
  const { dialect } = column
  return `(${column.presence} IS NOT NULL AND NOT ${dialect.fitsDecimal(dialect.withoutBlanks(column.text), precision, scale)})`
}

/**
 * Whether a value has more than `whole` digits before the point. Widens both sides, because the limit may exceed the
 * column's type.
 */
function magnitude(column: Column, whole: number): string {
  const edge = `${10n ** BigInt(whole)}`
  if (column.type.kind === 'integer') {
    const { min, max } = integerLimits(column.type)
    if (BigInt(edge) > max && -BigInt(edge) < min) return 'false'
    const value = column.dialect.wideInteger(column.sql)
    return `(${value} >= ${edge} OR ${value} <= -${edge})`
  }
  const [most, least] = [edge, `-${edge}`].map((digits) => column.dialect.number(digits, column))
  return `(${column.sql} >= ${most} OR ${column.sql} <= ${least})`
}
