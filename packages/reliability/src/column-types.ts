/** What a column's values are compared as. The names are those of the data engine. */
export type ValueKind = 'number' | 'date' | 'time' | 'text' | 'other'

const numbers =
  /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|INT\d*|FLOAT\d?|REAL|DOUBLE|DECIMAL|NUMERIC|BIGNUM)\b/

/** The kind of an engine type name such as `DECIMAL(18,3)`; lists and structs are `other`. */
export function kindOfType(dataType: string): ValueKind {
  const name = dataType.trim().toUpperCase()
  if (name.endsWith(']')) return 'other'
  if (numbers.test(name)) return 'number'
  if (name === 'DATE') return 'date'
  if (/^(?:TIMESTAMP|DATETIME)/.test(name)) return 'time'
  if (/^(?:VARCHAR|TEXT|STRING|CHAR|BPCHAR|UUID|ENUM|TIME)\b/.test(name)) return 'text'
  return 'other'
}

const synonyms: Readonly<Record<string, string>> = {
  STRING: 'VARCHAR',
  TEXT: 'VARCHAR',
  CHAR: 'VARCHAR',
  BYTE: 'TINYINT',
  SHORT: 'SMALLINT',
  INT: 'INTEGER',
  LONG: 'BIGINT',
  REAL: 'FLOAT',
  NUMBER: 'DECIMAL(38,10)',
  NUMERIC: 'DECIMAL(38,10)',
  DECIMAL: 'DECIMAL(38,10)',
  BIGDECIMAL: 'DECIMAL(38,10)',
  'DOUBLE PRECISION': 'DOUBLE',
  BOOL: 'BOOLEAN',
  DATETIME: 'TIMESTAMP',
  TIMESTAMPTZ: 'TIMESTAMP WITH TIME ZONE',
}
const plain: ReadonlySet<string> = new Set([
  'VARCHAR',
  'BOOLEAN',
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'HUGEINT',
  'UTINYINT',
  'USMALLINT',
  'UINTEGER',
  'UBIGINT',
  'UHUGEINT',
  'FLOAT',
  'DOUBLE',
  'DATE',
  'TIME',
  'TIMESTAMP',
  'TIMESTAMP WITH TIME ZONE',
  'UUID',
  'JSON',
])

/** Names that DATATYPE_MATCH takes, for messages. */
export const matchableTypes = [...plain, 'DECIMAL(precision,scale)', ...Object.keys(synonyms)].join(', ')

/** The engine's name of a type that text can be matched with; `undefined` when there is none of that name. */
export function matchableType(name: string): string | undefined {
  if (name.length > 200) return undefined
  const upper = name.trim().toUpperCase().replace(/\s+/g, ' ')
  const known = synonyms[upper] ?? (plain.has(upper) ? upper : undefined)
  if (known !== undefined) return known
  const decimal = /^(?:DECIMAL|NUMERIC) ?\( ?(\d{1,2}) ?, ?(\d{1,2}) ?\)$/.exec(upper)
  const [precision, scale] = [Number(decimal?.[1] ?? 0), Number(decimal?.[2] ?? 0)]
  return precision >= 1 && precision <= 38 && scale <= precision ? `DECIMAL(${precision},${scale})` : undefined
}
