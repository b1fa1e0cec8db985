import type { ArrivalClock } from '@assay/contracts'
import type { Clock } from './clock.ts'
import { dayMs, minuteMs, type Pattern } from './pattern.ts'

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const hour = 60

/** `every 15 minutes`, `daily about 06:10 Europe/Berlin, Monday to Friday`. Pure. */
export function wordsOf({ pattern, timeZone, graceMs, usualGapMs }: Clock): string {
  if (pattern === null)
    return `at no regular time: usually ${durationWords(usualGapMs)} apart, in 99 % of cases at most ${durationWords(graceMs)}`
  const at = `about ${timeOfDay(pattern.phase)} ${timeZone}`
  switch (pattern.kind) {
    case 'INTERVAL':
      return intervalWords(pattern, timeZone)
    case 'DAYS': {
      const [day, ...more] = pattern.weekdays
      if (day !== undefined && more.length === 0) return `weekly on ${days[day - 1]} ${at}`
      return pattern.weekdays.length === 7 ? `daily ${at}` : `daily ${at}, ${weekdayWords(pattern.weekdays)}`
    }
    case 'MONTHS':
      return `monthly on ${pattern.day === 0 ? 'the last day' : `day ${pattern.day}`} ${at}`
    default:
      return pattern satisfies never
  }
}

function intervalWords({ period, phase }: Extract<Pattern, { kind: 'INTERVAL' }>, timeZone: string): string {
  const minutes = period / minuteMs
  if (minutes === 1) return 'every minute'
  if (minutes < hour) return `every ${minutes} minutes`
  if (minutes === hour) return `hourly about minute ${timeOfDay(phase).slice(3)}`
  const every = minutes % hour === 0 ? `${minutes / hour} hours` : `${minutes} minutes`
  return `every ${every} about ${timeOfDay(phase)} ${timeZone}`
}

/** Runs of three or more days become `Monday to Friday`. */
function weekdayWords(weekdays: readonly number[]): string {
  const first = weekdays[0] ?? 1
  const isWeekendOver = weekdays.includes(7) && weekdays.includes(1)
  const start = isWeekendOver ? (weekdays.find((day) => !weekdays.includes(day === 1 ? 7 : day - 1)) ?? first) : first
  const inOrder = Array.from({ length: 7 }, (_, index) => ((start - 1 + index) % 7) + 1).filter((day) =>
    weekdays.includes(day),
  )
  const isRun = inOrder.every((day, index) => index === 0 || day === ((inOrder[index - 1] ?? 0) % 7) + 1)
  const names = inOrder.map((day) => days[day - 1] ?? '')
  if (isRun && names.length > 2) return `${names[0]} to ${names.at(-1)}`
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** `06:10`, to the minute. */
function timeOfDay(phase: number): string {
  const minutes = Math.round(phase / minuteMs) % (dayMs / minuteMs)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(Math.floor(minutes / hour))}:${two(minutes % hour)}`
}

/** `2 days 3 hours`, in its two largest units. */
function durationWords(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / minuteMs))
  const parts = [
    [Math.floor(minutes / 1440), 'day'],
    [Math.floor((minutes % 1440) / hour), 'hour'],
    [minutes % hour, 'minute'],
  ] as const
  const shown = parts.filter(([count]) => count > 0).slice(0, 2)
  return shown.map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`).join(' ')
}

/** At most this many times of a day are listed. */
const mostTimes = 24

/** The times of a day at which data arrives. */
function timesOf(pattern: Pattern | null): string[] {
  if (pattern === null) return []
  if (pattern.kind !== 'INTERVAL') return [timeOfDay(pattern.phase)]
  const count = dayMs / pattern.period
  if (count > mostTimes) return []
  return Array.from({ length: count }, (_, index) => timeOfDay(pattern.phase + index * pattern.period))
}

function kindOf(pattern: Pattern | null): ArrivalClock['kind'] {
  if (pattern === null) return 'GAPS'
  if (pattern.kind === 'MONTHS') return 'MONTHLY'
  if (pattern.kind === 'DAYS') return pattern.weekdays.length === 1 ? 'WEEKLY' : 'DAILY'
  return pattern.period === hour * minuteMs ? 'HOURLY' : 'EVERY_MINUTES'
}

/** The record of a clock. `next`: what it expects, epoch milliseconds. Pure. */
export function clockRecord(clock: Clock, next: { nextAt: number; deadlineAt: number }): ArrivalClock {
  const { pattern, timeZone, explainedShare, usualGapMs } = clock
  const isoOf = (time: number) => new Date(Math.round(time)).toISOString()
  const everyMs = pattern === null ? usualGapMs : pattern.kind === 'INTERVAL' ? pattern.period : null
  return {
    text: wordsOf(clock),
    kind: kindOf(pattern),
    every: everyMs === null ? null : Math.round(everyMs / minuteMs),
    at: timesOf(pattern),
    weekdays: pattern?.kind === 'DAYS' && pattern.weekdays.length < 7 ? [...pattern.weekdays] : null,
    timeZone,
    explainedShare: Math.round(explainedShare * 10_000) / 10_000,
    nextExpectedAt: isoOf(next.nextAt),
    deadlineAt: isoOf(next.deadlineAt),
  }
}
