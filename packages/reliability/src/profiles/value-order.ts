import { isNested, type LogicalType, type PositionedValue, type ProfileValue } from '@assay/data-engine'
import { compareExact, parseMeasured } from '../exact.ts'

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding)

/** Compares JSON by its structure, as engines compare nested values: field by field, NULL last. */
function compareJson(one: unknown, other: unknown): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (typeof one === 'object' && typeof other === 'object' && one !== undefined && other !== undefined) {
    const [left, right] = [Object.values(one ?? {}), Object.values(other ?? {})]
    for (const [index, value] of left.entries()) {
      if (index >= right.length) return 1
      const order = compareJson(value, right[index])
      if (order !== 0) return order
    }
    return left.length - right.length
  }
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return Buffer.compare(bytes(String(one)), bytes(String(other)))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** NaN is the greatest number, above infinity. */
function compareNumbers(one: ProfileValue, other: ProfileValue): number {
  const [left, right] = [parseMeasured(String(one)), parseMeasured(String(other))]
  if (typeof left === 'object' && typeof right === 'object') return compareExact(left, right)
  const [a, b] = [Number(one), Number(other)].map((value) => (Number.isNaN(value) ? [1, 0] : [0, value]))
  const [isNaNOne = 0, valueOne = 0] = a ?? []
  const [isNaNOther = 0, valueOther = 0] = b ?? []
  return isNaNOne - isNaNOther || (valueOne === valueOther ? 0 : valueOne < valueOther ? -1 : 1)
}

const timeOf = ({ value, position }: PositionedValue) =>
  position ?? (value === 'infinity' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY)

/** The order of the values of a type: text by code points, numbers by value, times by instant. */
export function compareValues(type: LogicalType): (one: PositionedValue, other: PositionedValue) => number {
  switch (type.kind) {
    case 'integer':
    case 'decimal':
    case 'float':
      return (one, other) => compareNumbers(one.value, other.value)
    case 'date':
    case 'timestamp':
    case 'timestamptz':
      return (one, other) => {
        const [a, b] = [timeOf(one), timeOf(other)]
        return a === b ? compareJson(one.value, other.value) : a < b ? -1 : 1
      }
    case 'boolean':
      return (one, other) => Number(one.value) - Number(other.value)
    case 'binary':
      return (one, other) => Buffer.compare(bytes(String(one.value), 'base64'), bytes(String(other.value), 'base64'))
    default:
      return isNested(type) && type.kind !== 'json'
        ? (one, other) => compareJson(parsed(String(one.value)), parsed(String(other.value)))
        : (one, other) => Buffer.compare(bytes(String(one.value)), bytes(String(other.value)))
  }
}
