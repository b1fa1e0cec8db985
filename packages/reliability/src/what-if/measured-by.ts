import { isDataQuality, itemKindOf, type PolicyAnswer } from '@assay/contracts'

/** Whether the `value` of an item decides what it measures, and not only the limit of that. Pure. */
export function isMeasuredBy(policy: PolicyAnswer, itemId: number): boolean {
  if (!isDataQuality(policy)) return false
  const item = policy.details.items.find(({ id }) => id === itemId)
  return item !== undefined && itemKindOf(item.measurementType).measures === 'ROWS'
}
