import type { Column } from '../../sql/predicate/column.ts'
import { outsideList } from '../../sql/predicate/in-list.ts'
import { textLiteral } from '../../sql/quote.ts'

const decimal = /^-?(?:\d+(?:\.\d*)?|\.\d+)$/
const real = /^(?:-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|nan)$/i
const clock = String.raw`\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?`
const time = new RegExp(`^${clock}$`)
const timestamp = new RegExp(`^\\d{4}-\\d{2}-\\d{2}(?:[ T]${clock})?$`)
const zoned = new RegExp(`^\\d{4}-\\d{2}-\\d{2}[ T]${clock} ?(?:Z|[+-]\\d{2}(?::?\\d{2})?)$`)

/**
 * Matches notations of a value of the type other than the engine's own (`1.50`, `T` between date and time); null if
 * there are none.
 */
function otherForms({ type }: Column): RegExp | null {
  switch (type.kind) {
    case 'float':
      return real
    case 'decimal':
      return decimal
    case 'boolean':
      return /^(?:true|false)$/i
    case 'time':
      return time
    case 'timestamp':
      return timestamp
    case 'timestamptz':
      return zoned
    default:
      return null
  }
}

/**
 * The condition for rows in the partition `value` (`null` stands for the partition without a value). Compares text. If
 * the type has several notations and `value` is entirely one of them, compares values too: `2026-11-03x`, for example,
 * is not a day. Pure.
 */
export function isPartition(column: Column, value: string | null): string {
  if (value === null) return `${column.sql} IS NULL`
  const byText = `coalesce(${column.text} = ${textLiteral(value)}, false)`
  if (otherForms(column)?.test(value) !== true) return byText
  return `(${byText} OR (${column.sql} IS NOT NULL AND NOT coalesce(${outsideList(column, [value], false)}, true)))`
}
