import type { Column } from '../../sql/predicate/column.ts'
import { outsideList } from '../../sql/predicate/in-list.ts'
import { textLiteral } from '../../sql/quote.ts'

const decimal = /^-?(?:\d+(?:\.\d*)?|\.\d+)$/
const real = /^(?:-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|nan)$/i
const clock = String.raw`\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?`
const time = new RegExp(`^${clock}$`)
const timestamp = new RegExp(`^\\d{4}-\\d{2}-\\d{2}(?:[ T]${clock})?$`)
const zoned = new RegExp(`^\\d{4}-\\d{2}-\\d{2}[ T]${clock} ?(?:Z|[+-]\\d{2}(?::?\\d{2})?)$`)

/** How a value of the type may be written that its own text does not tell (`1.50`, `T` between date and time); null: one way only. */
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
 * That a row is of the partition that `value` names (null: of the one without a value): by its text, and by its value only where
 * the type has several texts for one and `value` is one of them as a whole. Nothing is read into a name: `2026-11-03x` is no day.
 * Pure.
 */
export function isPartition(column: Column, value: string | null): string {
  if (value === null) return `${column.sql} IS NULL`
  const byText = `coalesce(${column.text} = ${textLiteral(value)}, false)`
  if (otherForms(column)?.test(value) !== true) return byText
  return `(${byText} OR (${column.sql} IS NOT NULL AND NOT coalesce(${outsideList(column, [value], false)}, true)))`
}
