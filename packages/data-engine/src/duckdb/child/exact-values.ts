import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { raw } from '../../sql/fragment.ts'
import {
  type ExactValues,
  nearestRank,
  type PositionedValue,
  type ProfileValue,
  profiledFractions,
  profiledTop,
} from '../../states/column-state.ts'
import { maxBuckets, positionOf } from '../../states/sketches.ts'
import { isNumeric, isTemporal, type LogicalType } from '../../types/logical-type.ts'
import { jsonValue } from '../values.ts'
import { read, readRow } from './database.ts'
import { groups } from './exact-sums.ts'
import { shapeState } from './shape-state.ts'

/** Longer texts are truncated. */
export const maxCharacters = 256

/** For all other kinds, the value is its text, truncated if it is long. */
export function profileValue(value: DuckDBValue | undefined): ProfileValue {
  const json = jsonValue(value)
  const plain = typeof json === 'object' && json !== null ? JSON.stringify(json) : json
  if (typeof plain !== 'string') return plain
  const characters = plain.length > maxCharacters ? [...plain] : []
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters).join('')}…` : plain
}

export function numberOf(value: DuckDBValue | undefined): number {
  return Number(value ?? 0)
}

export function positioned(value: DuckDBValue | undefined, position: DuckDBValue | undefined): PositionedValue {
  return { value: profileValue(value), position: typeof position === 'number' ? position : null }
}

/** The value as a double, for the spread. -0 becomes 0. */
export function positionSql(type: LogicalType, value = 'v'): string {
  if (isTemporal(type)) return `CASE WHEN isfinite(${value}) THEN CAST(epoch(${value}) AS DOUBLE) + 0 END`
  if (type.kind === 'float') return `CASE WHEN isfinite(${value}) THEN CAST(${value} AS DOUBLE) + 0 END`
  return isNumeric(type) ? `CAST(${value} AS DOUBLE)` : 'CAST(NULL AS DOUBLE)'
}

/** Counts and extremes of the values of a column. The extremes are of the finite values; null if there are none. */
export interface Counted {
  distinct: number
  /** Number of values that occur once. */
  unique: number
  /** Number of rows that are not NULL, and number of these rows that are finite. */
  count: number
  finite: number
  zeros: number
  negatives: number
  extremes: [DuckDBValue, DuckDBValue] | null
  least: PositionedValue | null
  greatest: PositionedValue | null
}

export async function countedOf(connection: DuckDBConnection, type: LogicalType): Promise<Counted> {
  const isFloat = type.kind === 'float'
  const finite = isFloat || isTemporal(type) ? ' FILTER (WHERE isfinite(v))' : ''
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
  const hasExtremes = lo !== null && lo !== undefined && hi !== undefined
  return {
    ...{ distinct: numberOf(distinct), unique: numberOf(once), count, finite: count - numberOf(wild) },
    ...{ zeros: numberOf(zeros), negatives: numberOf(below) },
    ...(hasExtremes
      ? { extremes: [lo, hi], least: positioned(lo, loPosition), greatest: positioned(hi, hiPosition) }
      : { extremes: null, least: null, greatest: null }),
  }
}

/** Row counts by key; null if the values have no position on a number line. */
export async function keysOf(connection: DuckDBConnection, type: LogicalType): Promise<Keys | null> {
  return isNumeric(type) || isTemporal(type) ? countKeys(connection, type) : null
}

/** The exact results of a column with more than `maxValues` different values. */
export async function exactValues(
  connection: DuckDBConnection,
  type: LogicalType,
  { distinct, unique, finite, least, greatest }: Counted,
  keys: Keys | null,
): Promise<ExactValues> {
  const top = await read(connection, raw(`SELECT v, n FROM ${groups} ORDER BY n DESC, v LIMIT ${profiledTop}`))
  const [low, high] = [least?.position ?? null, greatest?.position ?? null]
  return {
    ...{ distinct, unique },
    quantiles: keys !== null && isNumeric(type) && finite > 0 ? await quantilesOf(connection, type, keys, finite) : [],
    mostFrequent: top.getRows().map(([value, n]) => ({ value: profileValue(value), count: numberOf(n) })),
    shape:
      isNumeric(type) && low !== null && high !== null
        ? await shapeState(connection, positionSql(type), { least: low, greatest: high })
        : null,
  }
}

/** Row counts by key, without the lowest `shift` bits of the keys. */
export interface Keys {
  shift: number
  counts: (readonly [bigint, number])[]
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
