import type { Comparing } from '../threshold.ts'
import { dayMs, dayOf, mergedSummary, type SeriesDay, type SeriesPoint, type Summary, summaryOf } from './series-day.ts'

/** A series before `now` (when the judged run began, epoch milliseconds): its days, newest first. */
export interface History {
  now: number
  days: readonly SeriesDay[]
  /** Nothing before these days counts. */
  beginsHere?: boolean
}

export type LookBackType = 'RUNS' | 'DAYS' | 'HOURS' | 'MINUTES'
export interface Window {
  window: number
  type: LookBackType
}
const unitMs = { DAYS: dayMs, HOURS: 3_600_000, MINUTES: 60_000 } as const

/** How many days a look-back reaches back at most. */
export const longestLookBackDays = 400
/** How many runs a TIME_BASED look-back asks for at most: one an hour for as long as earlier runs are known. */
export const longestLookBackRuns = longestLookBackDays * 24
/** How long days are kept: a look-back asks as well whether there was a run before its window. */
export const keptSeriesDays = longestLookBackDays + 31

/** Runs that a judgement of what is usual needs. */
export const fewestRuns = 7
/** How many runs tell what is usual, where no season does; and of the same weekday, in how many weeks at most. */
const usualRuns = 100
const usualWeeks = 14
const fewestWeeks = 3

/** Part of a history: whole days, of which the summary is enough, and days of which some points count. */
interface Portion {
  whole: readonly SeriesDay[]
  cut: readonly { day: SeriesDay; keep(points: readonly SeriesPoint[]): readonly SeriesPoint[] }[]
}

/** How long a window reaches back in milliseconds; `undefined` for a number of runs. */
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

/** Of the latest weeks with a hundred runs on this weekday together, at least three of them; none where there are fewer. */
function sameWeekday({ now, days }: History): SeriesDay[] {
  const today = dayOf(now)
  const found: SeriesDay[] = []
  let runs = 0
  for (const day of days) {
    const ago = today - day.day
    if (ago % 7 !== 0 || ago >= usualWeeks * 7) continue
    if (runs >= usualRuns && found.length >= fewestWeeks) break
    found.push(day)
    runs += day.summary.count
  }
  return found.length >= fewestWeeks && runs >= fewestRuns ? found : []
}

function pointsOf(day: SeriesDay): readonly SeriesPoint[] {
  if (day.points === undefined) throw new Error(`The points of day ${day.day} were not read.`)
  return day.points
}

/** What lies within a window before now; `undefined` where nothing does. */
export function lookBack(history: History, window: Window): Summary | undefined {
  const { whole, cut } = portionOf(history, window)
  const parts = cut.flatMap(({ day, keep }) => summaryOf(keep(pointsOf(day))) ?? [])
  return mergedSummary([...whole.map(({ summary }) => summary), ...parts])
}

/** Whether the runs known are as many, or as old, as the window asks for. */
export function reaches({ now, days }: History, window: Window): boolean {
  const ms = windowMs(window)
  if (ms === undefined) return countOf(days) >= window.window
  return days.some(({ summary }) => summary.firstAt <= now - ms)
}

const countOf = (days: readonly SeriesDay[]) => days.reduce((sum, { summary }) => sum + summary.count, 0)

function usualPortion(history: History): Portion {
  const { whole, cut } = lastRuns(history, usualRuns)
  const all = (days: readonly SeriesDay[]) =>
    days.map((day) => ({ day, keep: (points: readonly SeriesPoint[]) => points }))
  const same = sameWeekday(history)
  return { whole: [], cut: same.length > 0 ? all(same) : [...all(whole), ...cut] }
}

/** The points that tell what is usual now: those of the same weekday, where there are enough, else the last hundred. */
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

/** The days whose points a judgement by this threshold needs: their summaries do not suffice. */
export function daysToRead(threshold: Comparing, history: History): number[] {
  const portions =
    threshold.type === 'ANOMALY'
      ? [usualPortion(history)]
      : Object.values(windowsOf(threshold)).map((window) => portionOf(history, window))
  return portions.flatMap(({ cut }) => cut.map(({ day }) => day.day))
}

/** Whether days before `oldest`, the oldest that was looked for, make no difference to a judgement by this threshold. */
export function suffices(threshold: Comparing, history: History, oldest: number): boolean {
  if (history.beginsHere || dayOf(history.now) - oldest >= keptSeriesDays) return true
  if (threshold.type === 'ANOMALY')
    return countOf(history.days) >= usualRuns && dayOf(history.now) - oldest >= usualWeeks * 7
  // Where no run is older than the window, an older one may still tell that the runs reach as far back.
  const needsReach = threshold.type === 'TIME_BASED'
  return Object.values(windowsOf(threshold)).every((window) => {
    const ms = windowMs(window)
    if (ms === undefined || needsReach) return reaches(history, window)
    return oldest * dayMs <= history.now - ms
  })
}
