import type { Comparing } from '../threshold.ts'
import { dayMs, dayOf, mergedSummary, type SeriesDay, type SeriesPoint, type Summary, summaryOf } from './series-day.ts'

/**
 * The part of a series before `now` (the start of the judged run, epoch milliseconds). Days are ordered newest first.
 */
export interface History {
  now: number
  days: readonly SeriesDay[]
  /** The zone whose days and hours are the seasons of the series. Absent: UTC. */
  timeZone?: string
  /** Whether earlier days, before `days`, do not count. */
  startsAtBaseline?: boolean
  /** Feedback said that the judged value is normal. Used only if a period is judged again. */
  isNowConfirmed?: boolean
}

export type LookBackType = 'RUNS' | 'DAYS' | 'HOURS' | 'MINUTES'
export interface Window {
  window: number
  type: LookBackType
}
const unitMs = { DAYS: dayMs, HOURS: 3_600_000, MINUTES: 60_000 } as const

/** Maximum number of days that a look-back reaches back. */
export const longestLookBackDays = 400
/** Maximum number of runs of a TIME_BASED look-back: one per hour of the longest look-back. */
export const longestLookBackRuns = longestLookBackDays * 24
/**
 * Retention of days. It exceeds any look-back, because some look-backs need to know whether a run preceded their
 * window.
 */
export const keptSeriesDays = longestLookBackDays + 31

/**
 * ANOMALY uses the runs of this many weeks. It uses at least the last hundred runs, and at most as many as hourly runs
 * make in four weeks.
 */
const usualWeeks = 14
const usualRuns = { min: 100, max: 700 }
/**
 * If runs are so frequent that their maximum number reaches back less than three weeks, only runs on the same weekday
 * count.
 */
const minWeeks = 3

/** Part of a history: summaries of whole days, and single points of days that count only in part. */
interface Portion {
  whole: readonly SeriesDay[]
  cut: readonly { day: SeriesDay; keep(points: readonly SeriesPoint[]): readonly SeriesPoint[] }[]
}

/** The length of a window in milliseconds; `undefined` for a number of runs. */
export function windowMs({ window, type }: Window): number | undefined {
  return type === 'RUNS' ? undefined : window * unitMs[type]
}

function portionOf(history: History, window: Window): Portion {
  const ms = windowMs(window)
  return ms === undefined ? lastRuns(history, window.window) : since(history, history.now - ms)
}

function since({ days }: History, from: number): Portion {
  const within = days.filter(({ summary }) => summary.lastAt >= from)
  const isWhole = ({ summary }: SeriesDay) => summary.firstAt >= from
  const keep = (points: readonly SeriesPoint[]) => points.filter(({ at }) => at >= from)
  return { whole: within.filter(isWhole), cut: within.filter((day) => !isWhole(day)).map((day) => ({ day, keep })) }
}

function lastRuns({ days }: History, runs: number): Portion {
  const whole: SeriesDay[] = []
  let left = runs
  for (const day of days) {
    if (day.summary.count > left) {
      const newest = left
      const keep = (points: readonly SeriesPoint[]) => [...points].sort((a, b) => b.at - a.at).slice(0, newest)
      return { whole, cut: newest === 0 ? [] : [{ day, keep }] }
    }
    whole.push(day)
    left -= day.summary.count
  }
  return { whole, cut: [] }
}

/**
 * The days on this weekday in the latest weeks, until they have a hundred runs. Takes at least three days; empty if
 * there are fewer.
 */
function sameWeekday({ now, days }: History): SeriesDay[] {
  const today = dayOf(now)
  const found: SeriesDay[] = []
  let runs = 0
  for (const day of days) {
    const ago = today - day.day
    if (ago % 7 !== 0 || ago >= usualWeeks * 7) continue
    if (runs >= usualRuns.min && found.length >= minWeeks) break
    found.push(day)
    runs += day.summary.count
  }
  return found.length >= minWeeks ? found : []
}

function pointsOf(day: SeriesDay): readonly SeriesPoint[] {
  if (day.points === undefined) throw new Error(`The points of day ${day.day} were not read.`)
  return day.points
}

/** The summary of a window before now; `undefined` if it is empty. */
export function lookBack(history: History, window: Window): Summary | undefined {
  const { whole, cut } = portionOf(history, window)
  const parts = cut.flatMap(({ day, keep }) => summaryOf(keep(pointsOf(day))) ?? [])
  return mergedSummary([...whole.map(({ summary }) => summary), ...parts])
}

/** Whether the history has enough runs for the window, or reaches far enough back. */
export function reaches({ now, days }: History, window: Window): boolean {
  const ms = windowMs(window)
  if (ms === undefined) return countOf(days) >= window.window
  return days.some(({ summary }) => summary.firstAt <= now - ms)
}

const countOf = (days: readonly SeriesDay[]) => days.reduce((sum, { summary }) => sum + summary.count, 0)

function usualPortion(history: History): Portion {
  const today = dayOf(history.now)
  const isRecent = ({ day }: SeriesDay) => today - day < usualWeeks * 7
  const recent = countOf(history.days.filter(isRecent))
  const { whole, cut } = lastRuns(history, Math.min(Math.max(recent, usualRuns.min), usualRuns.max))
  const all = (days: readonly SeriesDay[]) =>
    days.map((day) => ({ day, keep: (points: readonly SeriesPoint[]) => points }))
  const oldest = cut[0]?.day ?? whole.at(-1)
  const isFrequent = recent > usualRuns.max && oldest !== undefined && today - oldest.day < minWeeks * 7
  const same = isFrequent ? sameWeekday(history) : []
  return { whole: [], cut: same.length > 0 ? all(same) : [...all(whole), ...cut] }
}

/** The points for ANOMALY: those of fourteen weeks or, if runs are too frequent, of the same weekdays. */
export function usualPoints(history: History): SeriesPoint[] {
  return usualPortion(history).cut.flatMap(({ day, keep }) => [...keep(pointsOf(day))])
}

export function windowsOf(threshold: Exclude<Comparing, { type: 'ANOMALY' }>): { success: Window; warning?: Window } {
  if (threshold.type === 'RELATIVE') {
    const { window, windowType } = threshold.operationalConfig.lookBack
    return { success: { window, type: windowType } }
  }
  const { lookBackWindowType: type, successLookBackWindow, warningLookBackWindow } = threshold.config
  const warning = warningLookBackWindow === undefined ? {} : { warning: { window: warningLookBackWindow, type } }
  return { success: { window: successLookBackWindow, type }, ...warning }
}

/** The days of which this threshold needs single points. */
export function daysToRead(threshold: Comparing, history: History): number[] {
  const portions =
    threshold.type === 'ANOMALY'
      ? [usualPortion(history)]
      : Object.values(windowsOf(threshold)).map((window) => portionOf(history, window))
  return portions.flatMap(({ cut }) => cut.map(({ day }) => day.day))
}

/** Whether `oldest`, the oldest day that was read, reaches far enough back for this threshold. */
export function suffices(threshold: Comparing, history: History, oldest: number): boolean {
  if (history.startsAtBaseline || dayOf(history.now) - oldest >= keptSeriesDays) return true
  if (threshold.type === 'ANOMALY')
    return countOf(history.days) >= usualRuns.min && dayOf(history.now) - oldest >= usualWeeks * 7
  // A run before the window may still be needed, to show that the history reaches back far enough.
  const needsReach = threshold.type === 'TIME_BASED'
  return Object.values(windowsOf(threshold)).every((window) => {
    const ms = windowMs(window)
    if (ms === undefined || needsReach) return reaches(history, window)
    return oldest * dayMs <= history.now - ms
  })
}
