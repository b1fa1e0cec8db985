import {
  type DuckDBConnection,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
} from '@duckdb/node-api'
import { quoteName, textLiteral } from '../../../sql/quote.ts'
import { formatType } from '../../../types/format-type.ts'
import { type LogicalType, withLeaves } from '../../../types/logical-type.ts'
import { typesOfText } from '../types.ts'

/**
 * A number within a nested value. `path`: a JSON path, with `[*]` for the elements of a list; `isMany`: whether it
 * contains `[*]`.
 */
interface Leaf {
  path: string
  isMany: boolean
}

const field = (path: string, name: string) => `${path}."${name.replaceAll('"', '\\"')}"`

/** Paths of the numbers to which the reader gives the type double. */
function doublesIn(type: DuckDBType, path: string, isMany: boolean): Leaf[] {
  if (type instanceof DuckDBStructType) {
    return type.entryNames.flatMap((name, index) => {
      const entry = type.entryTypes[index]
      // In the engine's paths, `*` matches all fields, even if it is quoted. So a field named `*` stays a double.
      return entry === undefined || name === '*' ? [] : doublesIn(entry, field(path, name), isMany)
    })
  }
  if (type instanceof DuckDBListType) return doublesIn(type.valueType, `${path}[*]`, true)
  if (type instanceof DuckDBMapType) return doublesIn(type.valueType, `${path}.*`, true)
  return type.typeId === DuckDBTypeId.DOUBLE ? [{ path, isMany }] : []
}

/** The type's name with other types at some paths. */
function typeWith(type: DuckDBType, path: string, exact: ReadonlyMap<string, string>): string {
  if (type instanceof DuckDBStructType) {
    const entries = type.entryNames.flatMap((name, index) => {
      const entry = type.entryTypes[index]
      return entry === undefined ? [] : [`${quoteName(name)} ${typeWith(entry, field(path, name), exact)}`]
    })
    return `STRUCT(${entries.join(', ')})`
  }
  if (type instanceof DuckDBListType) return `${typeWith(type.valueType, `${path}[*]`, exact)}[]`
  if (type instanceof DuckDBMapType) return `MAP(${type.keyType}, ${typeWith(type.valueType, `${path}.*`, exact)})`
  return exact.get(path) ?? type.alias ?? String(type)
}

/** Stored rows are Parquet, which cannot store HUGEINT inside a nested value. */
function storable(dataType: string): string {
  return dataType === 'HUGEINT' ? 'VARCHAR' : dataType
}

/**
 * The types of nested columns in which whole numbers keep all their digits. If a double would round a number, the
 * number becomes a decimal, or text if it is too long for a decimal. (The engine's own JSON type keeps numbers with a
 * fraction as doubles.) `relation` has the columns as JSON. Columns without such numbers are left out.
 */
export async function exactNested(
  connection: DuckDBConnection,
  relation: string,
  columns: ReadonlyMap<string, DuckDBType>,
): Promise<Map<string, string>> {
  const leaves = [...columns].flatMap(([column, type]) =>
    doublesIn(type, '$', false).map((leaf) => ({ column, ...leaf })),
  )
  if (leaves.length === 0) return new Map()
  const lists = leaves.map(({ column, path, isMany }, index) => {
    const values = `json_extract_string(${quoteName(column)}, ${textLiteral(path)})`
    return `unnest(${isMany ? values : `[${values}]`}) AS v${index}`
  })
  const { types } = await typesOfText(
    connection,
    `(SELECT ${lists.join(', ')} FROM ${relation})`,
    new Map(leaves.map((_, index) => [`v${index}`, 'numeric'])),
  )
  const exact = new Map<string, Map<string, string>>()
  leaves.forEach(({ column, path }, index) => {
    const found = types.get(`v${index}`) ?? 'DOUBLE'
    if (found === 'DOUBLE' || found === 'BIGINT') return
    exact.set(column, (exact.get(column) ?? new Map<string, string>()).set(path, storable(found)))
  })
  return new Map(
    [...exact].flatMap(([column, paths]) => {
      const type = columns.get(column)
      return type === undefined ? [] : [[column, typeWith(type, '$', paths)]]
    }),
  )
}

/**
 * The result type of `exactNested`, with text for numbers that the reader would round. Decimals are then cast from this
 * text.
 */
export function nestedAsText(dataType: string, type: LogicalType): string {
  const read = withLeaves(type, (leaf) => (leaf.kind === 'decimal' ? { kind: 'text' } : leaf))
  return read === type ? dataType : formatType(read)
}
