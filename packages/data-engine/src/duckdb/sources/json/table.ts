import { isAssayError, messageOf } from '@assay/service-kit/errors'
import { quoteName, textLiteral } from '../../../sql/quote.ts'
import { isTemporal, type LogicalType } from '../../../types/logical-type.ts'
import { parseType } from '../../../types/parse-type.ts'
import type { MountContext } from '../../mount.ts'
import { refused, unreadable } from '../failures.ts'
import {
  columnsOf,
  type FileReading,
  type FileSet,
  type Known,
  maxColumns,
  partitionColumns,
  tooManyColumns,
} from '../files/reading.ts'
import { quoteColumns, rowsOf } from '../sql.ts'
import { type TextKinds, typesOfText } from '../types.ts'
import { noWarnings } from '../warnings.ts'
import { inferredColumns } from './inferred.ts'
import { exactNested, nestedAsText } from './nested.ts'
import { type Column, filesOf, type JsonSet, mostOf, objects, readerOptions, usualLargest } from './reader.ts'
import { trailingCommas } from './trailing-commas.ts'
import { withoutBom } from './without-bom.ts'

type Mode = 'records' | 'keys' | 'values'

const isNested = ({ kind }: LogicalType) => kind === 'list' || kind === 'struct' || kind === 'map'

/** Types that the reader reads without loss. Other types are read as text and cast. */
function readAs(dataType: string): string {
  const type = parseType(dataType)
  if (isNested(type)) return nestedAsText(dataType, type)
  const isLost = isTemporal(type) || type.kind === 'time' || type.kind === 'decimal' || dataType === 'HUGEINT'
  return isLost ? 'VARCHAR' : dataType
}

/** A relation of records with the given types. */
function recordsRelation(set: JsonSet, columns: readonly Column[]): string {
  const { partitions } = set
  const keys = new Set(partitions.map(({ name }) => name))
  const own = columns.filter(({ name }) => !keys.has(name))
  const read = quoteColumns(own.map(({ name, dataType }) => ({ name, dataType: readAs(dataType) })))
  // Without `records`, the reader would infer from all values of a single column whether they are records.
  const source = `read_json(${filesOf(set)}, records = true, columns = ${read}, ${readerOptions(set)})`
  if (own.every(({ dataType }) => readAs(dataType) === dataType)) return source
  const selected = [...own, ...partitions].map(({ name, dataType }) =>
    keys.has(name) || readAs(dataType) === dataType
      ? quoteName(name)
      : `CAST(${quoteName(name)} AS ${dataType}) AS ${quoteName(name)}`,
  )
  return `(SELECT ${selected.join(', ')} FROM ${source})`
}

/**
 * A relation of the keys of objects that the engine cannot read as records: each value as text, nested ones as JSON.
 */
function keysRelation(set: JsonSet, columns: readonly Column[]): string {
  const { partitions } = set
  const keys = new Set(partitions.map(({ name }) => name))
  const own = columns.filter(({ name }) => !keys.has(name))
  const selected = own.map(({ name, dataType }) => {
    const value = `json ->> ${textLiteral(`$."${name.replaceAll('"', '\\"')}"`)}`
    return `CAST(${value} AS ${dataType}) AS ${quoteName(name)}`
  })
  return `(SELECT ${[...selected, ...partitions.map(({ name }) => quoteName(name))].join(', ')} FROM ${objects(set)})`
}

function relationOf(mode: Mode, set: JsonSet, columns: readonly Column[]): string {
  switch (mode) {
    case 'records':
      return recordsRelation(set, columns)
    case 'keys':
      return keysRelation(set, columns)
    case 'values':
      return objects(set)
  }
}

/** Refines the types of numbers that a double would round, and of text columns that contain only dates or times. */
async function refined(context: MountContext, set: JsonSet, guessed: readonly Column[]): Promise<Column[]> {
  const { connection } = context
  const mixed = guessed.filter(({ dataType }) => dataType === 'JSON')
  const scalars = new Set<string>()
  if (mixed.length > 0) {
    const relation = recordsRelation(set, mixed)
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
      : await typesOfText(connection, recordsRelation(set, asText), kinds)
  const nested = await nestedTypes(context, set, guessed)
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
  set: JsonSet,
  guessed: readonly Column[],
): Promise<Map<string, string>> {
  const columns = guessed.filter(({ dataType }) => isNested(parseType(dataType)) && dataType.includes('DOUBLE'))
  if (columns.length === 0) return new Map()
  const { connection } = context
  const relation = recordsRelation(set, columns)
  const names = columns.map(({ name }) => quoteName(name)).join(', ')
  const types = (await connection.runAndReadAll(`SELECT ${names} FROM ${relation} LIMIT 0`)).columnTypes()
  const typed = new Map(
    columns.flatMap(({ name }, index) => {
      const type = types[index]
      return type === undefined ? [] : [[name, type] as const]
    }),
  )
  const asJson = columns.map(({ name }) => ({ name, dataType: 'JSON' }))
  return exactNested(connection, recordsRelation(set, asJson), typed)
}

async function hasEmptyKey(context: MountContext, set: JsonSet): Promise<boolean> {
  const source = objects(set)
  const [row] = await rowsOf(
    context.connection,
    `SELECT bool_or(list_contains(json_keys(json), '')) AS found FROM ${source}`,
  )
  return row?.found === true
}

async function asRecords(context: MountContext, set: JsonSet): Promise<{ mode: Mode; columns: Column[] } | null> {
  const own = await inferredColumns(context, set)
  if (own.length > maxColumns) throw refused(set.name, tooManyColumns)
  if (own.length === 1 && own[0]?.name === 'json') return { mode: 'values', columns: [] }
  // The reader renames keys that differ only in case, so they would not be found later.
  const lower = new Set(own.map(({ name }) => name.toLowerCase()))
  if (own.some(({ name }) => /_\d+$/.test(name) && lower.has(name.toLowerCase().replace(/_\d+$/, '')))) return null
  // It also renames an empty key, to C0, C1 ...
  if (own.some(({ name }) => /^C\d+$/.test(name)) && (await hasEmptyKey(context, set))) return null
  return { mode: 'records', columns: await refined(context, set, own) }
}

async function asKeys(context: MountContext, set: JsonSet): Promise<{ mode: Mode; columns: Column[] }> {
  const { connection } = context
  const source = objects(set)
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
    keysRelation(set, texts),
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

async function detected(context: MountContext, set: JsonSet): Promise<Detected> {
  const finish = async (found: { mode: Mode; columns: Column[] }) => {
    const relation = relationOf(found.mode, set, found.columns)
    return { ...found, relation, rows: await readThrough(context, relation) }
  }
  try {
    const records = await asRecords(context, set)
    if (records !== null) return await finish(records)
  } catch (error) {
    if (!(error instanceof Error) || !/duplicate/i.test(error.message)) throw error
  }
  return finish(await asKeys(context, set))
}

/**
 * Begins with the smallest buffers and enlarges them only if a value does not fit, because buffers for the largest
 * value that a file could contain would need a multiple of its size.
 */
async function detectedWithin(
  context: MountContext,
  files: Omit<JsonSet, 'largest'>,
): Promise<Detected & { largest: number }> {
  const most = mostOf(files)
  for (let largest = usualLargest; ; largest = Math.min(4 * largest, most)) {
    try {
      return { ...(await detected(context, { ...files, largest })), largest }
    } catch (error) {
      if (largest >= most || !messageOf(error).includes('maximum_object_size')) throw error
    }
  }
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
  const learnt = known?.learnt.json
  try {
    if (known !== null && learnt !== undefined) {
      const own = known.columns.filter(({ name }) => !keys.has(name))
      const relation = relationOf(learnt.mode, { ...set, partitions, largest: learnt.largest }, own)
      const columns = await columnsOf(connection, relation)
      return { relation, columns, rowCount: null, warnings: noWarnings, paths, learnt: { json: learnt } }
    }
    const { relation, rows, mode, largest } = await detectedWithin(context, { ...set, partitions })
    const columns = await columnsOf(connection, relation)
    const warnings = set.format === 'NDJSON' ? await trailingCommas(context, set) : noWarnings
    return { relation, columns, rowCount: rows, warnings, paths, learnt: { json: { mode, largest } } }
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
