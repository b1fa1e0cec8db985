import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { raw } from '../../sql/fragment.ts'
import { histogramBins, roundedShape, type ShapeState } from '../../states/column-state.ts'
import { read, readRow } from './database.ts'
import { groups } from './exact-sums.ts'

const literal = (value: number) => `CAST('${value}' AS DOUBLE)`

/**
 * The shape of finite numbers, from their distinct values. `position`: SQL of the value as a double, NULL if it is not
 * finite. `least`, `greatest`: the extremes of these values.
 */
export async function shapeState(
  connection: DuckDBConnection,
  position: string,
  { least, greatest }: { least: number; greatest: number },
): Promise<ShapeState> {
  const [low, high] = [literal(least), literal(greatest)]
  const share = `(p / 2 - ${low} / 2) / (${high} / 2 - ${low} / 2)`
  const bin = least === greatest ? '0' : `least(${histogramBins - 1}, floor(${share} * ${histogramBins}))`
  const points = `(SELECT p, n FROM (SELECT ${position} AS p, n FROM ${groups}) WHERE p IS NOT NULL)`
  const found = await read(connection, raw(`SELECT CAST(${bin} AS INTEGER) AS b, sum(n) FROM ${points} GROUP BY b`))
  const bins = Array.from({ length: histogramBins }, () => 0)
  for (const [index, count] of found.getRows()) bins[Number(index)] = Number(count)
  // Halved distances from the middle, in units of half the width, so that their powers stay finite.
  const half = greatest / 4 - least / 4
  const distance = half > 0 ? `((p / 2 - (${low} / 4 + ${high} / 4)) / ${literal(half)})` : '0.0'
  const [count, linear] = await readRow(connection, raw(`SELECT sum(n), ${sumOf(distance)} FROM ${points}`))
  const mean = literal(Number(linear) / unit / Number(count))
  const powers = [2, 3, 4].map((power) => sumOf(Array.from({ length: power }, () => 'd').join(' * ')))
  const moments = await readRow(
    connection,
    raw(`SELECT ${powers.join(', ')} FROM (SELECT n, ${distance} - ${mean} AS d FROM ${points})`),
  )
  return { bins, ...shapeOf(Number(count), moments) }
}

/**
 * Sums of doubles depend on the order of the rows, so the terms become integers. They are at most 2^4: 128 bits hold
 * the sum of 2^42 rows.
 */
const unit = 2 ** 80
const sumOf = (term: string) => `sum(n * CAST(${term} * ${literal(unit)} AS HUGEINT))`

function shapeOf(count: number, moments: readonly (DuckDBValue | undefined)[]) {
  const [second = 0, third = 0, fourth = 0] = moments.map((moment) => Number(moment) / unit / count)
  if (!(second > 0)) return { skewness: null, kurtosis: null }
  return { skewness: roundedShape(third / second ** 1.5), kurtosis: roundedShape(fourth / second ** 2 - 3) }
}
