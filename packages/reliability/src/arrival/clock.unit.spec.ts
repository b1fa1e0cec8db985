import { nextRuns } from '@assay/contracts'
import { describe, expect, it } from 'vitest'
import { inferClock } from './clock.ts'

/** Repeatable random numbers from 0 up to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const minute = 60_000
const zone = 'Europe/Berlin'
/** Before the change to summer time. */
const start = Date.parse('2026-03-01T00:00:00Z')

/** Arrivals at the times of `cron`, each up to `jitter` minutes early or late; one in twenty is missing. */
function simulated(cron: string, { seed, count, jitter }: { seed: number; count: number; jitter: number }) {
  const random = randomFrom(seed)
  const times = nextRuns(cron, zone, start + seed * 3_600_000, count + 1)
  const next = times.pop() ?? 0
  const arrivals = times
    .filter((_, index) => index === 0 || index === count - 1 || random() >= 0.05)
    .map((at) => at + Math.round((random() + random() - 1) * jitter) * minute)
  return { arrivals, next }
}

describe('given arrivals of a pattern with jitter and gaps', () => {
  it.each([
    ['every 5 minutes', 'MINUTES', '2-59/5 * * * *', 100, 1],
    ['every 15 minutes', 'MINUTES', '4-59/15 * * * *', 60, 2],
    ['hourly at a minute', 'HOURS', '20 * * * *', 60, 8],
    ['every 6 hours', 'HOURS', '30 2-23/6 * * *', 40, 30],
    ['daily', 'DAILY', '10 6 * * *', 40, 25],
    ['daily about midnight', 'DAILY', '0 0 * * *', 40, 25],
    ['Monday to Friday', 'WEEKDAYS', '10 6 * * 1-5', 30, 25],
    ['three weekdays', 'WEEKDAYS', '45 22 * * 1,3,6', 30, 25],
    ['weekly', 'WEEKLY', '0 3 * * 2', 20, 40],
    ['monthly', 'MONTHLY', '0 5 3 * *', 18, 40],
    ['on the last day of a month', 'MONTHLY', '0 5 L * *', 18, 40],
  ])('then the clock of arrivals %s (%s, cron %s) is right in 38 of 40', (_, kind, cron, count, jitter) => {
    const seeds = Array.from({ length: 40 }, (_, index) => index)
    const right = seeds.filter((seed) => {
      const { arrivals, next } = simulated(cron, { seed, count, jitter })
      const clock = inferClock(arrivals, zone)
      return clock?.kind === kind && Math.abs(clock.nextExpectedAt - next) <= Math.max(jitter / 2, 1) * minute
    })
    expect(right.length / seeds.length).toBeGreaterThanOrEqual(0.95)
  })
})

describe('given daily arrivals from Monday to Friday', () => {
  const { arrivals, next } = simulated('10 6 * * 1-5', { seed: 5, count: 30, jitter: 20 })
  const clock = inferClock(arrivals, zone)
  it('then the clock says so, and the deadline is after the usual jitter and before noon', () => {
    expect(clock?.text).toMatch(/^daily, Monday to Friday, about 06:\d\d Europe\/Berlin$/)
    expect(clock?.deadlineAt).toBeGreaterThan(next + 20 * minute)
    expect(clock?.deadlineAt).toBeLessThan(next + 6 * 60 * minute)
  })
})

it('given arrivals at random times, then no clock explains them, and the deadline is a long gap', () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const random = randomFrom(seed)
    let at = start
    const arrivals = Array.from({ length: 80 }, () => (at += Math.ceil(-Math.log(1 - random()) * 300) * minute))
    const clock = inferClock(arrivals, zone)
    expect(clock).toMatchObject({ kind: 'NONE', cron: null })
    expect((clock?.deadlineAt ?? 0) - at).toBeGreaterThan(600 * minute)
  }
})

it('given fewer than fourteen arrivals, then there is no clock', () => {
  const { arrivals } = simulated('10 6 * * *', { seed: 1, count: 40, jitter: 0 })
  expect(inferClock(arrivals.slice(0, 13), zone)).toBeUndefined()
})
