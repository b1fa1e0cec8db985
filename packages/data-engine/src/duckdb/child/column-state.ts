import { isAssayError, messageOf } from '@assay/service-kit/errors'
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { raw } from '../../sql/fragment.ts'
import type { Column } from '../../sql/predicate/column.ts'
import { type ColumnState, type KnownColumn, maxValues, type ValuesState } from '../../states/column-state.ts'
import { rankOf, registerBits, registerOf, spreadOf } from '../../states/sketches.ts'
import { isNumeric, type LogicalType } from '../../types/logical-type.ts'
import { hashable } from '../sql/hashable.ts'
import { read, readRow } from './database.ts'
import { groups, readSums } from './exact-sums.ts'
import {
  type Counted,
  countedOf,
  exactValues,
  keysOf,
  maxCharacters,
  numberOf,
  positioned,
  positionSql,
} from './exact-values.ts'
import { engineFailure, engineMessage } from './failure.ts'
import { textState } from './text-state.ts'

/** The rows to read. `source`: SQL for FROM, with columns of these names. */
export interface ProfiledRows {
  connection: DuckDBConnection
  source: string
  count: number
  hashedBy: string
  hidden: readonly string[]
}

/** Whether an error ends the whole run instead of only the profile of one column. */
export function isFatal(error: unknown): boolean {
  const isStopped = /^INTERRUPT|no space left on device/i.test(messageOf(error))
  return isStopped || isAssayError(error) || engineFailure(error).code === 'too-large'
}

/**
 * The state of one column. Reads the source once and derives everything else from the distinct values and their counts.
 */
export async function columnState(rows: ProfiledRows, column: Column): Promise<ColumnState> {
  const { connection, source } = rows
  return stateOf(rows, column, {
    group: async () =>
      void (await connection.run(
        `CREATE OR REPLACE TEMP TABLE ${groups} AS SELECT ${valueSql(column)} AS v, count(*) AS n FROM ${source} WHERE ${column.sql} IS NOT NULL GROUP BY ALL`,
      )),
    count: () => readRow(connection, raw(`SELECT count(${column.sql}) FROM ${source}`)),
  })
}

/**
 * The state of one column. `group` creates the table of its different values and their counts. If that fails, `count`
 * counts the column's values.
 */
export async function stateOf(
  rows: Omit<ProfiledRows, 'source'>,
  { name, dataType, type }: Pick<Column, 'name' | 'dataType' | 'type'>,
  { group, count }: { group: () => Promise<void>; count: () => Promise<DuckDBValue[]> },
): Promise<ColumnState> {
  try {
    await group()
    const known = await knownOf(rows.connection, type)
    return { name, dataType, hashedBy: rows.hashedBy, nulls: rows.count - known.count, known, error: null }
  } catch (error) {
    if (isFatal(error)) throw error
    return unreadState(rows, { name, dataType }, await count(), engineMessage(error, rows.hidden))
  }
}

/** The state of a column that cannot be read. `counted`: the number of its values. */
export function unreadState(
  rows: Pick<ProfiledRows, 'count' | 'hashedBy'>,
  { name, dataType }: Pick<Column, 'name' | 'dataType'>,
  [values]: readonly DuckDBValue[],
  error: string,
): ColumnState {
  return { name, dataType, hashedBy: rows.hashedBy, nulls: rows.count - numberOf(values), known: null, error }
}

/** Values of an enumeration are compared and sorted as text. */
const valueSql = ({ type, sql, text }: Column) => (type.kind === 'text' && type.values !== undefined ? text : sql)

async function knownOf(connection: DuckDBConnection, type: LogicalType): Promise<KnownColumn> {
  const counted = await countedOf(connection, type)
  const { distinct, count, finite, zeros, negatives, extremes, least, greatest } = counted
  return {
    count,
    notFinite: type.kind === 'float' ? count - finite : null,
    least,
    greatest,
    text: type.kind === 'text' && count > 0 ? await textState(connection, distinct) : null,
    number: isNumeric(type)
      ? { zeros, negatives, sums: await readSums(connection, type, counted, extremes ?? []) }
      : null,
    values: distinct > maxValues ? await sketches(connection, type, counted) : await eachValue(connection, type),
  }
}

async function eachValue(connection: DuckDBConnection, type: LogicalType): Promise<ValuesState> {
  // Long text is truncated before it leaves the engine. One more character than the limit shows that it was truncated.
  const value = type.kind === 'text' || type.kind === 'json' ? `left(v, ${maxCharacters + 1})` : 'v'
  const found = await read(
    connection,
    raw(`SELECT ${value}, ${positionSql(type)}, hash(${hashable(type, 'v')}) AS h, n FROM ${groups} ORDER BY h, v`),
  )
  const values = found
    .getRows()
    .map(([v, position, hash, n]) => ({ ...positioned(v, position), hash: String(hash), count: numberOf(n) }))
  return { kind: 'each', values }
}

async function sketches(connection: DuckDBConnection, type: LogicalType, counted: Counted): Promise<ValuesState> {
  const keys = await keysOf(connection, type)
  return {
    kind: 'many',
    ...(await hashesOf(connection, type)),
    spread: keys === null ? null : spreadOf(keys.shift, keys.counts),
    exact: await exactValues(connection, type, counted, keys),
  }
}

/**
 * The registers, with the rank of each, and the row counts by the first byte of the hash. The least hash of a register
 * has its highest rank.
 */
async function hashesOf(
  connection: DuckDBConnection,
  type: LogicalType,
): Promise<{ registers: string; shares: number[] }> {
  const found = await read(
    connection,
    raw(
      `SELECT min(h), sum(n) FROM (SELECT hash(${hashable(type, 'v')}) AS h, n FROM ${groups}) GROUP BY h >> ${64 - registerBits}`,
    ),
  )
  const registers = Buffer.alloc(2 ** registerBits)
  const shares = Array.from({ length: 256 }, () => 0)
  for (const [least, n] of found.getRows()) {
    const hash = BigInt(String(least))
    registers[registerOf(hash)] = rankOf(hash)
    const first = Number(hash >> 56n)
    shares[first] = (shares[first] ?? 0) + numberOf(n)
  }
  return { registers: registers.toString('base64'), shares }
}
