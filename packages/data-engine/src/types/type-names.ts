import type { LogicalType } from './logical-type.ts'

const integer = (bits: 8 | 16 | 32 | 64 | 128, signed = true): LogicalType => ({ kind: 'integer', bits, signed })

/** The names that DuckDB itself gives to types without parameters. */
export const typesByName: ReadonlyMap<string, LogicalType> = new Map<string, LogicalType>([
  ['TINYINT', integer(8)],
  ['SMALLINT', integer(16)],
  ['INTEGER', integer(32)],
  ['BIGINT', integer(64)],
  ['HUGEINT', integer(128)],
  ['UTINYINT', integer(8, false)],
  ['USMALLINT', integer(16, false)],
  ['UINTEGER', integer(32, false)],
  ['UBIGINT', integer(64, false)],
  ['UHUGEINT', integer(128, false)],
  ['FLOAT', { kind: 'float', bits: 32 }],
  ['DOUBLE', { kind: 'float', bits: 64 }],
  ['VARCHAR', { kind: 'text' }],
  ['BOOLEAN', { kind: 'boolean' }],
  ['DATE', { kind: 'date' }],
  ['TIME', { kind: 'time' }],
  ['TIMESTAMP_S', { kind: 'timestamp', digits: 0 }],
  ['TIMESTAMP_MS', { kind: 'timestamp', digits: 3 }],
  ['TIMESTAMP', { kind: 'timestamp', digits: 6 }],
  ['TIMESTAMP_NS', { kind: 'timestamp', digits: 9 }],
  ['TIMESTAMP WITH TIME ZONE', { kind: 'timestamptz' }],
  ['BLOB', { kind: 'binary' }],
  ['JSON', { kind: 'json' }],
  ['UUID', { kind: 'uuid' }],
])

/** DuckDB's DECIMAL without precision. */
export const plainDecimal: LogicalType = { kind: 'decimal', precision: 18, scale: 3 }

/** Other names for types that DuckDB knows. */
const inDuckdb: Readonly<Record<string, readonly string[]>> = {
  TINYINT: ['INT1'],
  SMALLINT: ['INT2', 'INT16', 'SHORT'],
  INTEGER: ['INT', 'INT4', 'INT32', 'INTEGRAL', 'SIGNED'],
  BIGINT: ['INT8', 'INT64', 'LONG', 'OID'],
  HUGEINT: ['INT128'],
  UTINYINT: ['UINT8'],
  USMALLINT: ['UINT16'],
  UINTEGER: ['UINT32'],
  UBIGINT: ['UINT64'],
  UHUGEINT: ['UINT128'],
  FLOAT: ['FLOAT4', 'REAL'],
  DOUBLE: ['FLOAT8', 'DOUBLE PRECISION'],
  DECIMAL: ['DEC', 'NUMERIC'],
  VARCHAR: ['CHAR', 'BPCHAR', 'NVARCHAR', 'STRING', 'TEXT', 'CHARACTER', 'CHARACTER VARYING'],
  BOOLEAN: ['BOOL', 'LOGICAL'],
  TIME: ['TIME WITHOUT TIME ZONE'],
  TIMESTAMP: ['DATETIME', 'TIMESTAMP_US', 'TIMESTAMP WITHOUT TIME ZONE'],
  'TIMESTAMP WITH TIME ZONE': ['TIMESTAMPTZ'],
  'TIME WITH TIME ZONE': ['TIMETZ'],
  BIGNUM: ['VARINT'],
  BLOB: ['BINARY', 'BYTEA', 'VARBINARY'],
  UUID: ['GUID'],
}

/** Names of types in other databases, for columns of assets that were defined by hand and that no engine has read. */
const inOthers: typeof inDuckdb = {
  TINYINT: ['BYTE'],
  INTEGER: ['MEDIUMINT'],
  UTINYINT: ['TINYINT UNSIGNED'],
  USMALLINT: ['SMALLINT UNSIGNED', 'YEAR'],
  UINTEGER: ['UINT', 'INT UNSIGNED', 'MEDIUMINT UNSIGNED'],
  UBIGINT: ['ULONG', 'BIGINT UNSIGNED'],
  FLOAT: ['FLOAT32', 'FLOAT UNSIGNED'],
  DOUBLE: ['FLOAT64', 'DOUBLE UNSIGNED'],
  DECIMAL: ['NUMBER', 'BIGDECIMAL', 'MONEY', 'DECIMAL UNSIGNED'],
  VARCHAR: ['NCHAR', 'VARCHAR2', 'NVARCHAR2', 'TINYTEXT', 'MEDIUMTEXT', 'LONGTEXT', 'CLOB', 'INET4', 'INET6'],
  TIMESTAMP: ['DATETIME2'],
  'TIMESTAMP WITH TIME ZONE': ['DATETIMEOFFSET'],
  BLOB: ['TINYBLOB', 'MEDIUMBLOB', 'LONGBLOB'],
  JSON: ['JSONB'],
}

/** DuckDB's names of types, by their other names in upper case. */
export const aliases: ReadonlyMap<string, string> = new Map(
  [inDuckdb, inOthers].flatMap((names) =>
    Object.entries(names).flatMap(([name, others]) => others.map((other) => [other, name] as const)),
  ),
)
