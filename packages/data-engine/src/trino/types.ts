import { formatType } from '../types/format-type.ts'
import type { LogicalType } from '../types/logical-type.ts'
import { parseType } from '../types/parse-type.ts'

/** Parses a type as Trino names it: `decimal(10, 2)`, `timestamp(3) with time zone`, `array(varchar)`. */
export function parseTrinoType(name: string): LogicalType {
  const written = name.trim().toLowerCase()
  const [, element] = /^array\((.*)\)$/s.exec(name.trim()) ?? []
  if (element !== undefined) return { kind: 'list', of: parseTrinoType(element) }
  if (written === 'unknown') return { kind: 'text' }
  return parseType(name)
}

const names: Partial<Record<LogicalType['kind'], string>> = {
  text: 'varchar',
  boolean: 'boolean',
  date: 'date',
  time: 'time(6)',
  timestamp: 'timestamp(6)',
  timestamptz: 'timestamp(6) with time zone',
  binary: 'varbinary',
  json: 'json',
  uuid: 'uuid',
}
const integers: Readonly<Record<number, string>> = { 8: 'tinyint', 16: 'smallint', 32: 'integer', 64: 'bigint' }

export function formatTrinoType(type: LogicalType): string {
  if (type.kind === 'decimal') return `decimal(${type.precision}, ${type.scale})`
  if (type.kind === 'float') return type.bits === 32 ? 'real' : 'double'
  if (type.kind === 'integer') return (type.signed && integers[type.bits]) || 'decimal(38, 0)'
  return names[type.kind] ?? formatType(type)
}
