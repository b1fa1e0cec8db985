import { type Comparison, itemKindOf } from '@assay/contracts'
import { meets, readCondition } from '../comparison.ts'
import { parseMeasured } from '../exact.ts'
import { allOrNothing, byNumber, byPercentage, type Found, type ItemOutcome } from '../item-outcome.ts'
import { hasOwnThreshold } from '../threshold.ts'
import { parseMoment } from '../times.ts'

/**
 * 100 where the value meets the condition, else 0; without one its number against the threshold. `isOfAnyKind`: it may be
 * text, and a bound that looks like a number or a date is then text as well.
 */
export function judgeByCondition(found: Found, comparison: Comparison, isOfAnyKind: boolean): ItemOutcome {
  const { item, text, base } = found
  const condition = readCondition(comparison)
  const { thresholdFirst } = itemKindOf(item.measurementType)
  if (condition === undefined || (thresholdFirst && hasOwnThreshold(item))) return byNumber(found)
  const met = meets(text, condition) ?? (isOfAnyKind ? meetsAsText(text, comparison) : undefined)
  if (met !== undefined) return byPercentage(found, allOrNothing(met))
  const bound = condition.operator === 'BETWEEN' ? condition.min : condition.bound
  return { ...base, error: `The value '${text}' cannot be compared with '${bound.text}'.` }
}

function meetsAsText(text: string, comparison: Comparison): boolean | undefined {
  if (parseMeasured(text) !== undefined || parseMoment(text) !== undefined) return undefined
  const condition = readCondition(comparison, (operand) => ({ kind: 'text', text: String(operand) }))
  return condition && meets(text, condition)
}
