import type { ChildAsset } from '@assay/contracts'
import { isNested, isNumeric, isTemporal, type LogicalType, otherWord, parseType } from '@assay/data-engine'

type Bucket = NonNullable<ChildAsset['bucketedDataType']>

/** Types without a logical type of their own, by the first word of their names. */
const others: Readonly<Record<string, Bucket>> = {
  BIGNUM: 'NUMERIC',
  INET: 'TEXT',
  TIME: 'DATE',
  TIME_NS: 'DATE',
  INTERVAL: 'DATE',
  YEAR: 'DATE',
  GEOMETRY: 'GEOSPATIAL',
  GEOGRAPHY: 'GEOSPATIAL',
  POINT: 'GEOSPATIAL',
  POINT_2D: 'GEOSPATIAL',
  LINESTRING: 'GEOSPATIAL',
  LINESTRING_2D: 'GEOSPATIAL',
  POLYGON: 'GEOSPATIAL',
  POLYGON_2D: 'GEOSPATIAL',
  BOX_2D: 'GEOSPATIAL',
}

function bucketOf(type: LogicalType): Bucket | null {
  if (isNested(type)) return 'SEMI_STRUCTURED'
  if (isNumeric(type)) return 'NUMERIC'
  if (isTemporal(type) || type.kind === 'time') return 'DATE'
  if (type.kind === 'text' || type.kind === 'uuid') return 'TEXT'
  return type.kind === 'boolean' ? 'BOOLEAN' : (others[otherWord(type)] ?? null)
}

/**
 * The broad kind of a column, from the engine's or the source's type name. `null` for a folder, a table and other types
 * (binary).
 */
export function bucketedDataType(dataType: string | null): Bucket | null {
  return dataType === null ? null : bucketOf(parseType(dataType))
}
