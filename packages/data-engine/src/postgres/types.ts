import { formatType } from '../types/format-type.ts'
import type { LogicalType } from '../types/logical-type.ts'
import { parseType } from '../types/parse-type.ts'

/**
 * A numeric without precision has no fixed scale to which a bound could be rounded. So it is compared like a float, but
 * exactly.
 */
const unbounded: LogicalType = { kind: 'float', bits: 64 }

/** Names that have another meaning in DuckDB, or do not exist there. */
const own: Readonly<Record<string, LogicalType>> = {
  numeric: unbounded,
  name: { kind: 'text' },
  '"char"': { kind: 'text' },
  money: { kind: 'other', name: 'money' },
  bit: { kind: 'other', name: 'bit' },
}

/** Parses the name that `format_type` gives to a type: `numeric(10,2)`, `timestamp(3) with time zone`, `text[]`. */
export function parsePostgresType(name: string): LogicalType {
  const known = own[name]
  if (known !== undefined) return known
  if (name.endsWith('[]')) return { kind: 'list', of: parsePostgresType(name.slice(0, -2)) }
  const type = parseType(name)
  const isWide = type.kind === 'other' || (type.kind === 'decimal' && type.precision > 38)
  return isWide && /^numeric\(/.test(name) ? unbounded : type
}

const names: Partial<Record<LogicalType['kind'], string>> = {
  text: 'text',
  boolean: 'boolean',
  date: 'date',
  time: 'time without time zone',
  timestamp: 'timestamp without time zone',
  timestamptz: 'timestamp with time zone',
  binary: 'bytea',
  json: 'jsonb',
  uuid: 'uuid',
}
const integers: Readonly<Record<number, string>> = { 16: 'smallint', 32: 'integer', 64: 'bigint' }

export function formatPostgresType(type: LogicalType): string {
  if (type.kind === 'decimal') return `numeric(${type.precision},${type.scale})`
  if (type.kind === 'float') return type.bits === 32 ? 'real' : 'double precision'
  if (type.kind === 'integer') return (type.signed && integers[type.bits]) || 'numeric(39,0)'
  return names[type.kind] ?? formatType(type)
}
