import { dayMs } from '../series/series-day.ts'

const hourMs = 3_600_000

/** The values to compare with: all values, or values at the same phase of a cycle. Times are those of a wall clock. */
export type SeasonName = 'NONE' | 'DAY_OF_WEEK' | 'HOUR_OF_DAY' | 'HOUR_OF_WEEK'

export interface Season {
  name: Exclude<SeasonName, 'NONE'>
  cycleMs: number
  phases: number
  phaseOf(at: number): number
  /** Whether its phases are hours. */
  isHourly: boolean
}

/** 1 January 1970 was a Thursday. */
const dayOfWeek = (at: number) => (Math.floor(at / dayMs) + 4) % 7
export const hourOfDay = (at: number) => Math.floor(at / hourMs) % 24

/** From the simplest to the most detailed. */
export const seasons: readonly Season[] = [
  { name: 'DAY_OF_WEEK', cycleMs: 7 * dayMs, phases: 7, phaseOf: dayOfWeek, isHourly: false },
  { name: 'HOUR_OF_DAY', cycleMs: dayMs, phases: 24, phaseOf: hourOfDay, isHourly: true },
  {
    name: 'HOUR_OF_WEEK',
    cycleMs: 7 * dayMs,
    phases: 168,
    phaseOf: (at) => dayOfWeek(at) * 24 + hourOfDay(at),
    isHourly: true,
  },
]

/** Minimum number of cycles before a season counts (decision 101). */
export const minCycles = 3
