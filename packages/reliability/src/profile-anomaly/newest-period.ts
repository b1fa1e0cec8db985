import type { Found } from '../kinds/judging.ts'
import type { WatchedPeriods } from './periods.ts'
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

/** Tells why a figure that has periods was not measured in them; `undefined` if it was. Pure. */
export function leftOutOf(
  watching: WatchedPeriods | undefined,
  found: readonly Found[],
): (watched: Watched) => string | undefined {
  const { problem, leftOut } = found.find((one) => one.kind === 'PERIODS') ?? {}
  if (problem === undefined && leftOut === undefined) return () => undefined
  return (watched) => {
    const key = watching?.keyOf(watched)
    const figure = watching?.figures.find((one) => one.key === key)
    return figure && (problem ?? (figure.metric && leftOut?.get(figure.metric.id)))
  }
}
