import { dayMs } from '../series/series-day.ts'
import { medianOfSorted, sortedWindow, valueAt } from './medians.ts'

/** The level follows a trend or shift within a week: it is the median of two weeks, or of the last fourteen values. */
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
 * The level before each value, and after the last one before `now` (one more than values). Values of the first window
 * have its median, because too few precede them.
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
