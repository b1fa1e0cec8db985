import { integerLimits, isNested, isNumeric, isTemporal, type LogicalType } from '../types/logical-type.ts'

/**
 * How values of two columns are compared. `type`: cast to this type without loss. `digits`: as numbers, by their
 * digits. `text`: as text. `never`: no two values are equal.
 */
export type ComparedAs = { kind: 'type'; type: LogicalType } | { kind: 'digits' } | { kind: 'text' } | { kind: 'never' }

const maxDigits = 38

/** Digits before and after the point; undefined for floats. */
function digitsOf(type: LogicalType): { whole: number; scale: number } | undefined {
  if (type.kind === 'decimal') return { whole: type.precision - type.scale, scale: type.scale }
  return type.kind === 'integer' ? { whole: String(integerLimits(type).max).length, scale: 0 } : undefined
}

function numbersAs(left: LogicalType, right: LogicalType): ComparedAs {
  if (left.kind === 'integer' && right.kind === 'integer') {
    const signed = [left, right].map(({ bits, signed: isSigned }) => (isSigned ? bits : bits * 2))
    const most = Math.max(...signed)
    if (most > 128) return { kind: 'digits' }
    return { kind: 'type', type: { kind: 'integer', bits: most > 64 ? 128 : 64, signed: true } }
  }
  const [one, other] = [digitsOf(left), digitsOf(right)]
  if (one === undefined || other === undefined) return { kind: 'digits' }
  const scale = Math.max(one.scale, other.scale)
  const precision = Math.max(one.whole, other.whole) + scale
  return precision > maxDigits ? { kind: 'digits' } : { kind: 'type', type: { kind: 'decimal', precision, scale } }
}

const isSameType = (one: LogicalType, other: LogicalType) =>
  JSON.stringify(one) === JSON.stringify(other) && one.kind !== 'other'

const hasText = (type: LogicalType) =>
  type.kind === 'text' || type.kind === 'uuid' || type.kind === 'json' || isNested(type) || type.kind === 'other'

/** How values of columns of these types are compared. Pure. */
export function comparedAs(left: LogicalType, right: LogicalType): ComparedAs {
  if (isTemporal(left) && isTemporal(right))
    return {
      kind: 'type',
      type: left.kind === 'date' && right.kind === 'date' ? left : { kind: 'timestamp', digits: 6 },
    }
  if (left.kind === 'text' && right.kind === 'text') return { kind: 'type', type: { kind: 'text' } }
  if (left.kind === 'json' || right.kind === 'json') return hasText(left) && hasText(right) ? text : never
  if (isSameType(left, right)) return { kind: 'type', type: left }
  if (isNumeric(left) && isNumeric(right)) return numbersAs(left, right)
  return hasText(left) && hasText(right) ? text : never
}

/** Whether values of columns of these types can be equal. Pure. */
export const canBeEqual = (left: LogicalType, right: LogicalType): boolean => comparedAs(left, right).kind !== 'never'

const text: ComparedAs = { kind: 'text' }
const never: ComparedAs = { kind: 'never' }
