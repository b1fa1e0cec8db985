import type { ItemRecord } from '@assay/contracts'
import type { KnownRun } from '../versions/versions.ts'

/** The items that a run looks at, in their order: those selected, else all that are not archived. */
export function runItems({
  definition,
  itemSelection,
}: Pick<KnownRun, 'definition' | 'itemSelection'>): readonly ItemRecord[] {
  return definition.items(itemSelection)
}
