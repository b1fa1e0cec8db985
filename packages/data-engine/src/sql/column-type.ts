/** What a column's type means for a check. `integer` and `decimal` carry what they can hold. */
export type ColumnType =
  | { family: 'text' | 'float' | 'boolean' | 'date' | 'timestamp' | 'timestamptz' | 'time' | 'other' }
  | { family: 'integer'; min: bigint; max: bigint }
  | { family: 'decimal'; precision: number; scale: number }

function signed(bits: bigint): { family: 'integer'; min: bigint; max: bigint } {
  return { family: 'integer', min: -(2n ** (bits - 1n)), max: 2n ** (bits - 1n) - 1n }
}
function unsigned(bits: bigint): { family: 'integer'; min: bigint; max: bigint } {
  return { family: 'integer', min: 0n, max: 2n ** bits - 1n }
}

const byName: { [name: string]: ColumnType } = {
  TINYINT: signed(8n),
  SMALLINT: signed(16n),
  INTEGER: signed(32n),
  BIGINT: signed(64n),
  HUGEINT: signed(128n),
  UTINYINT: unsigned(8n),
  USMALLINT: unsigned(16n),
  UINTEGER: unsigned(32n),
  UBIGINT: unsigned(64n),
  UHUGEINT: unsigned(128n),
  FLOAT: { family: 'float' },
  DOUBLE: { family: 'float' },
  BOOLEAN: { family: 'boolean' },
  DATE: { family: 'date' },
  TIME: { family: 'time' },
  TIMESTAMP: { family: 'timestamp' },
  TIMESTAMP_S: { family: 'timestamp' },
  TIMESTAMP_MS: { family: 'timestamp' },
  TIMESTAMP_NS: { family: 'timestamp' },
  'TIMESTAMP WITH TIME ZONE': { family: 'timestamptz' },
  VARCHAR: { family: 'text' },
}

/** Other names under which people know the types. */
const aliases: { [name: string]: string } = {
  BYTE: 'TINYINT',
  INT1: 'TINYINT',
  SHORT: 'SMALLINT',
  INT2: 'SMALLINT',
  INT: 'INTEGER',
  INT4: 'INTEGER',
  SIGNED: 'INTEGER',
  INT8: 'BIGINT',
  LONG: 'BIGINT',
  INT16: 'SMALLINT',
  INT32: 'INTEGER',
  INT64: 'BIGINT',
  INT128: 'HUGEINT',
  REAL: 'FLOAT',
  FLOAT4: 'FLOAT',
  FLOAT8: 'DOUBLE',
  'DOUBLE PRECISION': 'DOUBLE',
  BOOL: 'BOOLEAN',
  LOGICAL: 'BOOLEAN',
  DATETIME: 'TIMESTAMP',
  'TIMESTAMP WITHOUT TIME ZONE': 'TIMESTAMP',
  TIMESTAMPTZ: 'TIMESTAMP WITH TIME ZONE',
  TEXT: 'VARCHAR',
  STRING: 'VARCHAR',
  CHAR: 'VARCHAR',
  BPCHAR: 'VARCHAR',
  NUMERIC: 'DECIMAL',
  NUMBER: 'DECIMAL',
  DEC: 'DECIMAL',
}

/** The engine's own name of a type that people wrote; null: none that a check can be made for. Never holds their text. */
export function typeName(written: string): string | null {
  if (written.length > 200) return null
  const shape = /^([A-Z][A-Z0-9_ ]*?)\s*(?:\(\s*(\d{1,4})\s*(?:,\s*(\d{1,4})\s*)?\))?$/.exec(
    written.trim().toUpperCase(),
  )
  if (!shape) return null
  const [, written1 = '', first, second] = shape
  const word = written1.replace(/\s+/g, ' ')
  const name = aliases[word] ?? word
  if (name === 'DECIMAL') return `DECIMAL(${Number(first ?? 18)},${Number(second ?? (first === undefined ? 3 : 0))})`
  if (name === 'UUID' || name === 'JSON') return name
  return byName[name] ? name : null
}

/** Reads the engine's name of a column's type. Enumerations are text to a check; nested and binary types are `other`. */
export function columnType(dataType: string): ColumnType {
  if (dataType.endsWith(']')) return { family: 'other' }
  const decimal = /^DECIMAL\((\d+),\s*(\d+)\)$/.exec(dataType)
  if (decimal) return { family: 'decimal', precision: Number(decimal[1]), scale: Number(decimal[2]) }
  if (dataType.startsWith('ENUM(')) return { family: 'text' }
  return byName[aliases[dataType] ?? dataType] ?? { family: 'other' }
}
