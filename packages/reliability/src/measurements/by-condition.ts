import { type Comparison, itemKindOf } from '@assay/contracts'
import type { Bound } from '@assay/data-engine'
import { boundsOf, meets, readCondition } from '../comparison.ts'
import { parseMeasured } from '../exact.ts'
import { allOrNothing, byNumber, byPercentage, type Found, type RangedOutcome, textProblem } from '../item-outcome.ts'
import { hasOwnThreshold } from '../threshold.ts'
import { parseInstant } from '../times.ts'

/**
 * 100 if the value meets the condition, else 0. The threshold judges the number instead if there is no condition, or if
 * the item's kind prefers its own threshold (`thresholdFirst`).
 */
export function judgeByCondition(found: Found, comparison: Comparison): RangedOutcome {
  const { item, text, base } = found
  const condition = readCondition(comparison)
  const { thresholdFirst } = itemKindOf(item.measurementType)
  if (condition === undefined || (thresholdFirst && hasOwnThreshold(item))) return byNumber(found)
  const problem = boundsOf(condition).flatMap((bound) => problemWith(found, bound) ?? [])[0]
  if (problem !== undefined) return { ...base, error: problem }
  const met = meets(text, condition)
  if (met !== undefined) return byPercentage(found, allOrNothing(met))
  return { ...base, error: `The value '${text}' cannot be compared with '${boundsOf(condition)[0].text}'.` }
}

/** Refuses to compare numbers with text: bad data must not change the order by which a column is compared. */
function problemWith(found: Found, { kind, text: bound }: Bound): string | undefined {
  const { text, isText } = found
  switch (kind) {
    case 'number':
      return isText ? textProblem(found, `the number ${bound}`) : undefined
    case 'date':
    case 'time':
      return isText && parseInstant(text) === undefined ? textProblem(found, `the date ${bound}`) : undefined
    case 'text': {
      const isOther = !isText && (parseMeasured(text) !== undefined || parseInstant(text) !== undefined)
      return isOther ? `The value '${text}' cannot be compared with the text '${bound}'.` : undefined
    }
    default:
      return kind satisfies never
  }
}
