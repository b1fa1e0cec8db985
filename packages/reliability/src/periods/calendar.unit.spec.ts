import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localOf } from '../zone-time.ts'
import { boundsOfPeriods, startOfPeriod } from './calendar.ts'

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'America/Sao_Paulo', 'Asia/Kolkata', 'Australia/Lord_Howe']
const instants = fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2030, 0, 1) })
const granularity = fc.constantFrom('DAY' as const, 'HOUR' as const)
const hourMs = 3_600_000
const iso = (all: readonly number[]) => all.map((at) => new Date(at).toISOString())

describe('whole periods', () => {
  it('are adjacent, ended before now, and begin when the clock of the zone does', () => {
    fc.assert(
      fc.property(instants, granularity, fc.constantFrom(...zones), (now, granularity, timeZone) => {
        const bounds = boundsOfPeriods({ now, granularity, timeZone, most: 30 })
        expect(bounds).toHaveLength(31)
        const [last = 0, size] = [bounds.at(-1), granularity === 'DAY' ? 24 * hourMs : hourMs]
        expect(last).toBeLessThanOrEqual(now)
        expect(now - last).toBeLessThan(size + hourMs)
        for (const [index, bound] of bounds.entries()) {
          expect(startOfPeriod(bound, granularity, timeZone)).toBe(bound)
          const local = localOf(bound, timeZone)
          // In Brazil, clocks once skipped midnight.
          if (timeZone !== 'America/Sao_Paulo') expect(local % size).toBe(0)
          const length = (bounds[index + 1] ?? bound + size) - bound
          expect([size - hourMs, size - hourMs / 2, size, size + hourMs / 2, size + hourMs]).toContain(length)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('given the days on which clocks change in Berlin, then they have 23 and 25 hours', () => {
    const given = { granularity: 'DAY', timeZone: 'Europe/Berlin', most: 2 } as const
    expect(iso(boundsOfPeriods({ ...given, now: Date.UTC(2026, 2, 30, 12) }))).toEqual([
      '2026-03-27T23:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ])
    const autumn = boundsOfPeriods({ ...given, now: Date.UTC(2026, 9, 26, 12) })
    expect(autumn.slice(1).map((at, index) => (at - (autumn[index] ?? 0)) / hourMs)).toEqual([24, 25])
  })

  it('given clocks that change by half an hour, then the hour of the change has 90 minutes', () => {
    const given = { granularity: 'HOUR', timeZone: 'Australia/Lord_Howe', most: 2 } as const
    expect(iso(boundsOfPeriods({ ...given, now: Date.UTC(2026, 9, 3, 16, 45) }))).toEqual([
      '2026-10-03T13:30:00.000Z',
      '2026-10-03T14:30:00.000Z',
      '2026-10-03T16:00:00.000Z',
    ])
    expect(iso(boundsOfPeriods({ ...given, now: Date.UTC(2026, 3, 4, 15, 15) })).at(-1)).toBe(
      '2026-04-04T14:00:00.000Z',
    )
  })

  it('given a first time, then no period begins before it, and there may be none', () => {
    const given = { granularity: 'DAY', timeZone: 'UTC', now: Date.UTC(2026, 0, 10, 8), most: 400 } as const
    expect(iso(boundsOfPeriods({ ...given, from: Date.UTC(2026, 0, 7, 1) }))).toEqual([
      '2026-01-08T00:00:00.000Z',
      '2026-01-09T00:00:00.000Z',
      '2026-01-10T00:00:00.000Z',
    ])
    expect(boundsOfPeriods({ ...given, from: Date.UTC(2026, 0, 10) })).toEqual([])
    expect(boundsOfPeriods(given)).toHaveLength(401)
  })
})
