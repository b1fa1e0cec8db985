import { comparison, type ItemRecord, itemKindOf } from '@assay/contracts'
import { boundsOf, readCondition } from '../comparison.ts'
import { exactOf, parseExact } from '../exact.ts'
import type { ItemOutcome } from '../item-outcome.ts'
import { passingPercentage } from '../percentage.ts'
import { hasOwnThreshold } from '../threshold.ts'
import { keptFigure } from './figure.ts'

/** The rate of rows that pass (100 or 0 where a condition is met or not), or a measured number. */
export type Figure = 'PERCENTAGE' | 'NUMBER'

/** What an item came to, as its series keep it. What could not be evaluated, or looked at no rows, measured nothing. */
export function figuresOf(item: ItemRecord, outcome: ItemOutcome): { figure: Figure; value: string }[] {
  const { resultPercentage, rowsScanned, rowsFailed, value, error } = outcome
  if (error !== null || resultPercentage === null || (rowsScanned === 0 && value === null)) return []
  const isCounted = rowsScanned !== null && rowsFailed !== null && rowsScanned > 0
  const percentage = isCounted ? passingPercentage(rowsScanned, rowsFailed) : exactOf(resultPercentage)
  const number = measuresNumber(item) && value !== null && isComparedAsNumber(item) ? parseExact(value) : undefined
  // Where the threshold judges the number itself, the percentage only says how it judged.
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

/** Text that reads as a number is none: what is compared with text or dates adds no number to a series. */
function isComparedAsNumber({ value }: ItemRecord): boolean {
  const compared = comparison.safeParse(value ?? {})
  const condition = compared.success ? readCondition(compared.data) : undefined
  return condition === undefined || boundsOf(condition).every(({ kind }) => kind === 'number')
}

/** Which figure a threshold of the item judges: a number that has to meet a condition is judged by whether it does. */
export function judgedFigure(item: ItemRecord): Figure {
  if (!measuresNumber(item)) return 'PERCENTAGE'
  const hasCondition = item.value?.operator != null
  return hasCondition && !(itemKindOf(item.measurementType).thresholdFirst && hasOwnThreshold(item))
    ? 'PERCENTAGE'
    : 'NUMBER'
}
