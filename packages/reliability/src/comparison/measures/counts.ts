import { exactHundred } from '../../exact.ts'
import { allOrNothing } from '../../item-outcome.ts'
import { passingPercentage } from '../../percentage.ts'
import type { Judgement, Measure, MeasuredSides } from './measure.ts'

const shared = { compares: null, needsRows: true, asks: () => [], reads: () => ({}) } as const
const countsOf = ({ rows: { left, right } }: MeasuredSides): Omit<Judgement, 'percentage'> => ({
  ...{ scanned: null, failed: null },
  figures: { left: String(left), right: String(right) },
})

/** The smaller number of rows in percent of the larger one. */
export const count: Measure = {
  ...shared,
  judge: (_item, found) => {
    const { left, right } = found.rows
    const [smaller, larger] = [Math.min(left, right), Math.max(left, right)]
    const percentage = larger === 0 ? exactHundred : passingPercentage(larger, larger - smaller)
    return { ...countsOf(found), percentage }
  },
}

/** Whether both sides have the same number of rows. */
export const sameCount: Measure = {
  ...shared,
  judge: (_item, found) => ({ ...countsOf(found), percentage: allOrNothing(found.rows.left === found.rows.right) }),
}
