import type { LogicalType } from '../types/logical-type.ts'
import { parseType } from '../types/parse-type.ts'

const integers: Readonly<Record<string, 8 | 16 | 32 | 64>> = {
  tinyint: 8,
  smallint: 16,
  mediumint: 32,
  int: 32,
  bigint: 64,
}

/** Names that have another meaning in DuckDB, or do not exist there. */
const own: Readonly<Record<string, LogicalType>> = {
  year: { kind: 'integer', bits: 16, signed: false },
  float: { kind: 'float', bits: 32 },
  double: { kind: 'float', bits: 64 },
  date: { kind: 'date' },
  time: { kind: 'time' },
  timestamp: { kind: 'timestamptz' },
  json: { kind: 'json' },
  uuid: { kind: 'uuid' },
  inet4: { kind: 'text' },
  inet6: { kind: 'text' },
  ...Object.fromEntries(
    ['char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext', 'set'].map((name) => [name, { kind: 'text' }]),
  ),
  ...Object.fromEntries(
    ['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob'].map((name) => [name, { kind: 'binary' }]),
  ),
}

/** A `float(7,4)` or `double(10,2)` is rounded when it is stored, but stays a float. */
function sized(word: string, first: number, second: number): LogicalType | undefined {
  // A decimal may have more than 38 digits, which is the maximum in other databases.
  if (word === 'decimal') return { kind: 'decimal', precision: first, scale: second }
  if (word === 'datetime') return { kind: 'timestamp', digits: first === 0 ? 0 : first <= 3 ? 3 : 6 }
  return own[word]
}

/**
 * Parses a type as the server names it in `COLUMN_TYPE`: `int(10) unsigned`, `decimal(10,2)`, `enum('a','b')`. A
 * `tinyint(1)`, which is what BOOLEAN creates, and a `bit(1)` are boolean; longer bits are whole numbers.
 */
export function parseMysqlType(name: string): LogicalType {
  const written = name.trim()
  const [, word = '', first = '0', second = '0'] = /^(\w+)(?:\((\d+)(?:,(\d+))?\))?/.exec(written.toLowerCase()) ?? []
  if (word === 'enum') return parseType(written)
  if (/^(?:tinyint\(1\)|bit\(1\)|boolean|bool)$/i.test(written)) return { kind: 'boolean' }
  if (word === 'bit') return { kind: 'integer', bits: 64, signed: false }
  const bits = integers[word]
  if (bits !== undefined) return { kind: 'integer', bits, signed: !/ unsigned/i.test(written) }
  return sized(word, Number(first), Number(second)) ?? { kind: 'other', name: written }
}

const names: Partial<Record<LogicalType['kind'], string>> = {
  text: 'longtext',
  boolean: 'tinyint(1)',
  date: 'date',
  time: 'time(6)',
  timestamp: 'datetime(6)',
  timestamptz: 'timestamp(6)',
  binary: 'longblob',
  json: 'json',
  uuid: 'char(36)',
}
const integerNames: Readonly<Record<number, string>> = { 8: 'tinyint', 16: 'smallint', 32: 'int', 64: 'bigint' }

export function formatMysqlType(type: LogicalType): string {
  if (type.kind === 'decimal') return `decimal(${type.precision},${type.scale})`
  if (type.kind === 'float') return type.bits === 32 ? 'float' : 'double'
  if (type.kind !== 'integer') return names[type.kind] ?? 'longtext'
  const known = integerNames[type.bits]
  return known === undefined ? 'decimal(39,0)' : `${known}${type.signed ? '' : ' unsigned'}`
}
