import { instantOf, localOf } from '../zone-time.ts'

export type Granularity = 'DAY' | 'HOUR'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The last instant at or before `at` at which a day or an hour begins in the zone. Pure. */
export function startOfPeriod(at: number, granularity: Granularity, timeZone: string): number {
  if (granularity === 'HOUR') {
    const past = remainder(localOf(at, timeZone), hourMs)
    // If the clocks changed by half an hour in between, that instant is not the start of an hour, either.
    return past === 0 ? at : startOfPeriod(at - past, granularity, timeZone)
  }
  const local = localOf(at, timeZone)
  const start = instantOf(local - remainder(local, dayMs), timeZone)
  // Where clocks skip midnight, the day begins later.
  return start <= at ? start : startOfPeriod(start - 1, granularity, timeZone)
}

const remainder = (value: number, size: number) => ((value % size) + size) % size

/**
 * The bounds of the latest whole periods before `now`, ascending: each period ends where the next one begins. A day may
 * have 23 or 25 hours. `most`: maximum number of periods. `from`: earliest start of the first period. Empty if there
 * are none. Pure.
 */
export function boundsOfPeriods({
  now,
  granularity,
  timeZone,
  from = Number.NEGATIVE_INFINITY,
  most,
}: {
  now: number
  granularity: Granularity
  timeZone: string
  from?: number | undefined
  most: number
}): number[] {
  const bounds = [startOfPeriod(now, granularity, timeZone)]
  while (bounds.length <= most) {
    const start = startOfPeriod((bounds[0] ?? now) - 1, granularity, timeZone)
    if (start < from) break
    bounds.unshift(start)
  }
  return bounds.length < 2 ? [] : bounds
}
