import type { Found } from '../kinds/judging.ts'
import { isByPeriod, maxMetrics, type WatchedPeriods } from './periods.ts'
import type { Watched } from './series.ts'

/** The figures that were measured in the newest period. */
export interface NewestPeriod {
  rows: number
  /** Why the first of the given figures that failed could not be measured; `undefined` if none failed. */
  problemOf(watched: readonly Watched[]): string | undefined
}

/** The newest period of a run; `undefined` if none was measured. Pure. */
export function newestPeriod({ figures }: WatchedPeriods, found: readonly Found[]): NewestPeriod | undefined {
  const newest = found.flatMap((one) => (one.kind === 'PERIODS' ? [one.periods] : []))[0]?.at(-1)
  if (newest === undefined) return undefined
  const messages = new Map(newest.metrics.flatMap((one) => (one.kind === 'error' ? [[one.id, one.message]] : [])))
  const messageOf = ({ metric, columnName }: Watched) => {
    const figure = figures.find(({ watched }) => watched.metric === metric && watched.columnName === columnName)
    return figure?.metric && messages.get(figure.metric.id)
  }
  return {
    rows: newest.rows,
    problemOf: (watched) => (messages.size === 0 ? undefined : watched.flatMap((one) => messageOf(one) ?? [])[0]),
  }
}

const tooMany = `A run measures at most ${maxMetrics} figures by period; name fewer columns or metrics.`

/** Tells why a figure that has periods was not measured in them; `undefined` if it was. Pure. */
export function leftOutOf(
  watching: WatchedPeriods | undefined,
  found: readonly Found[],
): (watched: Watched) => string | undefined {
  if (watching === undefined) return () => undefined
  const { problem, leftOut } = found.find((one) => one.kind === 'PERIODS') ?? {}
  const metrics = new Map(leftOut && watching.figures.map(({ key, metric }) => [key, metric]))
  return (watched) => {
    const key = watching.keyOf(watched)
    if (key === undefined) return isByPeriod(watched) ? tooMany : undefined
    const metric = metrics.get(key)
    return problem ?? (metric && leftOut?.get(metric.id))
  }
}
