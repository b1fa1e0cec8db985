import { rm } from 'node:fs/promises'
import path from 'node:path'
import { AssayError } from '@assay/service-kit/errors'
import type { DuckDBConnection } from '@duckdb/node-api'
import { idsColumn, unquoted } from '../../kept-rows/format.ts'
import type { RowFormat } from '../../plan.ts'
import type { ColumnInfo, PageOfItem, RewriteRequest, RowOrder } from '../../port.ts'
import { raw } from '../../sql/fragment.ts'
import { quoteName, textLiteral } from '../../sql/quote.ts'
import { formatType } from '../../types/format-type.ts'
import { isNested, isTemporal, type LogicalType, otherWord, withLeaves } from '../../types/logical-type.ts'
import { parseType } from '../../types/parse-type.ts'
import { connect, lockDown, readRow } from '../child/database.ts'
import type { RunContext } from '../child/session.ts'
import { describe } from '../sources/sql.ts'
import { writeJsonLines } from './json-lines.ts'
import { copyCsv, copyParquet, readKept } from './sql.ts'

const text: LogicalType = { kind: 'text' }
const bigint: LogicalType = { kind: 'integer', bits: 64, signed: true }
const double: LogicalType = { kind: 'float', bits: 64 }

/** Types that the reader infers from the form of a text. */
const isGuessed = (type: LogicalType) =>
  isTemporal(type) || ['time', 'uuid'].includes(type.kind) || otherWord(type) === 'TIME'

/** The type that the reader infers for wide integers; Parquet would store it as DOUBLE. */
const isWide = (type: LogicalType) => type.kind === 'integer' && type.bits === 128

/** The reader's type for columns with numbers and other values. */
const isAnything = (type: LogicalType) => type.kind === 'json'

/** Replaces types within a type, at any depth. */
function replaced(dataType: string, is: (type: LogicalType) => boolean, by: LogicalType): string {
  const type = parseType(dataType)
  const other = withLeaves(type, (leaf) => (is(leaf) ? by : leaf))
  return other === type ? dataType : formatType(other)
}

/**
 * The type for a column of wide integers. Integers beyond 2^53 were written as text. So a number beyond 64 bits must be
 * a floating-point one that happens to be whole, such as `1e19`.
 */
async function narrowed(connection: DuckDBConnection, read: string, columns: readonly ColumnInfo[]) {
  const found = columns.flatMap(({ name, dataType }) => {
    const type = replaced(dataType, isWide, bigint)
    return type === dataType ? [] : [{ name, dataType, type }]
  })
  if (found.length === 0) return new Map<string, string>()
  const beyond = found.map(({ name, type }) => {
    const value = quoteName(name)
    return `count(*) FILTER (CAST(TRY_CAST(${value} AS ${type}) AS VARCHAR) IS DISTINCT FROM CAST(${value} AS VARCHAR))`
  })
  const types = found.map(({ name, dataType }) => `${textLiteral(name)}: ${textLiteral(dataType)}`)
  const from = `${read}, columns = {${types.join(', ')}})`
  const counts = await readRow(connection, raw(`SELECT ${beyond.join(', ')} FROM ${from}`))
  return new Map(
    found.map(({ name, dataType, type }, index) => [
      name,
      Number(counts[index]) === 0 ? type : replaced(dataType, isWide, double),
    ]),
  )
}

/**
 * Types for columns that contain both numbers and texts, such as `9007199254740993` and `NaN`. None for nested or
 * missing values.
 */
async function mixedTypes(connection: DuckDBConnection, read: string, names: readonly string[]) {
  if (names.length === 0) return new Map<string, string>()
  const columns = `columns = {${names.map((name) => `${textLiteral(name)}: 'JSON'`).join(', ')}}`
  const expressions = names.flatMap((name) => {
    const type = `json_type(${quoteName(name)})`
    const text = `(${quoteName(name)}->>'$')`
    const isNumber = `${type} NOT IN ('VARCHAR', 'BOOLEAN')`
    return [
      `count(*) FILTER (${type} IN ('OBJECT', 'ARRAY'))`,
      `count(${text})`,
      `count(*) FILTER (${type} = 'BOOLEAN' OR NOT regexp_full_match(${text}, '-?(0|[1-9][0-9]{0,36})'))`,
      `count(*) FILTER (NOT (${isNumber} OR ${text} IN ('NaN', 'Infinity', '-Infinity')))`,
    ]
  })
  const counts = await readRow(connection, raw(`SELECT ${expressions.join(', ')} FROM ${read}, ${columns})`))
  return new Map(
    names.flatMap((name, index): [string, string][] => {
      const [nestedOnes, values, noIntegers, noNumbers] = counts.slice(4 * index, 4 * index + 4).map(Number)
      if (nestedOnes !== 0 || values === 0) return []
      return [[name, noIntegers === 0 ? 'DECIMAL(38,0)' : noNumbers === 0 ? 'DOUBLE' : 'VARCHAR']]
    }),
  )
}

/**
 * Reads JSON lines without inferring types of texts, because the reader would turn `12:30` into `12:30:00`. A column of
 * numbers and texts, or of lists of them, stays JSON.
 */
async function jsonLines(connection: DuckDBConnection, files: string, to: RowFormat): Promise<string> {
  const read = `read_json(${files}, format = 'newline_delimited', records = true`
  const columns = await describe(connection, `${read}, sample_size = -1)`)
  const mixed = to === 'JSON' ? [] : columns.filter(({ dataType }) => dataType === 'JSON').map(({ name }) => name)
  const flat = await mixedTypes(connection, read, mixed)
  const narrow = await narrowed(connection, read, columns)
  const types = columns.map(({ name, dataType }) => {
    const isMixed = to === 'JSON' && replaced(dataType, isAnything, text) !== dataType
    const type = isMixed ? 'JSON' : (flat.get(name) ?? narrow.get(name) ?? dataType)
    return `${textLiteral(name)}: ${textLiteral(replaced(type, isGuessed, text))}`
  })
  return `${read}, columns = {${types.join(', ')}})`
}

async function relationOf(connection: DuckDBConnection, request: RewriteRequest): Promise<string> {
  const { file, more = [], from, to } = request
  const files = `[${[file, ...more].map(textLiteral).join(', ')}]`
  switch (from) {
    case 'PARQUET':
      return `read_parquet(${files})`
    case 'CSV':
      return `read_csv(${files}, header = true, all_varchar = true, allow_quoted_nulls = false, delim = ',', quote = '"', escape = '"')`
    case 'JSON':
      return jsonLines(connection, files, to)
    default:
      return from satisfies never
  }
}

function isHidden({ name, dataType }: ColumnInfo, mask: RewriteRequest['mask']): boolean {
  if (name === idsColumn || mask === null) return false
  const isOneOf = (names: readonly string[]) => names.includes(name) || names.includes(unquoted(name))
  if (mask.columns === null || isOneOf(mask.columns) || (mask.nested && isNested(parseType(dataType)))) return true
  return mask.known !== undefined && !isOneOf(mask.known)
}

const typeOf = { integer: 'HUGEINT', number: 'DOUBLE', text: 'VARCHAR' } as const

/** Sorts the stored rows. Spills to the temporary folder. */
function inOrder(
  { query, from, columns }: { query: string; from: RowFormat; columns: readonly ColumnInfo[] },
  { column, kind, direction }: RowOrder,
): string {
  const sorted = columns.find(({ name }) => name === column || unquoted(name) === column)
  if (sorted === undefined) throw new AssayError('invalid', `The kept rows have no column ${column}.`)
  const names = columns.map(({ name }) => quoteName(name))
  // DuckDB ignores the case of names.
  let position = 'position'
  while (columns.some(({ name }) => name.toLowerCase() === position)) position = `${position}_`
  const name = quoteName(sorted.name)
  // Texts of CSV that look like formulas begin with a quote.
  const value = from === 'CSV' ? `regexp_replace(${name}, ${textLiteral("^'([-=+@\\t\\r])")}, '\\1')` : name
  const key = `TRY_CAST(${value} AS ${typeOf[kind]})`
  const by =
    direction === 'asc' ? `${key} ASC NULLS LAST, ${position} ASC` : `${key} DESC NULLS FIRST, ${position} DESC`
  return `SELECT ${names.join(', ')} FROM (SELECT *, row_number() OVER () AS ${position} FROM (${query})) ORDER BY ${by}`
}

const idList = (ids: readonly number[]) => `[${ids.map(Math.floor).join(', ')}]::BIGINT[]`
const failedIds = `TRY_CAST(${idsColumn} AS BIGINT[])`

/** The condition for rows that failed an item. Good rows lack the column with the ids of items. */
function failedItem(columns: readonly ColumnInfo[], { only, shownItems }: RewriteRequest): string {
  const wanted = [only?.itemId == null ? [] : [[only.itemId]], shownItems === undefined ? [] : [shownItems]].flat()
  if (wanted.length === 0) return 'true'
  if (!columns.some(({ name }) => name === idsColumn)) return 'false'
  return wanted.map((ids) => `list_has_any(${failedIds}, ${idList(ids)})`).join(' AND ')
}

/** The ids of failed items that may be shown, in the form in which they are stored. */
function shownIds({ dataType }: ColumnInfo, shownItems: readonly number[]): string {
  const ids = `list_filter(${failedIds}, lambda id: list_contains(${idList(shownItems)}, id))`
  return `CAST(${ids} AS ${dataType}) AS ${idsColumn}`
}

/** LIMIT and OFFSET of a page. `count`: the number of all rows. */
function pageLimits(count: number, { page, size, fromEnd }: PageOfItem): string {
  const until = fromEnd ? Math.max(0, count - page * size) : Math.min((page + 1) * size, Number.MAX_SAFE_INTEGER)
  const first = Math.max(0, until - size)
  return ` LIMIT ${until - first} OFFSET ${first}`
}

/** Writes stored rows in another format, with masked columns. Has access only to the two folders. */
export async function rewrite(
  context: RunContext,
  request: RewriteRequest,
  outputFile: string,
): Promise<number | null> {
  const { file, from, to, mask, order, only, shownItems } = request
  const connection = await connect(context.instance, context.limits, context.tempFolder)
  context.onConnection(connection)
  await lockDown(connection, [path.dirname(file), path.dirname(outputFile), context.tempFolder], [])
  const relation = await relationOf(connection, request)
  const columns = await describe(connection, relation)
  const selected = columns.map((column) => {
    const name = quoteName(column.name)
    if (column.name === idsColumn && shownItems !== undefined) return shownIds(column, shownItems)
    return isHidden(column, mask) ? `${textLiteral(request.maskText)} AS ${name}` : name
  })
  const source = `${relation} WHERE ${failedItem(columns, request)}`
  const counted = only && (await readRow(connection, raw(`SELECT count(*) FROM ${source}`)))
  const count = counted === undefined ? null : Number(counted[0])
  const rows = `SELECT ${selected.join(', ')} FROM ${source}`
  const ordered = order === undefined ? rows : inOrder({ query: rows, from, columns }, order)
  const query = raw(only === undefined ? ordered : `${ordered}${pageLimits(count ?? 0, only)}`)
  if (to === 'PARQUET') {
    await readRow(connection, copyParquet(query, outputFile))
  } else if (to === 'JSON') {
    const mixed = columns.filter((column) => column.dataType === 'JSON' && from === 'JSON' && !isHidden(column, mask))
    const written = mixed.map(({ name }) => name)
    await writeJsonLines(connection, query.text, outputFile, new Set(written))
  } else if (from === 'CSV') {
    // Formulas were quoted when the rows were first written.
    await readRow(connection, raw(`COPY (${query.text}) TO ${textLiteral(outputFile)} (FORMAT csv, HEADER true)`))
  } else {
    const staged = path.join(context.tempFolder, 'rewritten.parquet')
    await readRow(connection, copyParquet(query, staged))
    const rewritten = readKept(staged)
    await readRow(connection, copyCsv(rewritten, await describe(connection, rewritten), outputFile))
    await rm(staged)
  }
  return count
}
