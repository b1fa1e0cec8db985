import { dayMs } from '../series/series-day.ts'
import { medianOfSorted, sortedWindow, valueAt } from './medians.ts'

/**
 * The level is the median of the last two weeks, or of the last fourteen values. So it follows a trend or shift within
 * a week.
 */
const levelMs = 14 * dayMs
const levelPoints = 14

/** The times of a series, ascending, and where its first window of the level ends. */
export interface Times {
  at: Float64Array
  firstWindow: number
}

export function timesOf(at: Float64Array): Times {
  const end = valueAt(at, 0) + levelMs
  let firstWindow = Math.min(levelPoints, at.length)
  while (firstWindow < at.length && valueAt(at, firstWindow) < end) firstWindow += 1
  return { at, firstWindow }
}

/**
 * The level before each value and, as the last element, the level at `now`. The values of the first window have its
 * median as level, because too few values precede them.
 */
export function levelsOf(values: Float64Array, { at, firstWindow }: Times, now: number): Float64Array {
  const levels = new Float64Array(values.length + 1)
  const first = values.slice(0, firstWindow).sort()
  levels.fill(medianOfSorted(first), 0, firstWindow)
  const window = sortedWindow(values.length)
  let oldest = 0
  for (let index = 0; index <= values.length; index += 1) {
    const time = index === values.length ? now : valueAt(at, index)
    while (window.size() > levelPoints && valueAt(at, oldest) < time - levelMs) {
      window.remove(valueAt(values, oldest))
      oldest += 1
    }
    if (index >= firstWindow) levels[index] = window.median()
    if (index < values.length) window.add(valueAt(values, index))
  }
  return levels
}
