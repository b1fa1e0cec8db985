import type { ComparisonFigures } from '@assay/contracts'
import { compareExact, type Exact, exactHundred, exactZero } from '../../exact.ts'
import { allOrNothing } from '../../item-outcome.ts'
import { passingPercentage } from '../../percentage.ts'
import type { ComparisonPolicy } from '../definition.ts'
import type { Judgement, Measure, MeasuredSides } from './measure.ts'

/** The figures of compared rows. Tables with different columns have no equal rows. Pure. */
function figuresOf({ compared, rows }: MeasuredSides): ComparisonFigures {
  if (compared === null)
    return {
      ...{ leftRows: rows.left, rightRows: rows.right, equal: 0, changed: 0, onlyLeft: rows.left },
      ...{ onlyRight: rows.right, leftDuplicateKeys: 0, rightDuplicateKeys: 0, leftNullKeys: 0, rightNullKeys: 0 },
      columns: [],
    }
  const { left, right, equal, changed, onlyLeft, onlyRight, columns } = compared
  return {
    ...{ leftRows: left.rows, rightRows: right.rows, equal, changed, onlyLeft, onlyRight },
    ...{ leftDuplicateKeys: left.duplicateKeys, rightDuplicateKeys: right.duplicateKeys },
    ...{ leftNullKeys: left.nullKeys, rightNullKeys: right.nullKeys },
    columns: columns.map((one) => ({ leftColumnName: one.left, rightColumnName: one.right, changed: one.changed })),
  }
}

/**
 * The rows that fail by the join type: changed rows, and rows without a counterpart on a side where one is required.
 * Pure.
 */
export function failedRows(
  { changed, onlyLeft, onlyRight }: Pick<ComparisonFigures, 'changed' | 'onlyLeft' | 'onlyRight'>,
  joinType: ComparisonPolicy['joinType'],
): number {
  const left = joinType === 'FULL' || joinType === 'LEFT' ? onlyLeft : 0
  const right = joinType === 'FULL' || joinType === 'RIGHT' ? onlyRight : 0
  return changed + left + right
}

/** The percentage of equal rows among the rows that can fail. 0 if one side is empty. Pure. */
function percentageOf(equal: number, failed: number, isOneEmpty: boolean): Exact {
  return equal + failed === 0 ? (isOneEmpty ? exactZero : exactHundred) : passingPercentage(equal + failed, failed)
}

function byRows(found: MeasuredSides): Judgement {
  const comparison = figuresOf(found)
  const { equal, changed, onlyLeft, onlyRight, leftRows, rightRows } = comparison
  const failed = failedRows(comparison, found.policy.joinType)
  const warned = found.compared?.warned ?? 0
  return {
    percentage: percentageOf(equal, failed, leftRows + rightRows > 0),
    scanned: equal + failed,
    failed,
    warned,
    ...(warned === 0
      ? {}
      : { unwarned: { percentage: passingPercentage(equal + failed, failed - warned), failed: failed - warned } }),
    figures: { left: String(leftRows), right: String(rightRows) },
    failedOf: { left: changed + onlyLeft, right: changed + onlyRight },
    comparison,
  }
}

const noReads = { asks: () => [], reads: () => ({}) } as const

/** The share of equal rows. */
export const rows: Measure = { ...noReads, compares: 'ROWS', needsRows: true, judge: (_item, found) => byRows(found) }

/** Whether all rows are equal. */
export const hashes: Measure = {
  ...noReads,
  compares: 'HASHES',
  needsRows: true,
  judge: (_item, found) => {
    const { percentage, warned = 0, unwarned, figures } = byRows(found)
    const isWhole = (share: Exact) => allOrNothing(compareExact(share, exactHundred) === 0)
    return {
      ...{ percentage: isWhole(percentage), scanned: null, failed: null, figures, warned },
      ...(unwarned === undefined ? {} : { unwarned: { percentage: isWhole(unwarned.percentage), failed: null } }),
    }
  },
}
