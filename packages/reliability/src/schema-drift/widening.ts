import { formatType, integerLimits, type LogicalType } from '@assay/data-engine'

/** How the type of a column changed. `null` if it did not. */
export type TypeChange = 'TYPE_WIDENED' | 'TYPE_NARROWED' | 'TYPE_CHANGED'

/**
 * How a type changed. WIDENED: the new type holds every value of the old one as a value of the same sort, so readers of
 * numbers still read numbers. NARROWED: the reverse. A change to text is neither. Pure.
 */
export function typeChange(before: LogicalType, after: LogicalType): TypeChange | null {
  if (isSameType(before, after)) return null
  if (widens(before, after)) return 'TYPE_WIDENED'
  return widens(after, before) ? 'TYPE_NARROWED' : 'TYPE_CHANGED'
}

export const isSameType = (one: LogicalType, other: LogicalType): boolean => formatType(one) === formatType(other)

/** Whether `to` equals `from` or is wider. */
function holds(from: LogicalType, to: LogicalType): boolean {
  return isSameType(from, to) || widens(from, to)
}

function widens(from: LogicalType, to: LogicalType): boolean {
  switch (from.kind) {
    case 'integer':
      return integerWidens(from, to)
    case 'float':
      return to.kind === 'float' && to.bits > from.bits
    case 'decimal':
      return to.kind === 'decimal' && to.scale >= from.scale && to.precision - to.scale >= from.precision - from.scale
    case 'date':
      return to.kind === 'timestamp'
    case 'timestamp':
      return to.kind === 'timestamp' && to.digits > from.digits
    case 'text':
      return to.kind === 'text' && hasAllValues(from.values, to.values)
    case 'list':
      return to.kind === 'list' && (to.size === undefined || to.size === from.size) && holds(from.of, to.of)
    case 'map':
      return to.kind === 'map' && holds(from.key, to.key) && holds(from.value, to.value)
    case 'struct': {
      if (to.kind !== 'struct') return false
      const fields = new Map(to.fields.map(({ name, type }) => [name, type]))
      return from.fields.every(({ name, type }) => {
        const now = fields.get(name)
        return now !== undefined && holds(type, now)
      })
    }
    default:
      return false
  }
}

function integerWidens(from: Extract<LogicalType, { kind: 'integer' }>, to: LogicalType): boolean {
  const { min, max } = integerLimits(from)
  if (to.kind === 'integer') {
    const limits = integerLimits(to)
    return limits.min <= min && max <= limits.max
  }
  if (to.kind === 'decimal') return String(max).length <= to.precision - to.scale
  // As in SQL and Java. A double has 53 bits, so the last digits of integers beyond 2^53 are lost.
  return to.kind === 'float' && to.bits >= Math.min(from.bits, 64)
}

function hasAllValues(from: readonly string[] | undefined, to: readonly string[] | undefined): boolean {
  if (from === undefined) return false
  return to === undefined || from.every((value) => to.includes(value))
}
