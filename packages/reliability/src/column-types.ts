import { isNumeric, otherWord, parseType } from '@assay/data-engine'

/** How values of a column are compared. */
export type ValueKind = 'number' | 'date' | 'time' | 'text' | 'other'

/** Types without checks of their own, whose values are comparable. */
const others: Readonly<Record<string, ValueKind>> = { BIGNUM: 'number', TIME: 'text', TIME_NS: 'text' }

/** The kind of an engine type name such as `DECIMAL(18,3)`; lists and structs are `other`. */
export function kindOfType(dataType: string): ValueKind {
  const type = parseType(dataType)
  switch (type.kind) {
    case 'date':
      return 'date'
    case 'timestamp':
    case 'timestamptz':
      return 'time'
    case 'text':
    case 'uuid':
    case 'time':
      return 'text'
    default:
      return isNumeric(type) ? 'number' : (others[otherWord(type)] ?? 'other')
  }
}
