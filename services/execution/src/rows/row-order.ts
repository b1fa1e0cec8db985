import { isNested, isNumeric, type LogicalType, otherWord, parseType, type RowOrder } from '@assay/data-engine'
import { AssayError } from '@assay/service-kit/errors'
import type { Preview } from './preview.ts'

type Row = Preview['rows'][number]
type Kind = RowOrder['kind']

/** The order in which the run stored the rows, its reverse, or the order of a column. */
export type Order = { column: null; direction: RowOrder['direction'] } | RowOrder

function kindOf(type: LogicalType): Kind {
  // The engine sorts whole numbers as HUGEINT, which does not hold all of UHUGEINT.
  if (type.kind === 'integer' && (type.signed || type.bits < 128)) return 'integer'
  return isNumeric(type) || otherWord(type) === 'BIGNUM' ? 'number' : 'text'
}

/** The order that a call requests. Throws `invalid` if the rows have no such column, or if it cannot be sorted. */
export function orderOf(
  sortBy: { field: string; direction: 'asc' | 'desc' } | undefined,
  fields: Preview['fields'],
  rowNumber: string,
): Order {
  if (sortBy === undefined) return { column: null, direction: 'asc' }
  const { field: column, direction } = sortBy
  if (column === rowNumber) return { column: null, direction }
  const field = fields.find(({ name, type }) => name === column && !isNested(parseType(type)))
  if (field !== undefined) return { column, kind: kindOf(parseType(field.type)), direction }
  const known = [rowNumber, ...fields.filter(({ type }) => !isNested(parseType(type))).map(({ name }) => name)]
  throw new AssayError('invalid', `sortBy: the field must be one of ${known.slice(0, 20).join(', ')}.`)
}

/** The sort key of a value; `null` means it sorts last. */
function keyOf(value: unknown, kind: Kind): bigint | number | Buffer | null {
  if (value === null || value === undefined) return null
  const text = String(value)
  if (kind === 'text') return Buffer.from(text)
  if (kind === 'integer') return /^-?\d+$/.test(text) ? BigInt(text) : null
  return text === 'NaN' ? Number.POSITIVE_INFINITY : Number.isNaN(Number(text)) ? null : Number(text)
}

type Key = ReturnType<typeof keyOf>

function compare(one: Key, other: Key): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (Buffer.isBuffer(one) && Buffer.isBuffer(other)) return Buffer.compare(one, other)
  return one < other ? -1 : Number(one > other)
}

/** Sorts rows from their stored order, as the data engine would. Pure. */
export function inOrder(rows: readonly Row[], order: Order): Row[] {
  const isReversed = order.direction === 'desc'
  if (order.column === null) return isReversed ? rows.toReversed() : [...rows]
  const { column, kind } = order
  const keyed = rows.map((row) => ({ row, key: keyOf(row.values[column], kind) }))
  // A stable sort keeps equal rows in their stored order.
  const sorted = keyed.sort((one, other) => compare(one.key, other.key)).map(({ row }) => row)
  return isReversed ? sorted.reverse() : sorted
}
