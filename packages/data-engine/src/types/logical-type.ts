/**
 * The meaning of a column's type, which is the same for all databases. `digits` of a timestamp: the number of digits of
 * its fraction of a second. `values`: the values of an enumeration, which is text. `other`: an unknown type, with its
 * own name.
 */
export type LogicalType =
  | { kind: 'integer'; bits: 8 | 16 | 32 | 64 | 128; signed: boolean }
  | { kind: 'decimal'; precision: number; scale: number }
  | { kind: 'float'; bits: 32 | 64 }
  | { kind: 'text'; values?: readonly string[] }
  | { kind: 'timestamp'; digits: 0 | 3 | 6 | 9 }
  | { kind: 'boolean' | 'date' | 'time' | 'timestamptz' | 'binary' | 'json' | 'uuid' }
  | { kind: 'list'; of: LogicalType; size?: number }
  | { kind: 'struct'; fields: readonly StructField[] }
  | { kind: 'map'; key: LogicalType; value: LogicalType }
  | { kind: 'other'; name: string }

export interface StructField {
  name: string
  type: LogicalType
}

export type LogicalKind = LogicalType['kind']

/** The least and greatest value of an integer type. */
export function integerLimits({ bits, signed }: Extract<LogicalType, { kind: 'integer' }>): {
  min: bigint
  max: bigint
} {
  const all = 2n ** BigInt(bits)
  return signed ? { min: -all / 2n, max: all / 2n - 1n } : { min: 0n, max: all - 1n }
}

/** Whether the values of a type are numbers, which can be summed. */
export function isNumeric({ kind }: LogicalType): boolean {
  return kind === 'integer' || kind === 'decimal' || kind === 'float'
}

/** Whether the values of a type have a calendar day. */
export function isTemporal({ kind }: LogicalType): boolean {
  return kind === 'date' || kind === 'timestamp' || kind === 'timestamptz'
}

/** The first word of the name of a type of kind `other`, in upper case; empty for known types. */
export function otherWord(type: LogicalType): string {
  return type.kind === 'other' ? (/^\w+/.exec(type.name)?.[0] ?? '').toUpperCase() : ''
}

const looseStructures: ReadonlySet<string> = new Set(['UNION', 'VARIANT', 'OBJECT'])

/** Whether the values of a type have an inner structure. */
export function isNested(type: LogicalType): boolean {
  const { kind } = type
  return (
    kind === 'list' || kind === 'struct' || kind === 'map' || kind === 'json' || looseStructures.has(otherWord(type))
  )
}

/** The type with its leaf types replaced; the same object if none changed. */
export function withLeaves(type: LogicalType, change: (leaf: LogicalType) => LogicalType): LogicalType {
  switch (type.kind) {
    case 'list': {
      const of = withLeaves(type.of, change)
      return of === type.of ? type : { ...type, of }
    }
    case 'struct': {
      const fields = type.fields.map((field) => {
        const inner = withLeaves(field.type, change)
        return inner === field.type ? field : { name: field.name, type: inner }
      })
      return fields.every((field, index) => field === type.fields[index]) ? type : { kind: 'struct', fields }
    }
    case 'map': {
      const [key, value] = [withLeaves(type.key, change), withLeaves(type.value, change)]
      return key === type.key && value === type.value ? type : { kind: 'map', key, value }
    }
    default:
      return change(type)
  }
}
