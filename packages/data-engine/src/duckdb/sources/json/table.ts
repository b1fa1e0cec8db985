import { isAssayError } from '@assay/service-kit/errors'
import { quoteName, textLiteral } from '../../../sql/quote.ts'
import { isTemporal, type LogicalType } from '../../../types/logical-type.ts'
import { parseType } from '../../../types/parse-type.ts'
import type { MountContext } from '../../mount.ts'
import { refused, unreadable } from '../failures.ts'
import { literalPath } from '../files/glob.ts'
import {
  columnsOf,
  type FileReading,
  type FileSet,
  type Known,
  maxColumns,
  partitionColumns,
  tooManyColumns,
} from '../files/reading.ts'
import { describe, quoteColumns, quoteList, rowsOf } from '../sql.ts'
import { type TextKinds, typesOfText } from '../types.ts'
import { noWarnings } from '../warnings.ts'
import { exactNested, nestedAsText } from './nested.ts'
import { trailingCommas } from './trailing-commas.ts'
import { withoutBom } from './without-bom.ts'

type Mode = 'records' | 'keys' | 'values'
interface Column {
  name: string
  dataType: string
}

/** The size of the largest JSON value that is read in one piece. A file that is one object is one value. */
const LARGEST_VALUE = 512 << 20

function readerOptions(set: FileSet, partitions: readonly Column[]): string {
  const largest = Math.min(LARGEST_VALUE, Math.max(16 << 20, ...set.files.map((file) => file.size * packed(file.path))))
  const hive = partitions.map(({ name, dataType }) => `${quoteName(name)}: ${dataType}`).join(', ')
  return [
    `maximum_object_size = ${largest}`,
    // Only ISO 8601 is a date: 12-13-2020 stays text.
    "dateformat = '%Y-%m-%d'",
    "timestampformat = '%Y-%m-%dT%H:%M:%SZ'",
    hive === '' ? 'hive_partitioning = false' : `hive_partitioning = true, hive_types = {${hive}}`,
  ].join(', ')
}

function packed(path: string): number {
  return /\.(gz|zst)$/i.test(path) ? 20 : 1
}

function filesOf(set: FileSet): string {
  return quoteList(set.files.filter((file) => file.size > 0).map((file) => literalPath(file.path)))
}

const isNested = ({ kind }: LogicalType) => kind === 'list' || kind === 'struct' || kind === 'map'

/** Types that the reader reads without loss. Other types are read as text and cast. */
function readAs(dataType: string): string {
  const type = parseType(dataType)
  if (isNested(type)) return nestedAsText(dataType, type)
  const isLost = isTemporal(type) || type.kind === 'time' || type.kind === 'decimal' || dataType === 'HUGEINT'
  return isLost ? 'VARCHAR' : dataType
}

/** A relation of records with the given types. */
function recordsRelation(set: FileSet, partitions: readonly Column[], columns: readonly Column[]): string {
  const keys = new Set(partitions.map(({ name }) => name))
  const own = columns.filter(({ name }) => !keys.has(name))
  const read = quoteColumns(own.map(({ name, dataType }) => ({ name, dataType: readAs(dataType) })))
  const source = `read_json(${filesOf(set)}, columns = ${read}, ${readerOptions(set, partitions)})`
  if (own.every(({ dataType }) => readAs(dataType) === dataType)) return source
  const selected = [...own, ...partitions].map(({ name, dataType }) =>
    keys.has(name) || readAs(dataType) === dataType
      ? quoteName(name)
      : `CAST(${quoteName(name)} AS ${dataType}) AS ${quoteName(name)}`,
  )
  return `(SELECT ${selected.join(', ')} FROM ${source})`
}

function objects(set: FileSet, partitions: readonly Column[]): string {
  return `read_json(${filesOf(set)}, records = false, columns = {'json': 'JSON'}, ${readerOptions(set, partitions)})`
}

/**
 * A relation of the keys of objects that the engine cannot read as records: each value as text, nested ones as JSON.
 */
function keysRelation(set: FileSet, partitions: readonly Column[], columns: readonly Column[]): string {
  const keys = new Set(partitions.map(({ name }) => name))
  const own = columns.filter(({ name }) => !keys.has(name))
  const selected = own.map(({ name, dataType }) => {
    const value = `json ->> ${textLiteral(`$."${name.replaceAll('"', '\\"')}"`)}`
    return `CAST(${value} AS ${dataType}) AS ${quoteName(name)}`
  })
  return `(SELECT ${[...selected, ...partitions.map(({ name }) => quoteName(name))].join(', ')} FROM ${objects(set, partitions)})`
}

function relationOf(mode: Mode, set: FileSet, partitions: readonly Column[], columns: readonly Column[]): string {
  switch (mode) {
    case 'records':
      return recordsRelation(set, partitions, columns)
    case 'keys':
      return keysRelation(set, partitions, columns)
    case 'values':
      return objects(set, partitions)
  }
}

/** Refines the types of numbers that a double would round, and of text columns that contain only dates or times. */
async function refined(
  context: MountContext,
  set: FileSet,
  partitions: readonly Column[],
  guessed: readonly Column[],
): Promise<Column[]> {
  const { connection } = context
  const mixed = guessed.filter(({ dataType }) => dataType === 'JSON')
  const scalars = new Set<string>()
  if (mixed.length > 0) {
    const relation = recordsRelation(set, partitions, mixed)
    const counts = mixed.map(({ name }, i) => `count_if(json_type(${quoteName(name)}) IN ('OBJECT', 'ARRAY')) AS c${i}`)
    const [row] = await rowsOf(connection, `SELECT ${counts.join(', ')} FROM ${relation}`)
    mixed.forEach(({ name }, i) => {
      if (Number(row?.[`c${i}`] ?? 0) === 0) scalars.add(name)
    })
  }
  const kinds = new Map<string, TextKinds>()
  for (const { name, dataType } of guessed) {
    const type = parseType(dataType)
    if (['DOUBLE', 'UBIGINT', 'HUGEINT'].includes(dataType)) kinds.set(name, 'numeric')
    else if (isTemporal(type) || ['text', 'time', 'uuid'].includes(type.kind)) kinds.set(name, 'temporal')
  }
  const asText = [...kinds.keys()].map((name) => ({ name, dataType: 'VARCHAR' }))
  const { types } =
    kinds.size === 0
      ? { types: new Map<string, string>() }
      : await typesOfText(connection, recordsRelation(set, partitions, asText), kinds)
  const nested = await nestedTypes(context, set, partitions, guessed)
  return guessed.map(({ name, dataType }) => {
    const within = nested.get(name)
    if (within !== undefined) return { name, dataType: within }
    if (scalars.has(name)) return { name, dataType: 'VARCHAR' }
    const exact = types.get(name)
    // The reader gives small whole numbers among doubles the type integer; they stay doubles.
    if (dataType === 'DOUBLE' && exact === 'BIGINT') return { name, dataType }
    return { name, dataType: exact ?? dataType }
  })
}

/** Nested columns in which the reader would round a number, with types that keep all its digits. */
async function nestedTypes(
  context: MountContext,
  set: FileSet,
  partitions: readonly Column[],
  guessed: readonly Column[],
): Promise<Map<string, string>> {
  const columns = guessed.filter(({ dataType }) => isNested(parseType(dataType)) && dataType.includes('DOUBLE'))
  if (columns.length === 0) return new Map()
  const { connection } = context
  const relation = recordsRelation(set, partitions, columns)
  const names = columns.map(({ name }) => quoteName(name)).join(', ')
  const types = (await connection.runAndReadAll(`SELECT ${names} FROM ${relation} LIMIT 0`)).columnTypes()
  const typed = new Map(
    columns.flatMap(({ name }, index) => {
      const type = types[index]
      return type === undefined ? [] : [[name, type] as const]
    }),
  )
  const asJson = columns.map(({ name }) => ({ name, dataType: 'JSON' }))
  return exactNested(connection, recordsRelation(set, partitions, asJson), typed)
}

async function hasEmptyKey(context: MountContext, set: FileSet, partitions: readonly Column[]): Promise<boolean> {
  const source = objects(set, partitions)
  const [row] = await rowsOf(
    context.connection,
    `SELECT bool_or(list_contains(json_keys(json), '')) AS found FROM ${source}`,
  )
  return row?.found === true
}

async function asRecords(
  context: MountContext,
  set: FileSet,
  partitions: readonly Column[],
): Promise<{ mode: Mode; columns: Column[] } | null> {
  const source = `read_json(${filesOf(set)}, sample_size = -1, maximum_sample_files = ${set.files.length},
    union_by_name = true, ${readerOptions(set, partitions)})`
  const described = await describe(context.connection, source)
  const keys = new Set(partitions.map(({ name }) => name))
  const own = described.filter(({ name }) => !keys.has(name))
  if (own.length > maxColumns) throw refused(set.name, tooManyColumns)
  if (own.length === 1 && own[0]?.name === 'json') return { mode: 'values', columns: [] }
  // The reader renames keys that differ only in case, so they would not be found later.
  const lower = new Set(own.map(({ name }) => name.toLowerCase()))
  if (own.some(({ name }) => /_\d+$/.test(name) && lower.has(name.toLowerCase().replace(/_\d+$/, '')))) return null
  // It also renames an empty key, to C0, C1 ...
  if (own.some(({ name }) => /^C\d+$/.test(name)) && (await hasEmptyKey(context, set, partitions))) return null
  return { mode: 'records', columns: await refined(context, set, partitions, own) }
}

async function asKeys(
  context: MountContext,
  set: FileSet,
  partitions: readonly Column[],
): Promise<{ mode: Mode; columns: Column[] }> {
  const { connection } = context
  const source = objects(set, partitions)
  const rows = await rowsOf(
    connection,
    `SELECT key, min(position) AS position FROM (SELECT unnest(json_keys(json)) AS key, generate_subscripts(json_keys(json), 1) AS position
     FROM ${source} WHERE json_type(json) = 'OBJECT') GROUP BY key ORDER BY position, key LIMIT 2000`,
  )
  const names = rows.map((row) => String(row.key))
  const lower = new Set(names.map((name) => name.toLowerCase()))
  if (names.length === 0 || names.includes('') || lower.size !== names.length) return { mode: 'values', columns: [] }
  const texts = names.map((name) => ({ name, dataType: 'VARCHAR' }))
  const { types } = await typesOfText(
    connection,
    keysRelation(set, partitions, texts),
    new Map(names.map((name) => [name, 'temporal'])),
  )
  return { mode: 'keys', columns: names.map((name) => ({ name, dataType: types.get(name) ?? 'VARCHAR' })) }
}

/** Reads every value of a relation, so that values that the reader cannot convert cause the error now. */
async function readThrough(context: MountContext, relation: string): Promise<number> {
  const [row] = await rowsOf(context.connection, `SELECT count(*) AS n, count(COLUMNS(*)) FROM ${relation}`)
  return Number(row?.n ?? 0)
}

interface Detected {
  mode: Mode
  columns: Column[]
  relation: string
  rows: number
}

async function detected(context: MountContext, set: FileSet, partitions: readonly Column[]): Promise<Detected> {
  const finish = async (found: { mode: Mode; columns: Column[] }) => {
    const relation = relationOf(found.mode, set, partitions, found.columns)
    return { ...found, relation, rows: await readThrough(context, relation) }
  }
  try {
    const records = await asRecords(context, set, partitions)
    if (records !== null) return await finish(records)
  } catch (error) {
    if (!(error instanceof Error) || !/duplicate/i.test(error.message)) throw error
  }
  return finish(await asKeys(context, set, partitions))
}

/**
 * Reads JSON and NDJSON files as one table; types are inferred from all values. A column with values of different kinds
 * is text, or JSON if some are objects. Objects with a repeated key are read key by key as text. Files that are not
 * lists of objects become one column `json`. Throws `unprocessable` with the position if a file is not JSON.
 */
export async function readJson(context: MountContext, found: FileSet, known: Known | null): Promise<FileReading> {
  const { connection } = context
  const set = await withoutBom(context, found)
  const paths = set.files.filter((file) => file.size > 0).map((file) => file.path)
  if (paths.length === 0) throw refused(set.name, 'is empty: it has no JSON value')
  const partitions = await partitionColumns(connection, set, known)
  const keys = new Set(partitions.map(({ name }) => name))
  const mode = known?.learnt.json
  try {
    if (known !== null && mode !== undefined) {
      const own = known.columns.filter(({ name }) => !keys.has(name))
      const relation = relationOf(mode, set, partitions, own)
      const columns = await columnsOf(connection, relation)
      return { relation, columns, rowCount: null, warnings: noWarnings, paths, learnt: { json: mode } }
    }
    const { relation, rows, mode: json } = await detected(context, set, partitions)
    const columns = await columnsOf(connection, relation)
    const warnings = set.format === 'NDJSON' ? await trailingCommas(context, set) : noWarnings
    return { relation, columns, rowCount: rows, warnings, paths, learnt: { json } }
  } catch (error) {
    context.signal.throwIfAborted()
    throw unreadable(withNames(error, set), set.name)
  }
}

/** Messages name the originals instead of the copies. */
function withNames(error: unknown, set: FileSet): unknown {
  if (!(error instanceof Error) || isAssayError(error)) return error
  const text = set.files.reduce((message, { path, relative }) => message.replaceAll(path, relative), error.message)
  return text === error.message ? error : new Error(text, { cause: error })
}
