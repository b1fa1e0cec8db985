import { keptSeriesDays } from '../series/look-back.ts'
import { dayOf, mergedSummary, type SeriesDay, type SeriesPoint, type Summary } from '../series/series-day.ts'

interface Day {
  day: number
  summary: Summary
  points: SeriesPoint[]
}

/** The history of a series that grows point by point, ascending by time. */
export interface GrowingHistory {
  /**
   * The points before `now`, newest first, as far back as look-backs reach. `now` must not be less than in the call
   * before.
   */
  before(now: number): { days: SeriesDay[]; startsAtBaseline: boolean }
  add(point: SeriesPoint): void
  /** From now on, earlier points do not count. */
  restart(): void
}

export function growingHistory(): GrowingHistory {
  /** Newest first. */
  let days: Day[] = []
  let startsAtBaseline = false
  return {
    before(now) {
      const oldest = dayOf(now) - keptSeriesDays
      while ((days.at(-1)?.day ?? oldest) < oldest) days.pop()
      return { days: [...days], startsAtBaseline }
    },
    add(point) {
      const { at, value } = point
      const one = { count: 1, sum: value, least: value, most: value, firstAt: at, lastAt: at }
      const [newest] = days
      if (newest?.day !== dayOf(at)) {
        days.unshift({ day: dayOf(at), summary: one, points: [point] })
        return
      }
      newest.summary = mergedSummary([newest.summary, one]) ?? one
      newest.points.push(point)
    },
    restart() {
      days = []
      startsAtBaseline = true
    },
  }
}
