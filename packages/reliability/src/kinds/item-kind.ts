import type { ItemExecution } from '@assay/contracts'

/** What the item of a record checks; `null` if the policy has no items of its own. Pure. */
export function itemKindOf({ item }: Pick<ItemExecution, 'item'>): string | null {
  return item !== null && 'measurementType' in item ? String(item.measurementType) : null
}
