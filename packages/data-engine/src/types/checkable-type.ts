import type { LogicalType } from './logical-type.ts'
import { parseType } from './parse-type.ts'
import { typesByName } from './type-names.ts'

/** Whether a DATATYPE check can test values for this type. Timestamps can be checked only in microseconds. */
function isCheckable(type: LogicalType): boolean {
  switch (type.kind) {
    case 'decimal':
      return type.precision <= 38
    case 'integer':
    case 'float':
    case 'boolean':
    case 'date':
    case 'time':
    case 'timestamptz':
    case 'json':
    case 'uuid':
      return true
    case 'text':
      return type.values === undefined
    case 'timestamp':
      return type.digits === 6
    default:
      return false
  }
}

/**
 * Parses the type that a user wrote in a check. `undefined` if the type cannot be checked. Only decimals may have a
 * size.
 */
export function checkableType(written: string): LogicalType | undefined {
  if (written.length > 200) return undefined
  const type = parseType(written)
  if (!isCheckable(type) || (type.kind !== 'decimal' && written.includes('('))) return undefined
  return type
}

/** Lists the types that `checkableType` accepts, for error messages. */
export const checkableNames: string = `${[...typesByName.keys()].filter(checkableType).join(', ')}, DECIMAL(precision,scale), or another name of one of these`
