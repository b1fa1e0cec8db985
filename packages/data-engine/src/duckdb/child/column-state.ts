import { isAssayError, messageOf } from '@assay/service-kit/errors'
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { raw } from '../../sql/fragment.ts'
import type { Column } from '../../sql/predicate/column.ts'
import {
  type ColumnState,
  type KnownColumn,
  maxValues,
  nearestRank,
  type PositionedValue,
  type ProfileValue,
  profiledFractions,
  profiledTop,
  type ValuesState,
} from '../../states/column-state.ts'
import { maxBuckets, positionOf, rankOf, registerBits, registerOf, spreadOf } from '../../states/sketches.ts'
import { isNumeric, isTemporal, type LogicalType } from '../../types/logical-type.ts'
import { hashable } from '../sql/hashable.ts'
import { jsonValue } from '../values.ts'
import { read, readRow } from './database.ts'
import { groups, readSums } from './exact-sums.ts'
import { engineFailure, engineMessage } from './failure.ts'
import { shapeState } from './shape-state.ts'
import { textState } from './text-state.ts'

const maxCharacters = 256

/** For all other kinds, the value is its text, truncated if it is long. */
function profileValue(value: DuckDBValue | undefined): ProfileValue {
  const json = jsonValue(value)
  const plain = typeof json === 'object' && json !== null ? JSON.stringify(json) : json
  if (typeof plain !== 'string') return plain
  const characters = plain.length > maxCharacters ? [...plain] : []
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters).join('')}…` : plain
}

function numberOf(value: DuckDBValue | undefined): number {
  return Number(value ?? 0)
}

function positioned(value: DuckDBValue | undefined, position: DuckDBValue | undefined): PositionedValue {
  return { value: profileValue(value), position: typeof position === 'number' ? position : null }
}

/** The rows to read. `source`: SQL for FROM, with columns of these names. */
export interface ProfiledRows {
  connection: DuckDBConnection
  source: string
  count: number
  hashedBy: string
  hidden: readonly string[]
}

/** The value as a double, for the spread. -0 becomes 0. */
function positionSql(type: LogicalType, value = 'v'): string {
  if (isTemporal(type)) return `CASE WHEN isfinite(${value}) THEN CAST(epoch(${value}) AS DOUBLE) + 0 END`
  if (type.kind === 'float') return `CASE WHEN isfinite(${value}) THEN CAST(${value} AS DOUBLE) + 0 END`
  return isNumeric(type) ? `CAST(${value} AS DOUBLE)` : 'CAST(NULL AS DOUBLE)'
}

/** Whether an error ends the whole run instead of only the profile of one column. */
export function isFatal(error: unknown): boolean {
  return isAssayError(error) || engineFailure(error).code === 'too-large' || messageOf(error).startsWith('INTERRUPT')
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
  const state: ColumnState = { name, dataType, hashedBy: rows.hashedBy, nulls: 0, known: null, error: null }
  try {
    await group()
    const known = await knownOf(rows.connection, type)
    return { ...state, nulls: rows.count - known.count, known }
  } catch (error) {
    if (isFatal(error)) throw error
    const [values] = await count()
    return { ...state, nulls: rows.count - numberOf(values), error: engineMessage(error, rows.hidden) }
  }
}

/** Values of an enumeration are compared and sorted as text. */
const valueSql = ({ type, sql, text }: Column) => (type.kind === 'text' && type.values !== undefined ? text : sql)

async function knownOf(connection: DuckDBConnection, type: LogicalType): Promise<KnownColumn> {
  const isFloat = type.kind === 'float'
  const finite = isFloat ? ' FILTER (WHERE isfinite(v))' : ''
  const counts = [
    ...[
      'count(*) AS d',
      'count(*) FILTER (WHERE n = 1) AS once',
      'coalesce(sum(n), 0) AS c',
      `min(v)${finite} AS lo`,
      `max(v)${finite} AS hi`,
    ],
    `${isFloat ? 'sum(n) FILTER (WHERE NOT isfinite(v))' : 'NULL'} AS wild`,
    ...(isNumeric(type)
      ? [
          'sum(n) FILTER (WHERE v = 0) AS zeros',
          `sum(n) FILTER (WHERE v < 0${isFloat ? ' AND isfinite(v)' : ''}) AS below`,
        ]
      : ['NULL AS zeros', 'NULL AS below']),
  ]
  const [distinct, once, counted, lo, hi, loPosition, hiPosition, wild, zeros, below] = await readRow(
    connection,
    raw(
      `SELECT d, once, c, lo, hi, ${positionSql(type, 'lo')}, ${positionSql(type, 'hi')}, wild, zeros, below FROM (SELECT ${counts.join(', ')} FROM ${groups})`,
    ),
  )
  const count = numberOf(counted)
  const known = { distinct: numberOf(distinct), unique: numberOf(once), count, finite: count - numberOf(wild) }
  const hasExtremes = lo !== null && lo !== undefined
  const [least, greatest] = hasExtremes ? [positioned(lo, loPosition), positioned(hi, hiPosition)] : [null, null]
  const between = { least: least?.position ?? null, greatest: greatest?.position ?? null }
  return {
    count,
    notFinite: isFloat ? numberOf(wild) : null,
    least,
    greatest,
    text: type.kind === 'text' && count > 0 ? await textState(connection, known.distinct) : null,
    number: isNumeric(type)
      ? { zeros: numberOf(zeros), negatives: numberOf(below), sums: await readSums(connection, type, known, [lo, hi]) }
      : null,
    values:
      known.distinct > maxValues ? await sketches(connection, type, known, between) : await eachValue(connection, type),
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

interface Counted {
  distinct: number
  /** Number of values that occur once. */
  unique: number
  /** Number of rows that are not NULL, and number of these rows that are finite. */
  count: number
  finite: number
}

async function sketches(
  connection: DuckDBConnection,
  type: LogicalType,
  { distinct, unique, finite }: Counted,
  { least, greatest }: { least: number | null; greatest: number | null },
): Promise<ValuesState> {
  const top = await read(connection, raw(`SELECT v, n FROM ${groups} ORDER BY n DESC, v LIMIT ${profiledTop}`))
  const mostFrequent = top.getRows().map(([value, n]) => ({ value: profileValue(value), count: numberOf(n) }))
  const keys = isNumeric(type) || isTemporal(type) ? await countKeys(connection, type) : null
  const quantiles =
    keys !== null && isNumeric(type) && finite > 0 ? await quantilesOf(connection, type, keys, finite) : []
  return {
    kind: 'many',
    ...(await hashesOf(connection, type)),
    spread: keys === null ? null : spreadOf(keys.shift, keys.counts),
    exact: {
      ...{ distinct, unique, quantiles, mostFrequent },
      shape:
        isNumeric(type) && least !== null && greatest !== null
          ? await shapeState(connection, positionSql(type), { least, greatest })
          : null,
    },
  }
}

/** Row counts by key, without the lowest `shift` bits of the keys. */
interface Keys {
  shift: number
  counts: (readonly [bigint, number])[]
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

/**
 * The number of low bits that the first pass over a spread drops; each further pass drops fewer. Times are closer
 * together than numbers, so they start finer.
 */
const firstShift = (type: LogicalType) => (isTemporal(type) ? 38 : 44)
const finerBy = 6

/** Row counts by key, ascending, in more than `maxBuckets` buckets if there are enough different values. */
async function countKeys(connection: DuckDBConnection, type: LogicalType): Promise<Keys> {
  const bits = `CAST(CAST(${positionSql(type)} AS BIT) AS BIGINT)`
  const key = '(CASE WHEN b < 0 THEN -(b & 9223372036854775807) ELSE b END)'
  for (let shift = firstShift(type); ; shift = Math.max(0, shift - finerBy)) {
    const found = await read(
      connection,
      raw(
        `SELECT ${key} >> ${shift} AS k, sum(n) FROM (SELECT ${bits} AS b, n FROM ${groups}) WHERE b IS NOT NULL GROUP BY k ORDER BY k`,
      ),
    )
    const counts = found.getRows().map(([k, n]) => [BigInt(String(k)), numberOf(n)] as const)
    if (counts.length > maxBuckets || shift === 0) return { shift, counts }
  }
}

/** Exact quantiles of the finite values. Sorts only the values of the buckets that contain them. */
async function quantilesOf(connection: DuckDBConnection, type: LogicalType, keys: Keys, values: number) {
  const ranks = profiledFractions.map((fraction) => nearestRank(fraction, values))
  const buckets = new Map<bigint, string>()
  const picked: string[] = []
  let before = 0
  for (const [key, count] of keys.counts) {
    for (const rank of ranks.filter((one) => one > before && one <= before + count)) {
      const [from, to] = [key, key + 1n].map((edge) => `CAST('${positionOf(edge << BigInt(keys.shift))}' AS DOUBLE)`)
      buckets.set(key, `WHEN p >= ${from} AND p < ${to} THEN '${key}'`)
      picked.push(`min(v) FILTER (WHERE b = '${key}' AND reached >= ${rank - before})`)
    }
    before += count
  }
  const inBucket = `SELECT v, n, CASE ${[...buckets.values()].join(' ')} END AS b FROM (SELECT v, n, ${positionSql(type)} AS p FROM ${groups})`
  const running = `SELECT v, b, sum(n) OVER (PARTITION BY b ORDER BY v) AS reached FROM (${inBucket}) WHERE b IS NOT NULL`
  const found = await readRow(connection, raw(`SELECT ${picked.join(', ')} FROM (${running})`))
  return profiledFractions.map((fraction, index) => ({ fraction, value: profileValue(found[index]) }))
}
