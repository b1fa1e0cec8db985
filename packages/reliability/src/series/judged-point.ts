import { numberOf } from '../exact.ts'
import { exactOfFigure } from './figure.ts'
import type { SeriesKey } from './series-key.ts'

/** The values that pass. `null`: no limit on that side. */
export interface Range {
  lower: number | null
  upper: number | null
}

/** A value of a run as it was judged. */
export interface JudgedPoint extends Range {
  /** The item; `null` for the score of the policy. */
  itemId: number | null
  /** What was measured, such as PERCENTAGE, NUMBER or SCORE. */
  metric: string
  columnName: string | null
  /** The series of the value; `null` if later runs are not compared with it. */
  key: SeriesKey | null
  /** Text of `figureOf`. */
  value: string
  fired: boolean
  /** The end of the value's period, epoch milliseconds. Absent for a value of the whole run. */
  periodEnd?: number
}

/** The points of a run, and the values for later comparison, by series. */
export function judgedPoints(judged: JudgedPoint[]): { points: Record<SeriesKey, string>; judged: JudgedPoint[] } {
  const points = judged.flatMap(({ key, value, periodEnd }): [SeriesKey, string][] =>
    key === null || periodEnd !== undefined ? [] : [[key, value]],
  )
  return { points: Object.fromEntries(points), judged }
}

/** The value of a point as a finite double. */
export function valueOfPoint({ value }: Pick<JudgedPoint, 'value'>): number {
  const most = Number.MAX_VALUE
  return Math.min(Math.max(numberOf(exactOfFigure(value)), -most), most)
}

/** No limits, or limits that are not a range of values. */
export const anyValue: Range = { lower: null, upper: null }

/** A range as JSON can hold it. */
export function finiteRange(lower: number | null, upper: number | null): Range {
  const finite = (limit: number | null) => (limit !== null && Number.isFinite(limit) ? limit : null)
  return { lower: finite(lower), upper: finite(upper) }
}
