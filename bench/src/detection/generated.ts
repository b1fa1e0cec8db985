import type { Reading } from '@assay/reliability'
import type { Random } from './random.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const start = Date.parse('2026-01-05T06:00:00Z')

export type Figure = 'NUMBER' | 'PERCENTAGE'

/** A generated series. `unusual`: places that no history explains, which count neither as right nor as false alarms. */
export interface Generated {
  readings: Reading[]
  unusual: ReadonlySet<number>
}

/** A kind of series. `perDay`: values a day. */
export interface SeriesKind {
  name: string
  perDay: number
  figure: Figure
  make(random: Random, days: number): Generated
}

const noise = 0.05
const times = (count: number, step: number) => Array.from({ length: count }, (_, index) => start + index * step)
const isWeekend = (at: number) => [0, 6].includes(new Date(at).getUTCDay())
const weekly = (at: number, day: number) => 10_000 * (isWeekend(at) ? 0.42 : 1) * 1.001 ** day

function daily(name: string, valueAt: (day: number, at: number, random: Random) => number): SeriesKind {
  return {
    name,
    perDay: 1,
    figure: 'NUMBER',
    make: (random, days) => ({
      readings: times(days, dayMs).map((at, day) => ({ at, value: valueAt(day, at, random) })),
      unusual: new Set(),
    }),
  }
}

const noisy = (level: number, random: Random) => Math.round(level * Math.exp(noise * random.normal()))

function share(name: string, passing: number, rows: number): SeriesKind {
  return {
    name,
    perDay: 1,
    figure: 'PERCENTAGE',
    make: (random, days) => ({
      readings: times(days, dayMs).map((at) => {
        const failed = Math.min(rows, random.poisson(rows * Math.min(passing, 1 - passing)))
        return { at, value: (100 * (passing > 0.5 ? rows - failed : failed)) / rows }
      }),
      unusual: new Set(),
    }),
  }
}

const hourly: SeriesKind = {
  name: 'daily (24 values a day)',
  perDay: 24,
  figure: 'NUMBER',
  make: (random, days) => ({
    readings: times(days * 24, hourMs).map((at) => {
      const hour = new Date(at).getUTCHours()
      return { at, value: noisy(5_000 * (1.2 + Math.sin((2 * Math.PI * hour) / 24)), random) }
    }),
    unusual: new Set(),
  }),
}

/** Up by 60 % from day 60 on. Two weeks from then on are unusual. */
export const shiftDay = 60
export const shiftedKind: SeriesKind = {
  name: 'level shift',
  perDay: 1,
  figure: 'NUMBER',
  make: (random, days) => ({
    readings: times(days, dayMs).map((at, day) => ({ at, value: noisy(day < shiftDay ? 10_000 : 16_000, random) })),
    unusual: new Set(Array.from({ length: 14 }, (_, index) => shiftDay + index)),
  }),
}

/** Weekly, and one day in forty is a holiday with a fifth of the values. */
const holidays: SeriesKind = {
  name: 'weekly with holidays',
  perDay: 1,
  figure: 'NUMBER',
  make(random, days) {
    const unusual = new Set<number>()
    const readings = times(days, dayMs).map((at, day) => {
      const isHoliday = random.uniform() < 1 / 40
      if (isHoliday) unusual.add(day)
      return { at, value: noisy(weekly(at, day) * (isHoliday ? 0.2 : 1), random) }
    })
    return { readings, unusual }
  },
}

/** A weekend of 42 %, noise of 5 % and a rise of 0.1 % a day. */
export const weeklyKind: SeriesKind = daily('weekly', (day, at, random) => noisy(weekly(at, day), random))
export const flatKind: SeriesKind = daily('flat', (_, __, random) => noisy(10_000, random))

export const seriesKinds: readonly SeriesKind[] = [
  flatKind,
  weeklyKind,
  hourly,
  daily('trend (+1 % a day)', (day, _, random) => noisy(10_000 * 1.01 ** day, random)),
  shiftedKind,
  holidays,
  daily('sparse counts (mean 2)', (_, __, random) => random.poisson(2)),
  daily('rare counts (mean 0.2)', (_, __, random) => random.poisson(0.2)),
  share('percentage near 100', 0.995, 1_000),
  share('percentage near 0', 0.005, 1_000),
]
