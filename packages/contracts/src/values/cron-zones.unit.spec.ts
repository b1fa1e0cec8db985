import { expect, it } from 'vitest'
import { nextRuns } from './cron.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const firstYear = 2019
const lastYear = 2027

function offsetsIn(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  return (time) => {
    const [, sign, hours = '0', minutes = '0'] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(time)) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs
  }
}

/** Whether the clocks of a zone, month by month, differ between years. */
function hasOtherRules(timeZone: string): boolean {
  const offsetAt = offsetsIn(timeZone)
  const years = Array.from({ length: lastYear - firstYear + 1 }, (_, index) =>
    Array.from({ length: 12 }, (_, month) => offsetAt(Date.UTC(firstYear + index, month, 15, 12))).join(),
  )
  return new Set(years).size > 1
}

interface Change {
  at: number
  before: number
  after: number
}

function changesIn(timeZone: string, from: number, to: number): Change[] {
  const offsetAt = offsetsIn(timeZone)
  const changes: Change[] = []
  for (let day = from; day < to; day += dayMs) {
    const [before, after] = [offsetAt(day), offsetAt(day + dayMs)]
    if (before === after) continue
    let [low, high] = [day, day + dayMs]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (offsetAt(middle) === before) low = middle
      else high = middle
    }
    changes.push({ at: high, before, after })
  }
  return changes
}

/** When a job is due each day at a time of the day (milliseconds), within two days around a change: computed from the offsets. */
function dailyAround({ at, before, after }: Change, timeOfDay: number): number[] {
  const firstDay = Math.floor((at + before) / dayMs) - 2
  const times = Array.from({ length: 6 }, (_, index) => {
    const local = (firstDay + index) * dayMs + timeOfDay
    if (local - before < at) return local - before
    return local - after >= at ? local - after : at
  })
  return [...new Set(times)]
}

const zones = Intl.supportedValuesOf('timeZone').filter(hasOtherRules)
const changesOf = (zone: string, from: number, to: number) =>
  changesIn(zone, from, to).map((change) => ({ zone, change }))
const changes = [
  ...zones.flatMap((zone) => changesOf(zone, Date.UTC(firstYear + 1), Date.UTC(lastYear))),
  ...['Australia/Lord_Howe', 'Europe/Berlin'].flatMap((zone) => changesOf(zone, Date.UTC(2026), Date.UTC(lastYear))),
  // Samoa skipped 30 December 2011, Kwajalein 21 August 1993.
  ...changesOf('Pacific/Apia', Date.UTC(2011, 11, 20), Date.UTC(2012, 0, 10)),
  ...changesOf('Pacific/Kwajalein', Date.UTC(1993, 7, 10), Date.UTC(1993, 8, 1)),
]
const iso = (times: readonly number[]) => times.map((time) => new Date(time).toISOString())

it('given each zone whose rules changed since 2020, half an hour, and skipped days, then a daily job is due once a day', () => {
  expect(zones.length).toBeGreaterThan(25)
  expect(changes.length).toBeGreaterThan(150)
  for (const { zone, change } of changes) {
    const low = change.at + Math.min(change.before, change.after)
    const high = change.at + Math.max(change.before, change.after)
    for (const time of [low, (low + high) / 2, high, low + dayMs / 2]) {
      const timeOfDay = (time % dayMs) - (time % minuteMs)
      const [hour, minute] = [Math.floor(timeOfDay / 3_600_000), Math.floor(timeOfDay / minuteMs) % 60]
      const [first = 0, ...later] = dailyAround(change, timeOfDay)
      const found = nextRuns(`${minute} ${hour} * * *`, zone, first, later.length)
      expect([zone, hour, minute, ...iso(found)]).toEqual([zone, hour, minute, ...iso(later)])
    }
  }
})

it('given the same zones, then a job of every twenty minutes follows real time', () => {
  for (const { zone, change } of changes) {
    const offset = (time: number) => (time < change.at ? change.before : change.after)
    const around = Array.from({ length: 240 }, (_, index) => change.at + (index - 120) * minuteMs)
    const due = around.filter((time) => (((time + offset(time)) / minuteMs) % 60) % 20 === 0)
    const found = nextRuns('*/20 * * * *', zone, (around[0] ?? 0) - 1, due.length)
    expect([zone, ...iso(found)]).toEqual([zone, ...iso(due)])
  }
})
