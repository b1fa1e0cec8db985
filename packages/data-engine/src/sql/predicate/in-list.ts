import { integerLimits } from '../../types/logical-type.ts'
import { parseDecimal, scaledFloor, scaledText } from '../decimal.ts'
import { textLiteral } from '../quote.ts'
import { type Column, fitsFloat } from './column.ts'

type Value = string | number | boolean

function plainNumber(text: string): string | null {
  const value = parseDecimal(text)
  return value && scaledText(value.digits, value.scale)
}

/** A value of the list as a literal of the column's type; null if no value of that type equals it. */
function literal(column: Column, value: Value): string | null {
  const { type } = column
  switch (type.kind) {
    case 'integer':
    case 'decimal': {
      const number = typeof value === 'boolean' ? null : parseDecimal(String(value))
      const scale = type.kind === 'decimal' ? type.scale : 0
      const largest = type.kind === 'decimal' ? 10n ** BigInt(type.precision) - 1n : integerLimits(type).max
      const least = type.kind === 'decimal' ? -largest : integerLimits(type).min
      const grid = number && scaledFloor(number, scale)
      if (!grid?.exact || grid.floor > largest || grid.floor < least) return null
      return column.dialect.number(scaledText(grid.floor, scale), column)
    }
    case 'float': {
      if (typeof value === 'boolean') return null
      if (/^\s*nan\s*$/i.test(String(value))) return column.dialect.nan(column)
      const number = plainNumber(String(value))
      return number !== null && fitsFloat(type, number) ? column.dialect.number(number, column) : null
    }
    case 'boolean': {
      const text = String(value).toLowerCase()
      return text === 'true' || text === 'false' ? text : null
    }
    case 'text':
      return textLiteral(String(value))
    default:
      return column.dialect.literal(String(value), column)
  }
}

function contains({ dialect }: Column, value: string, literals: readonly string[]): string {
  return literals.length === 0 ? 'false' : dialect.isAmong(value, literals)
}

/** Compares text with numbers of the list. */
function containsNumbers({ dialect, text }: Column, values: readonly Value[]): string {
  const numbers = values.flatMap((value) => (typeof value === 'number' ? (parseDecimal(String(value)) ?? []) : []))
  return dialect.isOneOf(text, numbers)
}

/**
 * True if the column's value is not in the list; with `negate`, true if it is in the list. NULL gives NULL or false.
 */
export function outsideList(column: Column, values: readonly Value[], negate: boolean): string {
  const literals = [...new Set(values.flatMap((value) => literal(column, value) ?? []))]
  const value = column.type.kind === 'text' ? column.text : column.sql
  const byText = contains(column, value, literals)
  const withNumbers = column.type.kind === 'text' && values.some((entry) => typeof entry === 'number')
  const inside = withNumbers ? `(${byText} OR coalesce(${containsNumbers(column, values)}, false))` : byText
  return `(${column.presence} IS NOT NULL AND ${negate ? inside : `NOT ${inside}`})`
}
