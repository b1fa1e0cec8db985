import type { SourceColumn } from '../compared-source.ts'
import { formatType } from '../types/format-type.ts'
import type { LogicalType } from '../types/logical-type.ts'

/**
 * How DuckDB stores values of a column of another database that arrive as text. Values that are not plain stay text,
 * and so do numbers if `isWide`.
 */
export function storedAs(type: LogicalType, isWide: boolean): Pick<SourceColumn, 'type' | 'stored'> {
  if (isWide) return { type, stored: 'VARCHAR' }
  switch (type.kind) {
    case 'integer':
    case 'decimal':
    case 'float':
    case 'boolean':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
    case 'binary':
    case 'uuid':
      return { type, stored: formatType(type) }
    case 'text':
      return { type: { kind: 'text' }, stored: 'VARCHAR' }
    default:
      return { type, stored: 'VARCHAR' }
  }
}
