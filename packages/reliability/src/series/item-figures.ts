import { comparison, type ItemRecord, itemKindOf } from '@assay/contracts'
import { boundsOf, readCondition } from '../comparison.ts'
import { exactOf, parseExact } from '../exact.ts'
import type { ItemOutcome } from '../item-outcome.ts'
import { passingPercentage } from '../percentage.ts'
import { hasOwnThreshold } from '../threshold.ts'
import { keptFigure } from './figure.ts'

/** PERCENTAGE: the percentage of rows that pass (100 or 0 for a condition). NUMBER: a measured number. */
export type Figure = 'PERCENTAGE' | 'NUMBER'

/** The values that an item's outcome adds to its series. None if the item could not be evaluated or saw no rows. */
export function figuresOf(item: ItemRecord, outcome: ItemOutcome): { figure: Figure; value: string }[] {
  const { resultPercentage, rowsScanned, rowsFailed, value, error } = outcome
  if (error !== null || resultPercentage === null || (rowsScanned === 0 && value === null)) return []
  const isCounted = rowsScanned !== null && rowsFailed !== null && rowsScanned > 0
  const percentage = isCounted ? passingPercentage(rowsScanned, rowsFailed) : exactOf(resultPercentage)
  const number = measuresNumber(item) && value !== null && isComparedAsNumber(item) ? parseExact(value) : undefined
  // If the threshold judges the number itself, the percentage only repeats its verdict.
  const rate = judgedFigure(item) === 'PERCENTAGE' ? keptFigure(percentage) : undefined
  const kept = [
    { figure: 'PERCENTAGE' as const, value: rate },
    { figure: 'NUMBER' as const, value: number && keptFigure(number) },
  ]
  return kept.flatMap(({ figure, value }) => (value === undefined ? [] : [{ figure, value }]))
}

export function measuresNumber({ measurementType }: ItemRecord): boolean {
  return itemKindOf(measurementType).measures === 'NUMBER'
}

/** Items that compare with text or dates add no number to a series, even if the text looks like one. */
function isComparedAsNumber({ value }: ItemRecord): boolean {
  const compared = comparison.safeParse(value ?? {})
  const condition = compared.success ? readCondition(compared.data) : undefined
  return condition === undefined || boundsOf(condition).every(({ kind }) => kind === 'number')
}

/**
 * Whether the item's threshold judges the percentage or the number. For a number with a condition, it judges the
 * percentage.
 */
export function judgedFigure(item: ItemRecord): Figure {
  if (!measuresNumber(item)) return 'PERCENTAGE'
  const hasCondition = item.value?.operator != null
  return hasCondition && !(itemKindOf(item.measurementType).thresholdFirst && hasOwnThreshold(item))
    ? 'PERCENTAGE'
    : 'NUMBER'
}
