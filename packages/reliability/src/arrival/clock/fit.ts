import { dayMs, minuteMs, type Pattern, slotsBetween, weekdayOf, weekMs } from './pattern.ts'
import { densestPhase, medianOf, modulo } from './phases.ts'
import { likeliestWeekdays } from './weekdays.ts'

/** A pattern with how well it explains arrivals. */
export interface Fit {
  pattern: Pattern
  /** How far an arrival may be from its expected time, milliseconds. */
  tolerance: number
  /** The share of the arrivals that were expected. Each expected time explains only one arrival. */
  explained: number
  /** The share of the expected times at which something arrived. */
  fulfilled: number
  /** For each explained arrival, its time minus the expected time. */
  delays: number[]
  /** Expected times without an arrival. */
  missed: number[]
}

/** Intervals in minutes. Each divides a day. */
const intervals = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60, 90, 120, 180, 240, 360, 480, 720]
const intervalTolerance = 0.2
const dayTolerance = 3 * 3_600_000
const weekTolerance = 12 * 3_600_000
const monthTolerance = 36 * 3_600_000
/** The least shares that a pattern must have. */
const least = { explained: 0.8, fulfilled: 0.6 }

/**
 * The pattern that explains the arrivals best; `undefined` if none explains enough of them. `arrivals`: local times,
 * ascending, at least two. Pure.
 */
export function bestFit(arrivals: readonly number[]): Fit | undefined {
  const [first = 0, last = 0] = [arrivals[0], arrivals.at(-1)]
  const span = last - first
  const candidates: { pattern: Pattern; tolerance: number }[] = []
  for (const minutes of intervals) {
    const period = minutes * minuteMs
    // A shorter period would have more expected times than the arrivals can fulfil.
    if (span / period > arrivals.length / least.fulfilled) continue
    const tolerance = period * intervalTolerance
    const phase = densestPhase(
      arrivals.map((at) => modulo(at, period)),
      period,
      2 * tolerance,
    )
    candidates.push({ pattern: { kind: 'INTERVAL', period, phase }, tolerance })
  }
  candidates.push({ pattern: daysOf(arrivals), tolerance: dayTolerance })
  candidates.push({ pattern: weekOf(arrivals), tolerance: weekTolerance })
  for (const isLast of [true, false]) candidates.push({ pattern: monthOf(arrivals, isLast), tolerance: monthTolerance })
  const fits = candidates.map((candidate) => fitOf(candidate.pattern, candidate.tolerance, arrivals))
  const enough = fits.filter(({ explained, fulfilled }) => explained >= least.explained && fulfilled >= least.fulfilled)
  return enough.sort((one, other) => qualityOf(other) - qualityOf(one) || spreadOf(one) - spreadOf(other))[0]
}

const qualityOf = ({ explained, fulfilled }: Fit) => (2 * explained * fulfilled) / (explained + fulfilled)

/** The mean distance of the delays from their median. It distinguishes the last day of the month from the 30th. */
function spreadOf({ delays }: Fit): number {
  const median = medianOf(delays)
  return delays.reduce((sum, delay) => sum + Math.abs(delay - median), 0) / delays.length
}

function daysOf(arrivals: readonly number[]): Pattern {
  const phase = densestPhase(
    arrivals.map((at) => modulo(at, dayMs)),
    dayMs,
    2 * dayTolerance,
  )
  const days = arrivals.map((at) => Math.round((at - phase) / dayMs))
  const near = days.filter((day, index) => Math.abs((arrivals[index] ?? 0) - phase - day * dayMs) <= dayTolerance)
  return { kind: 'DAYS', phase, weekdays: near.length === 0 ? [1] : likeliestWeekdays(new Set(near)) }
}

function weekOf(arrivals: readonly number[]): Pattern {
  const inWeek = densestPhase(
    arrivals.map((at) => modulo(at, weekMs)),
    weekMs,
    2 * weekTolerance,
  )
  return { kind: 'DAYS', phase: modulo(inWeek, dayMs), weekdays: [weekdayOf(Math.floor(inWeek / dayMs))] }
}

const longestMonth = 31 * dayMs

/** `isLast`: counted from the end of the month. */
function monthOf(arrivals: readonly number[], isLast: boolean): Pattern {
  const offsets = arrivals.map((at) => {
    const date = new Date(at)
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
    const start = isLast ? Date.UTC(year, month + 1, 0) : Date.UTC(year, month, 1)
    return modulo(at - start, longestMonth)
  })
  const middle = densestPhase(offsets, longestMonth, 2 * monthTolerance)
  const day = isLast ? 0 : Math.floor(middle / dayMs) + 1
  const rough: Pattern = { kind: 'MONTHS', day, phase: modulo(middle, dayMs) }
  // Months differ in length, so the median of the offsets is not the median of the times of day.
  const phase = rough.phase + medianOf(fitOf(rough, monthTolerance, arrivals).delays)
  return phase < 0 || phase >= dayMs ? rough : { ...rough, phase }
}

/** How well a pattern explains the arrivals: each expected time explains one arrival, the first one near it. Pure. */
export function fitOf(pattern: Pattern, tolerance: number, arrivals: readonly number[]): Fit {
  const [first = 0, last = 0] = [arrivals[0], arrivals.at(-1)]
  const slots = slotsBetween(pattern, first - tolerance, last + tolerance)
  const delays: number[] = []
  const missed: number[] = []
  let next = 0
  for (const slot of slots) {
    while (next < arrivals.length && (arrivals[next] ?? 0) < slot - tolerance) next += 1
    const at = arrivals[next]
    if (at === undefined || at > slot + tolerance) missed.push(slot)
    else delays.push(at - slot)
  }
  return {
    pattern,
    tolerance,
    explained: arrivals.length === 0 ? 0 : delays.length / arrivals.length,
    fulfilled: slots.length === 0 ? 0 : delays.length / slots.length,
    delays,
    missed,
  }
}
