import { isNumeric, otherWord, parseType } from '@assay/data-engine'

/** How values of a column are compared. */
export type ValueKind = 'number' | 'date' | 'time' | 'text' | 'other'

/** Types that need no checks of their own and whose values can be compared. */
const others: Readonly<Record<string, ValueKind>> = {
  ...{ BIGNUM: 'number', TIME: 'text', TIME_NS: 'text', YEAR: 'number' },
  // Numbers with more digits than DuckDB supports.
  ...{ DECIMAL: 'number', NUMERIC: 'number' },
}

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
