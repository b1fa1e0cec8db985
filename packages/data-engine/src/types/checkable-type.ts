import type { LogicalType } from './logical-type.ts'
import { parseType } from './parse-type.ts'
import { typesByName } from './type-names.ts'

/** Those of which a check can say whether a value is of them. Times are told to the microsecond. */
function isCheckable(type: LogicalType): boolean {
  switch (type.kind) {
    case 'integer':
    case 'decimal':
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

/** The type that people ask values to be of; `undefined`: it is none that can be checked. Only decimals have sizes. */
export function checkableType(written: string): LogicalType | undefined {
  if (written.length > 200) return undefined
  const type = parseType(written)
  if (!isCheckable(type) || (type.kind !== 'decimal' && written.includes('('))) return undefined
  return type
}

/** Types that `checkableType` takes, for messages. */
export const checkableNames: string = `${[...typesByName.keys()].filter(checkableType).join(', ')}, DECIMAL(precision,scale), or another name of one of these`
