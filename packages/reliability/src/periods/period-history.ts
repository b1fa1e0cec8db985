import type { History } from '../series/look-back.ts'
import { dayOf, daysOf, type SeriesPoint } from '../series/series-day.ts'

/** The measured value of a period. */
export interface MeasuredValue extends SeriesPoint {
  /** Whether it differs from the recorded value. */
  isChanged: boolean
  /** Whether an earlier run recorded the period. */
  isRecorded: boolean
}

/**
 * The history before each period of a series: the recorded points, and the measured values that are new or changed. The
 * days are summarised once; for each period, only the day in which it ends is summarised again. Pure.
 */
export function historiesBefore(
  past: History | undefined,
  measured: readonly MeasuredValue[],
  timeZone: string,
): (end: number) => History {
  const counted = new Map(pointsOf(past).map((point) => [point.at, point]))
  const changed = new Set(measured.flatMap(({ at, isChanged }) => (isChanged ? [at] : [])))
  // Feedback refers to the value that was measured then.
  const confirmed = new Set(
    [...counted.values()].flatMap(({ at, isConfirmed }) => (isConfirmed && !changed.has(at) ? [at] : [])),
  )
  const isNew = counted.size === 0 && past?.startsAtBaseline !== true
  for (const { at, value, isChanged, isRecorded } of measured) {
    // Retention or feedback has removed the recorded point.
    if (!isChanged || (isRecorded && !isNew && !counted.has(at))) continue
    counted.set(at, { ...counted.get(at), at, value })
  }
  const days = daysOf([...counted.values()])
  return (end) => {
    const today = dayOf(end)
    const before = days.flatMap((one) => {
      if (one.day < today) return [one]
      return one.day === today ? daysOf((one.points ?? []).filter(({ at }) => at < end)) : []
    })
    return { now: end, days: before, timeZone, ...(confirmed.has(end) ? { isNowConfirmed: true } : {}) }
  }
}

function pointsOf(history: History | undefined): SeriesPoint[] {
  return (history?.days ?? []).flatMap(({ points = [] }) => [...points])
}
