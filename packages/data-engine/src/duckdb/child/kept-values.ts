import { constants, copyFile, mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { messageOf } from '@assay/service-kit/errors'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type KeepValues, valuesPart } from '../../profile.ts'
import { raw } from '../../sql/fragment.ts'
import { textLiteral } from '../../sql/quote.ts'
import { type ColumnState, maxValues, type WholeColumn } from '../../states/column-state.ts'
import { isNested, isNumeric, type LogicalType } from '../../types/logical-type.ts'
import { keptFolder } from '../protocol.ts'
import { isFatal } from './column-state.ts'
import { read, readRow } from './database.ts'
import { groups } from './exact-sums.ts'
import { countedOf, exactValues, keysOf, numberOf } from './exact-values.ts'

const kept = 'assay_kept_values'

/** Nobody reads a file that was cut off, so it needs no log. */
const logless = "RECOVERY_MODE 'no_wal_writes'"
/** Most columns have few values, and each column takes at least two blocks. */
const blockSize = 16_384

/** The size of a number and of a count. */
const fixedBytes = 16

export interface KeptValues {
  /** Keeps the values of the column whose values have just been grouped, together with the earlier ones. */
  add(index: number, state: ColumnState, type: LogicalType): Promise<void>
  /** Writes the file. Returns what the profile says of it. */
  close(): Promise<{ keptValues: string; whole?: (WholeColumn | null)[] }>
}

/**
 * Opens a file for the values of the columns, with one table for each column. It begins as a copy of the earlier file:
 * adding few values to many takes a fraction of the time of writing all of them.
 */
export async function openKeptValues(
  connection: DuckDBConnection,
  tempFolder: string,
  { earlier, limits }: KeepValues,
): Promise<KeptValues> {
  const known = await attach(connection, path.join(keptFolder(tempFolder), valuesPart), earlier)
  const whole: (WholeColumn | null)[] = []
  let leftBytes = limits.bytesOfTable
  let isDamaged = false

  /** Whether the grouped values fit. Then they count. */
  async function fits(type: LogicalType, distinct: number): Promise<boolean> {
    if (distinct > limits.valuesOfColumn) return false
    const [size] = hasFixedSize(type)
      ? [0]
      : await readRow(connection, raw(`SELECT sum(${sizeSql(type)}) FROM ${groups}`))
    const bytes = numberOf(size) + distinct * fixedBytes
    if (bytes > limits.bytesOfColumn || bytes > leftBytes) return false
    leftBytes -= bytes
    return true
  }

  /** The whole column, and whether its values stay in the file. */
  async function added(table: string, type: LogicalType): Promise<{ column: WholeColumn | null; isKept: boolean }> {
    if (known === undefined) {
      const { distinct } = await countedOf(connection, type)
      const isKept = await fits(type, distinct)
      if (isKept) await connection.run(`CREATE TABLE ${table} AS SELECT v, n FROM ${groups}`)
      return { column: null, isKept }
    }
    await connection.run(addValues(table))
    await connection.run(`DROP TABLE ${groups}; CREATE TEMP VIEW ${groups} AS SELECT v, n FROM ${table}`)
    try {
      const counted = await countedOf(connection, type)
      const { distinct, least, greatest } = counted
      const keys = distinct > maxValues && isNumeric(type) ? await keysOf(connection, type) : null
      const exact = distinct > maxValues ? await exactValues(connection, type, counted, keys) : null
      return { column: { least, greatest, exact }, isKept: await fits(type, distinct) }
    } finally {
      await connection.run(`DROP VIEW ${groups}`)
    }
  }

  /** Without the values of a column there are estimates, which is better than no profile. */
  function withoutValues(error: unknown): { column: null; isKept: false } {
    if (isFatal(error)) throw error
    isDamaged ||= known !== undefined && /^(IO|Serialization) Error/.test(messageOf(error))
    return { column: null, isKept: false }
  }

  return {
    async add(index, { known: state }, type) {
      const table = `c${index}`
      const canAdd = state !== null && (known === undefined || known.get(table) === (await typeOfGroups(connection)))
      const none = { column: null, isKept: false }
      const { column, isKept } = canAdd ? await added(`${kept}.${table}`, type).catch(withoutValues) : none
      if (!isKept) await connection.run(`DROP TABLE IF EXISTS ${kept}.${table}`)
      whole[index] = column
    },
    async close() {
      await connection.run(`DETACH ${kept}`)
      return { keptValues: valuesPart, ...(known === undefined || isDamaged ? {} : { whole }) }
    },
  }
}

/** Adds the grouped values to those of a table. */
const addValues = (table: string) =>
  `UPDATE ${table} SET n = ${table}.n + g.n FROM ${groups} AS g WHERE ${table}.v IS NOT DISTINCT FROM g.v;
   INSERT INTO ${table} SELECT v, n FROM ${groups} AS g WHERE NOT EXISTS (SELECT 1 FROM ${table} AS o WHERE o.v IS NOT DISTINCT FROM g.v)`

const hasFixedSize = (type: LogicalType) => !isNested(type) && !['text', 'binary', 'other'].includes(type.kind)
const sizeSql = ({ kind }: LogicalType) => (kind === 'binary' ? 'octet_length(v)' : 'strlen(CAST(v AS VARCHAR))')

/** The types of the values in a database, by table. */
async function typesIn(connection: DuckDBConnection, database: string): Promise<ReadonlyMap<string, string>> {
  const found = await read(
    connection,
    raw(`SELECT table_name, data_type FROM duckdb_columns() WHERE database_name = '${database}' AND column_name = 'v'`),
  )
  return new Map(found.getRows().map(([table, type]) => [String(table), String(type)]))
}

const typeOfGroups = async (connection: DuckDBConnection) => (await typesIn(connection, 'temp')).get(groups)

/**
 * Attaches the file. Returns the types of the earlier values by table; `undefined` if there is no earlier file, or if it
 * cannot be read.
 */
async function attach(
  connection: DuckDBConnection,
  file: string,
  earlier: string | undefined,
): Promise<ReadonlyMap<string, string> | undefined> {
  await mkdir(path.dirname(file), { recursive: true })
  const attachAs = (options: string) => connection.run(`ATTACH ${textLiteral(file)} AS ${kept} (${options})`)
  const isCopy = async () => {
    if (earlier === undefined) return false
    try {
      await copyFile(earlier, file, constants.COPYFILE_FICLONE)
      await attachAs(logless)
      return true
    } catch (error) {
      if (isFatal(error)) throw error
      await rm(file, { force: true })
      return false
    }
  }
  if (await isCopy()) return typesIn(connection, kept)
  await attachAs(`${logless}, BLOCK_SIZE ${blockSize}`)
  return undefined
}
