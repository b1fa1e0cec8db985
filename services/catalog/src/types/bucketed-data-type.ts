import type { ChildAsset } from '@assay/contracts'

type Bucket = NonNullable<ChildAsset['bucketedDataType']>

const numeric =
  /^(U?(TINY|SMALL|BIG|HUGE|MEDIUM)INT|U?INT(EGER)?\d*|FLOAT\d*|REAL|DOUBLE( PRECISION)?|DECIMAL|NUMERIC|NUMBER|BIGNUM|VARINT|MONEY|U?LONG|SHORT)\b/
const text = /^(VAR|N|NVAR|BP)?CHAR(ACTER)?\b|^(TINY|MEDIUM|LONG)?TEXT\b|^(CLOB|STRING|UUID|ENUM|INET)\b/
const time = /^(DATE|DATETIME|TIME|TIMESTAMP|TIMESTAMPTZ|TIMETZ|INTERVAL|YEAR)(_|\b)/
const nested = /^(STRUCT|MAP|LIST|ARRAY|JSONB?|UNION|VARIANT|ROW|OBJECT)\b/
const place = /^(GEOMETRY|GEOGRAPHY|POINT(_2D)?|LINESTRING(_2D)?|POLYGON(_2D)?|BOX_2D)\b/

/**
 * The broad kind of a column, from the engine's or the source's name of its type. `null` for a folder, a table and for
 * types of no kind (binary).
 */
export function bucketedDataType(dataType: string | null): Bucket | null {
  if (dataType === null) return null
  const name = dataType.trim().toUpperCase()
  if (/\[\d*\]$/.test(name) || nested.test(name)) return 'SEMI_STRUCTURED'
  if (numeric.test(name)) return 'NUMERIC'
  if (/^BOOL(EAN)?\b|^LOGICAL\b/.test(name)) return 'BOOLEAN'
  if (time.test(name)) return 'DATE'
  if (text.test(name)) return 'TEXT'
  return place.test(name) ? 'GEOSPATIAL' : null
}
