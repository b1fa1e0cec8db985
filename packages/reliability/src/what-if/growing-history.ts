import type { History } from '../series/look-back.ts'
import { keptSeriesDays } from '../series/look-back.ts'
import { dayOf, mergedSummary, type SeriesPoint, type Summary } from '../series/series-day.ts'

interface Day {
  day: number
  summary: Summary
  points: SeriesPoint[]
}

/** The history of a series that grows point by point, ascending by time. */
export interface GrowingHistory {
  before(now: number): History
  add(point: SeriesPoint): void
  /** Earlier points no longer count. */
  restart(): void
}

export function growingHistory(): GrowingHistory {
  let days: Day[] = []
  let startsAtBaseline = false
  return {
    before: (now) => ({ now, days: days.slice(-keptSeriesDays).reverse(), startsAtBaseline }),
    add(point) {
      const { at, value } = point
      const one = { count: 1, sum: value, least: value, most: value, firstAt: at, lastAt: at }
      const last = days.at(-1)
      if (last?.day !== dayOf(at)) {
        days.push({ day: dayOf(at), summary: one, points: [point] })
        return
      }
      last.summary = mergedSummary([last.summary, one]) ?? one
      last.points.push(point)
    },
    restart() {
      days = []
      startsAtBaseline = true
    },
  }
}
