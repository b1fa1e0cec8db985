import type { ItemRecord } from '@assay/contracts'
import type { KnownRun } from '../versions/versions.ts'

/** The items that a run looks at, in their order: those selected, else all that are not archived. */
export function runItems({ definition, itemSelection }: Pick<KnownRun, 'definition' | 'itemSelection'>): ItemRecord[] {
  const selected = itemSelection === null ? undefined : new Set(itemSelection)
  return definition.items
    .filter((item) => !item.isArchived && (selected === undefined || selected.has(item.id)))
    .sort((a, b) => a.executionOrder - b.executionOrder || a.id - b.id)
}
