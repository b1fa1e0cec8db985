import { nextRuns } from '@assay/contracts'
import { describe, expect, it } from 'vitest'
import { instantOf, localOf } from '../../zone-time.ts'
import { expectationOf, inferClock } from './clock.ts'
import { dayMs, minuteMs, type Pattern, slotsBetween } from './pattern.ts'
import { clockRecord, wordsOf } from './words.ts'

/** A generator of numbers from 0 to 1 with a fixed seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const hourMs = 60 * minuteMs
const start = Date.UTC(2025, 9, 1)

interface Simulated {
  pattern: Pattern
  timeZone: string
  spanMs: number
  /** The delay of a load: exponential with this mean. */
  jitterMs: number
}

/** Arrivals of a pattern: late by chance, 8 % missing, and 2 % more at any time. */
function arrivalsOf({ pattern, timeZone, spanMs, jitterMs }: Simulated, random: () => number): number[] {
  const arrivals = slotsBetween(pattern, start, start + spanMs)
    .filter(() => random() >= 0.08)
    .map((slot) => Math.floor(instantOf(slot, timeZone) - jitterMs * Math.log(1 - random())))
  const extra = arrivals.filter(() => random() < 0.02).map(() => Math.floor(start + random() * spanMs))
  return [...new Set([...arrivals, ...extra])].sort((a, b) => a - b)
}

/** Simulated patterns of a family, each with its own parameters. */
const families: Record<string, (random: () => number) => Simulated> = {
  'every n minutes': (random) => {
    const minutes = [5, 10, 15, 20, 30, 120, 240, 360, 720][Math.floor(random() * 9)] ?? 5
    const period = minutes * minuteMs
    const phase = Math.floor(random() * minutes) * minuteMs
    const slots = 40 + random() * 300
    return {
      pattern: { kind: 'INTERVAL', period, phase },
      timeZone: 'UTC',
      spanMs: slots * period,
      jitterMs: period * 0.03,
    }
  },
  hourly: (random) => ({
    pattern: { kind: 'INTERVAL', period: hourMs, phase: Math.floor(random() * 60) * minuteMs },
    timeZone: 'Europe/Berlin',
    spanMs: (2 + random() * 12) * dayMs,
    jitterMs: 2 * minuteMs,
  }),
  daily: (random) => ({
    pattern: { kind: 'DAYS', phase: Math.floor(random() * 1440) * minuteMs, weekdays: [1, 2, 3, 4, 5, 6, 7] },
    timeZone: random() < 0.5 ? 'Europe/Berlin' : 'America/New_York',
    spanMs: (28 + random() * 150) * dayMs,
    jitterMs: 12 * minuteMs,
  }),
  'on weekdays': (random) => ({
    pattern: { kind: 'DAYS', phase: Math.floor(random() * 1440) * minuteMs, weekdays: [1, 2, 3, 4, 5] },
    timeZone: 'Europe/Berlin',
    spanMs: (35 + random() * 150) * dayMs,
    jitterMs: 12 * minuteMs,
  }),
  weekly: (random) => ({
    pattern: { kind: 'DAYS', phase: Math.floor(random() * 1440) * minuteMs, weekdays: [1 + Math.floor(random() * 7)] },
    timeZone: 'Europe/Berlin',
    spanMs: (20 + random() * 30) * 7 * dayMs,
    jitterMs: 30 * minuteMs,
  }),
  monthly: (random) => ({
    pattern: { kind: 'MONTHS', day: Math.floor(random() * 29), phase: Math.floor(random() * 1440) * minuteMs },
    timeZone: 'UTC',
    spanMs: (20 + random() * 10) * 30.4 * dayMs,
    jitterMs: 30 * minuteMs,
  }),
}

/** The distance of two phases in a circle. */
const apart = (one: number, other: number, circle: number) => {
  const distance = Math.abs(one - other) % circle
  return Math.min(distance, circle - distance)
}

function isRight(found: Pattern | null | undefined, { pattern, jitterMs }: Simulated): boolean {
  // The middle of an exponential delay is 0.7 of its mean.
  const near = 3 * jitterMs + minuteMs
  if (found?.kind !== pattern.kind) return false
  if (found.kind === 'INTERVAL' && pattern.kind === 'INTERVAL')
    return found.period === pattern.period && apart(found.phase, pattern.phase, pattern.period) <= near
  if (apart(found.phase, pattern.phase, dayMs) > near) return false
  if (found.kind === 'DAYS' && pattern.kind === 'DAYS') {
    const isPastMidnight = found.phase < pattern.phase - dayMs / 2
    const weekdays = pattern.weekdays.map((day) => (isPastMidnight ? (day % 7) + 1 : day)).sort()
    return JSON.stringify(found.weekdays) === JSON.stringify(weekdays)
  }
  return (
    found.kind === 'MONTHS' &&
    pattern.kind === 'MONTHS' &&
    Math.abs(found.day - pattern.day) <= (found.phase < pattern.phase ? 1 : 0)
  )
}

const trials = 60

describe('an inferred clock', () => {
  it.each(Object.entries(families).map(([family, simulate]) => ({ family, simulate })))(
    'given arrivals $family, then it is right in at least 19 of 20 cases',
    ({ simulate }) => {
      let right = 0
      for (let seed = 1; seed <= trials; seed += 1) {
        const random = randomOf(seed * 7919)
        const simulated = simulate(random)
        const clock = inferClock(arrivalsOf(simulated, random), simulated.timeZone)
        if (isRight(clock?.pattern, simulated)) right += 1
      }
      expect(right / trials).toBeGreaterThanOrEqual(0.95)
    },
  )

  it('given arrivals at any time, then it knows the gaps only, in at least 95 % of the cases', () => {
    let right = 0
    for (let seed = 1; seed <= trials; seed += 1) {
      const random = randomOf(seed * 104_729)
      let at = start
      const arrivals = Array.from({ length: 20 + Math.floor(random() * 200) }, () => {
        at += Math.ceil(-8 * hourMs * Math.log(1 - random()))
        return at
      })
      if (inferClock(arrivals, 'UTC')?.pattern === null) right += 1
    }
    expect(right / trials).toBeGreaterThanOrEqual(0.95)
  })
})

/** Arrivals at the times of `cron` in Berlin, each up to `jitter` minutes early or late; one in twenty is missing. */
function arrivalsOfCron(cron: string, { seed, count, jitter }: { seed: number; count: number; jitter: number }) {
  const random = randomOf(seed)
  const times = nextRuns(cron, 'Europe/Berlin', Date.parse('2026-03-01') + seed * hourMs, count + 1)
  const next = times.pop() ?? 0
  const arrivals = times
    .filter((_, index) => index === 0 || index === count - 1 || random() >= 0.05)
    .map((at) => at + Math.round((random() + random() - 1) * jitter) * minuteMs)
  return { arrivals, next }
}

describe('given arrivals about the times of a cron expression', () => {
  it.each([
    ['every 5 minutes', 'EVERY_MINUTES', '2-59/5 * * * *', 100, 1],
    ['every 15 minutes', 'EVERY_MINUTES', '4-59/15 * * * *', 60, 2],
    ['hourly at a minute', 'HOURLY', '20 * * * *', 60, 8],
    ['every 6 hours', 'EVERY_MINUTES', '30 2-23/6 * * *', 40, 30],
    ['daily', 'DAILY', '10 6 * * *', 40, 25],
    ['daily about midnight', 'DAILY', '0 0 * * *', 40, 25],
    ['Monday to Friday', 'DAILY', '10 6 * * 1-5', 30, 25],
    ['three weekdays', 'DAILY', '45 22 * * 1,3,6', 30, 25],
    ['weekly', 'WEEKLY', '0 3 * * 2', 20, 40],
    ['monthly', 'MONTHLY', '0 5 3 * *', 18, 40],
    ['on the last day of a month', 'MONTHLY', '0 5 L * *', 18, 40],
  ])('%s, then kind %s and the next expected time are right in 19 of 20 (cron %s)', (_, kind, cron, count, jitter) => {
    const right = Array.from({ length: 20 }, (__, seed) => seed).filter((seed) => {
      const { arrivals, next } = arrivalsOfCron(cron, { seed, count, jitter })
      const clock = inferClock(arrivals, 'Europe/Berlin')
      const last = arrivals.at(-1) ?? 0
      if (clock === undefined) return false
      const expected = expectationOf(clock, last, last)
      const isNear = Math.abs(expected.nextAt - next) <= Math.max(jitter / 2, 1) * minuteMs
      return clockRecord(clock, expected).kind === kind && isNear
    })
    expect(right.length / 20).toBeGreaterThanOrEqual(0.95)
  })
})

/** Exact arrivals of a pattern in Berlin, from one UTC day to another. */
const exact = (pattern: Pattern, from: string, to: string) =>
  slotsBetween(pattern, Date.parse(from), Date.parse(to)).map((slot) => instantOf(slot, 'Europe/Berlin'))
const atSix = (weekdays: number[]): Pattern => ({ kind: 'DAYS', phase: 370 * minuteMs, weekdays })
const everyDay = [1, 2, 3, 4, 5, 6, 7]
const workdays = [1, 2, 3, 4, 5]
const clockOf = (arrivals: readonly number[]) => {
  const clock = inferClock(arrivals, 'Europe/Berlin')
  if (clock === undefined) throw new Error('too few arrivals')
  return clock
}

describe('what a clock expects', () => {
  // Winter time begins on Sunday, 25 October.
  const arrivals = exact(atSix(workdays), '2026-08-03', '2026-10-24')
  const friday = arrivals.at(-1) ?? 0
  const monday = Date.parse('2026-10-26T05:10:00Z')
  const clock = clockOf(arrivals)
  const at = (time: string, last = friday) => expectationOf(clock, last, Date.parse(time))

  it('given arrivals on weekdays, then nothing is late over the weekend, and Monday is expected at the same local time', () => {
    expect(wordsOf(clock)).toBe('daily about 06:10 Europe/Berlin, Monday to Friday')
    const { nextAt, deadlineAt, missed } = at('2026-10-25T12:00:00Z')
    expect([nextAt, missed]).toEqual([monday, null])
    expect(deadlineAt - nextAt).toBeGreaterThan(minuteMs)
    expect(deadlineAt - nextAt).toBeLessThan(hourMs)
  })
  it('given no arrival, then it is missed once the deadline has passed, and the next one is expected', () => {
    const { deadlineAt } = at('2026-10-26T05:20:00Z')
    expect(at('2026-10-26T05:20:00Z').missed).toBeNull()
    const late = expectationOf(clock, friday, deadlineAt + 1)
    expect(late).toMatchObject({ missed: monday, nextAt: monday + dayMs })
    expect(expectationOf(clock, monday, deadlineAt + 1).missed).toBeNull()
  })
  it('given a day without data a year ago, then the same day is not expected', () => {
    const year = exact(atSix(everyDay), '2025-12-01', '2026-12-25')
    const isChristmas = (time: number) => new Date(time).toISOString().startsWith('2025-12-25')
    const now = Date.parse('2026-12-26T03:00:00Z')
    const last = year.at(-1) ?? 0
    expect(expectationOf(clockOf(year.filter((time) => !isChristmas(time))), last, now).missed).toBeNull()
    expect(expectationOf(clockOf(year), last, now).missed).toBe(Date.parse('2026-12-25T05:10:00Z'))
  })
  it.each([
    ['on another date of this year', '2025-11-27', '2026-11-26'],
    ['on a day of the week without data a year ago', '2025-12-27', '2026-12-25'],
  ])('given a holiday %s, then its data is expected and missed', (_, before, now) => {
    const all = exact(atSix(workdays), '2025-10-26', now)
    const arrivals = all.filter((time) => !new Date(time).toISOString().startsWith(before))
    const morning = Date.parse(`${now}T05:10:00Z`)
    expect(expectationOf(clockOf(arrivals), arrivals.at(-1) ?? 0, morning + dayMs / 4).missed).toBe(morning)
  })
  it('given a clock that has changed, then the latest arrivals count', () => {
    const before = exact(atSix(everyDay), '2026-06-01', '2026-08-01')
    const after = exact({ ...atSix(everyDay), phase: 900 * minuteMs }, '2026-08-01', '2026-08-20')
    expect(wordsOf(clockOf([...before, ...after]))).toBe('daily about 15:00 Europe/Berlin')
  })
  it('given arrivals at no regular time, then data is late after the longest usual gap', () => {
    const random = randomOf(3)
    let time = start
    const arrivals = Array.from({ length: 100 }, () => {
      time += Math.ceil(-8 * hourMs * Math.log(1 - random()))
      return time
    })
    const irregular = clockOf(arrivals)
    expect(wordsOf(irregular)).toMatch(/^at no regular time: usually .* apart, in 99 % of cases at most /)
    expect(expectationOf(irregular, time, time + irregular.graceMs).missed).toBeNull()
    expect(expectationOf(irregular, time, time + irregular.graceMs + 1).missed).not.toBeNull()
  })
  it('given fewer than 14 arrivals, then there is no clock; files of one load are one arrival', () => {
    const loads = exact(atSix(everyDay), '2026-08-01', '2026-08-14')
    expect(loads).toHaveLength(13)
    expect(inferClock(loads, 'UTC')).toBeUndefined()
    expect(
      inferClock(
        loads.flatMap((load) => [load, load + minuteMs]),
        'UTC',
      ),
    ).toBeUndefined()
  })
})

it.each<[Pattern, string]>([
  [{ kind: 'INTERVAL', period: 15 * minuteMs, phase: 0 }, 'every 15 minutes'],
  [{ kind: 'INTERVAL', period: hourMs, phase: 10 * minuteMs }, 'hourly about minute 10'],
  [{ kind: 'INTERVAL', period: 6 * hourMs, phase: 10 * minuteMs }, 'every 6 hours about 00:10 Europe/Berlin'],
  [atSix(everyDay), 'daily about 06:10 Europe/Berlin'],
  [atSix([7, 1, 2, 3, 4]), 'daily about 06:10 Europe/Berlin, Sunday to Thursday'],
  [atSix([1, 3, 5]), 'daily about 06:10 Europe/Berlin, Monday, Wednesday and Friday'],
  [atSix([2]), 'weekly on Tuesday about 06:10 Europe/Berlin'],
  [{ kind: 'MONTHS', day: 1, phase: 370 * minuteMs }, 'monthly on day 1 about 06:10 Europe/Berlin'],
  [{ kind: 'MONTHS', day: 0, phase: 370 * minuteMs }, 'monthly on the last day about 06:10 Europe/Berlin'],
])('given %o, then its words are %s', (pattern, words) => {
  const known = { explainedShare: 1, toleranceMs: 0, graceMs: 0, usualGapMs: 0, holidays: new Set<string>() }
  expect(wordsOf({ pattern, timeZone: 'Europe/Berlin', ...known })).toBe(words)
})

describe('given daily data, when a zone changes its clocks', () => {
  it.each([
    ['Europe/Berlin', '2026-10-25'],
    ['Australia/Lord_Howe', '2026-04-05'],
    ['America/Mexico_City', '2022-10-30'],
    ['Asia/Amman', '2022-10-28'],
    ['Africa/Cairo', '2023-04-28'],
    ['America/Nuuk', '2023-03-26'],
    ['Asia/Almaty', '2024-03-01'],
    ['Pacific/Apia', '2011-12-30'],
  ])('in %s on %s, then nothing is late, and the next data is expected at the same local time', (timeZone, day) => {
    const from = Date.parse(day) - 20 * dayMs
    const slots = slotsBetween(atSix(everyDay), from, from + 26 * dayMs).map((slot) => instantOf(slot, timeZone))
    // A skipped day has no data of its own.
    const arrivals = [...new Set(slots)]
    for (let count = 16; count < arrivals.length; count += 1) {
      const clock = inferClock(arrivals.slice(0, count), timeZone)
      const [last = 0, next = 0] = arrivals.slice(count - 1)
      if (clock === undefined) throw new Error('too few arrivals')
      const { deadlineAt, ...expected } = expectationOf(clock, last, next - minuteMs)
      expect(expected).toEqual({ nextAt: next, missed: null })
      expect(expectationOf(clock, last, deadlineAt + 1).missed).toBe(next)
      expect(expectationOf(clock, next, deadlineAt + 1).missed).toBeNull()
    }
  })
})

it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kathmandu'])(
  'given times in %s, then the wall clock and back is the same wall clock, also when clocks or days are skipped',
  (timeZone) => {
    const random = randomOf(11)
    const from = Date.UTC(2011, 11, 1)
    for (let round = 0; round < 500; round += 1) {
      const local = localOf(from + Math.floor(random() * 15 * 365) * dayMs + Math.floor(random() * dayMs), timeZone)
      expect(localOf(instantOf(local, timeZone), timeZone)).toBe(local)
    }
  },
)
