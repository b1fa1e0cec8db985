import { nextRuns } from '@assay/contracts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideDue, firstDue } from './schedule.ts'

const hourly = { cronExpression: '0 * * * *', timeZone: 'UTC' }
const time = (text: string) => `2026-11-20T${text}.000Z`
const at = (text: string) => Date.parse(time(text))

describe('a schedule that is due', () => {
  it('runs for its due time, and is due next at the following time', () => {
    expect(decideDue(hourly, time('10:00:00'), at('10:00:01'))).toEqual({
      kind: 'run',
      scheduled: { due: time('10:00:00'), nominal: time('10:00:00'), next: time('11:00:00') },
    })
  })
  it('after a downtime runs once, for the last missed time', () => {
    expect(decideDue(hourly, time('04:00:00'), at('10:20:00'))).toEqual({
      kind: 'run',
      scheduled: { due: time('04:00:00'), nominal: time('10:00:00'), next: time('11:00:00') },
    })
  })
  it('runs up to an hour late, and is skipped after that', () => {
    const daily = { cronExpression: '0 6 * * *', timeZone: 'UTC' }
    expect(decideDue(daily, time('06:00:00'), at('07:00:00'))).toMatchObject({ kind: 'run' })
    expect(decideDue(daily, time('06:00:00'), at('07:00:01'))).toEqual({
      kind: 'skip',
      scheduled: { due: time('06:00:00'), nominal: time('06:00:00'), next: '2026-11-21T06:00:00.000Z' },
      reason: 'Nothing could start within an hour of this time.',
    })
  })
  it('runs once if it was due every second, for the last second', () => {
    const decided = decideDue({ cronExpression: '* * * * * *', timeZone: 'UTC' }, time('01:00:00'), at('10:00:00'))
    expect(decided).toMatchObject({ kind: 'run', scheduled: { nominal: time('10:00:00'), next: time('10:00:01') } })
  })
  it('runs for the last of its times, in any zone, also on days of a clock change', () => {
    const days = ['2026-11-20T00:00:00Z', '2026-03-28T22:00:00Z', '2026-10-24T22:00:00Z'].map((day) => Date.parse(day))
    const expressions = ['*/7 * * * *', '30 2 * * *', '0 * * * *', '15,45 1-3 * * *', '*/20 * * * * *']
    const lastOf = (expression: string, zone: string, from: number, until: number) => {
      let last: number | undefined
      for (;;) {
        const times = nextRuns(expression, zone, last ?? from, 20)
        for (const each of times) {
          if (each > until) return last
          last = each
        }
      }
    }
    fc.assert(
      fc.property(
        fc.constantFrom(...expressions),
        fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe'),
        fc.constantFrom(...days),
        fc.integer({ min: 0, max: 6 * 3_600_000 }),
        fc.integer({ min: 0, max: 3_599_999 }),
        (cronExpression, timeZone, day, later, waited) => {
          const due = day + later
          const schedule = { cronExpression, timeZone }
          const { scheduled } = decideDue(schedule, new Date(due).toISOString(), due + waited)
          expect(Date.parse(scheduled.nominal)).toBe(lastOf(cronExpression, timeZone, due - 1, due + waited) ?? due)
        },
      ),
      { numRuns: 40 },
    )
  })
  it('in spring runs right after the change', () => {
    const night = { cronExpression: '30 2 * * *', timeZone: 'Europe/Berlin' }
    const due = '2026-03-29T01:00:00.000Z'
    expect(decideDue(night, due, Date.parse('2026-03-29T01:00:00.500Z'))).toMatchObject({
      kind: 'run',
      scheduled: { nominal: due, next: '2026-03-30T00:30:00.000Z' },
    })
  })
  it('in autumn runs once', () => {
    const night = { cronExpression: '30 2 * * *', timeZone: 'Europe/Berlin' }
    const due = '2026-10-25T00:30:00.000Z'
    const decided = decideDue(night, due, Date.parse('2026-10-25T00:30:00.000Z'))
    expect(decided).toMatchObject({ kind: 'run', scheduled: { nominal: due, next: '2026-10-26T01:30:00.000Z' } })
  })
  it('given a clock that jumps forward and back by hours, then no time is taken twice, and only missed ones are passed over', () => {
    const schedule = { cronExpression: '*/20 * * * *', timeZone: 'Europe/Berlin' }
    const start = Date.parse('2026-10-24T22:00:00Z')
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -7 * 3_600_000, max: 7 * 3_600_000 }), { maxLength: 12 }), (jumps) => {
        let [now, due] = [start, firstDue(schedule, new Date(start).toISOString()) ?? '']
        let before = start
        for (const jump of jumps) {
          // Each jump is followed by two quiet polls.
          now = Math.max(start, now + jump)
          for (let poll = 0; poll < 3; poll += 1, now += 1_000) {
            if (Date.parse(due) > now) continue
            const { kind, scheduled } = decideDue(schedule, due, now)
            const nominal = Date.parse(scheduled.nominal)
            expect(nominal).toBeGreaterThan(before)
            expect(nominal).toBeLessThanOrEqual(now)
            if (kind === 'run') expect(nominal).toBeGreaterThanOrEqual(now - 3_600_000)
            expect(Date.parse(scheduled.next ?? '')).toBeGreaterThan(now)
            // The next time follows the one that was taken, without a gap.
            if (kind === 'run') expect(scheduled.next).toBe(firstDue(schedule, scheduled.nominal))
            before = nominal
            due = scheduled.next ?? ''
          }
        }
      }),
      { numRuns: 40 },
    )
  })
})
