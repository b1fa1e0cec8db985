import { changedColumnsColumn, idsColumn, keptName } from '../../kept-rows/format.ts'
import type { ColumnInfo } from '../../port.ts'
import { fromRows, type Measurement, type Rows } from '../../sql/compile.ts'
import { type Fragment, join, raw, sql } from '../../sql/fragment.ts'
import { quoteName, textLiteral } from '../../sql/quote.ts'
import { isNumeric, isTemporal, type LogicalType, otherWord } from '../../types/logical-type.ts'
import { parseType } from '../../types/parse-type.ts'

/** A measurement whose failing rows are stored. `fails` is SQL over one row. */
export interface Keeper {
  id: number
  fails: Fragment
}

const unlikeParquet: ReadonlySet<string> = new Set(['BIGNUM', 'BIT', 'INTERVAL', 'TIME', 'TIME_NS', 'VARIANT', 'UNION'])

/** Whether Parquet would round values of the type or cannot store them. */
function isUnlikeParquet(type: LogicalType): boolean {
  if (type.kind === 'list') return isUnlikeParquet(type.of)
  return (type.kind === 'integer' && type.bits === 128) || unlikeParquet.has(otherWord(type))
}

/** Whether values of a type are stored as text, because Parquet would change them. */
export const keptAsText = (dataType: string) => isUnlikeParquet(parseType(dataType))

/** `as` is the column's name in the stored rows. */
function keptValue({ name, dataType }: ColumnInfo, as: string): string {
  const column = `asset.${quoteName(name)}`
  return `${keptAsText(dataType) ? `CAST(${column} AS VARCHAR)` : column} AS ${quoteName(as)}`
}

/** The SQL condition for rows that match the filter of a measurement and fail its condition. */
export function keeperOf(measurement: Extract<Measurement, { kind: 'condition' }>): Keeper {
  const { id, fails, filter } = measurement
  return { id, fails: filter ? sql`(${filter} AND ${fails})` : sql`(${fails})` }
}

/** The keys of all groups of at least two equal rows, with the size of each group. */
export function repeatedKeys(
  table: string,
  rows: Rows,
  measurement: Extract<Measurement, { kind: 'duplicate' }>,
): Fragment {
  const keys = measurement.columns.map((column, index) => `${column.sql} AS k${index}`).join(', ')
  const names = measurement.columns.map((column) => column.sql).join(', ')
  return sql`CREATE TEMP TABLE ${table} AS SELECT ${keys}, count(*) AS n${fromRows(rows, measurement.filter)} GROUP BY ${names} HAVING count(*) > 1`
}

export function repeatedKeeper(table: string, measurement: Extract<Measurement, { kind: 'duplicate' }>): Keeper {
  const equal = measurement.columns.map(
    (column, index) => `${table}.k${index} IS NOT DISTINCT FROM asset.${column.sql}`,
  )
  const member = raw(`EXISTS (SELECT 1 FROM ${table} WHERE ${equal.join(' AND ')})`)
  return { id: measurement.id, fails: measurement.filter ? sql`(${measurement.filter} AND ${member})` : member }
}

function anyFails(keepers: readonly Keeper[]): Fragment {
  return keepers.length === 0
    ? raw('(false)')
    : sql`(${join(
        keepers.map((keeper) => keeper.fails),
        ' OR ',
      )})`
}

/** Maximum number of keepers that share a bit mask. */
const bitsPerMask = 62

/** Bit masks, one for every 62 keepers. A row's mask has the bits of the keepers that the row fails. */
function masksOf(keepers: readonly Keeper[]): { name: string; bits: { id: number; bit: bigint }[]; sum: Fragment }[] {
  return Array.from({ length: Math.ceil(keepers.length / bitsPerMask) }, (_, number) => {
    const some = keepers.slice(number * bitsPerMask, (number + 1) * bitsPerMask)
    const bits = some.map(({ id }, index) => ({ id, bit: 1n << BigInt(index) }))
    const terms = some.map(({ fails }, index) => sql`CASE WHEN ${fails} THEN ${1n << BigInt(index)} ELSE 0 END`)
    return { name: `m${number}`, bits, sum: sql`CAST(${join([raw('0'), ...terms], ' + ')} AS BIGINT)` }
  })
}

/** The largest possible LIMIT, which excludes no row. The engine does not push conditions below a LIMIT. */
const noLimit = ' LIMIT 9223372036854775807'

/**
 * Rows that fail at least one keeper, with the ids of the failed keepers. An inner query computes the bit masks once
 * per row, and the outer query filters by them. Without the LIMIT in between, the engine would evaluate every keeper
 * again for the filter.
 */
export function badRows(
  rows: Rows,
  columns: readonly ColumnInfo[],
  keepers: readonly Keeper[],
  limit: number | null,
): Fragment {
  const [first, second] = keepers
  if (second === undefined) {
    // If there is only one condition, the file reader can push it down, which skips row groups and columns.
    const own = columns.map((column) => keptValue(column, keptName(column.name)))
    return sql`SELECT ${own.join(', ')}, CAST([${first?.id ?? ''}] AS BIGINT[]) AS ${idsColumn}${fromRows(rows, anyFails(keepers))}${limitClause(limit)}`
  }
  const masks = masksOf(keepers)
  const packed = join(
    masks.map(({ name, sum }) => sql`${name} := ${sum}`),
    ', ',
  )
  const all = columns.map(({ name }) => `asset.${quoteName(name)} AS ${quoteName(keptName(name))}`)
  const withMasks = sql`SELECT ${all.join(', ')}, struct_pack(${packed}) AS ${idsColumn}${fromRows(rows)}${noLimit}`
  const mask = (name: string) => `asset.${idsColumn}.${name}`
  const ids = masks.flatMap(({ name, bits }) =>
    bits.map(({ id, bit }) => `CASE WHEN ${mask(name)} & ${bit} <> 0 THEN ${id} END`),
  )
  const kept = keptColumns(columns, false).map((column) => keptValue(column, column.name))
  const fails = masks.map(({ name }) => `${mask(name)} <> 0`).join(' OR ')
  const list = `list_filter(CAST([${ids.join(', ')}] AS BIGINT[]), lambda id: id IS NOT NULL)`
  return sql`SELECT ${kept.join(', ')}, ${list} AS ${idsColumn} FROM (${withMasks}) AS asset WHERE ${fails}${limitClause(limit)}`
}

/** The rows that fail no keeper; NULL does not fail. */
export function goodRows(
  rows: Rows,
  columns: readonly ColumnInfo[],
  keepers: readonly Keeper[],
  limit: number | null,
): Fragment {
  const kept = columns.map((column) => keptValue(column, keptName(column.name)))
  return sql`SELECT ${kept.join(', ')}${fromRows(rows, sql`${anyFails(keepers)} IS NOT TRUE`)}${limitClause(limit)}`
}

export function countBad(rows: Rows, keepers: readonly Keeper[]): Fragment {
  return sql`SELECT count(*)${fromRows(rows, anyFails(keepers))}`
}

function limitClause(limit: number | null): string {
  return limit === null ? '' : ` LIMIT ${Math.max(0, Math.floor(limit))}`
}

/** A row group is in memory several times while it is written. */
export function copyParquet(query: Fragment, file: string, rowGroup = 61_440): Fragment {
  return sql`COPY (${query}) TO ${textLiteral(file)} (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${raw(String(rowGroup))})`
}

export function readKept(file: string): string {
  return `read_parquet(${textLiteral(file)})`
}

/**
 * The text after FROM that reads stored rows in the order of the file, because runs do not preserve the order. No
 * column may be named `file_row_number`.
 */
export function readSorted(file: string): string {
  return `read_parquet(${textLiteral(file)}, file_row_number = true) ORDER BY file_row_number`
}

const harmlessKinds: ReadonlySet<string> = new Set(['boolean', 'time', 'uuid'])

/**
 * Puts a ' before texts and column names that begin with = + - @ tab or carriage return, because a spreadsheet would
 * run them as formulas (OWASP: CSV injection).
 */
function csvCell(column: ColumnInfo): string {
  const name = quoteName(column.name)
  const header = quoteName(/^[=+\-@\t\r]/.test(column.name) ? `'${column.name}` : column.name)
  if (column.name === changedColumnsColumn) return `CAST(to_json(${name}) AS VARCHAR) AS ${header}`
  const type = parseType(column.dataType)
  if (isNumeric(type) || isTemporal(type) || harmlessKinds.has(type.kind)) return `${name} AS ${header}`
  return `CASE WHEN regexp_matches(CAST(${name} AS VARCHAR), '^[=+\\-@\\t\\r]') THEN '''' || CAST(${name} AS VARCHAR) ELSE CAST(${name} AS VARCHAR) END AS ${header}`
}

/** Converts stored rows to CSV. `from`: the text after FROM that reads them. */
export function copyCsv(from: string, columns: readonly ColumnInfo[], to: string): Fragment {
  const cells = columns.map(csvCell).join(', ')
  return raw(`COPY (SELECT ${cells} FROM ${from}) TO ${textLiteral(to)} (FORMAT csv, HEADER true)`)
}

/** The number of stored rows for each id of a failed item. */
export function countIds(file: string): Fragment {
  return raw(`SELECT id, count(*) FROM (SELECT unnest(${idsColumn}) AS id FROM ${readKept(file)}) GROUP BY id`)
}

/** The columns of stored rows, in order. */
export function keptColumns(columns: readonly ColumnInfo[], withIds: boolean): ColumnInfo[] {
  const own = columns.map((column) => ({ name: keptName(column.name), dataType: column.dataType }))
  return withIds ? [...own, { name: idsColumn, dataType: 'BIGINT[]' }] : own
}
