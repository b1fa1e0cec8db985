import type { StartRequest } from '@assay/contracts'
import type { Refusal } from '../kinds/run-kind.ts'
import { startRefusal } from '../start-refusal.ts'
import type { QualityPolicy } from './definition.ts'

/** Why a start request is refused. Needs only the definition, not the table. Pure. */
export function qualityRefusal({ items, sides }: QualityPolicy, request: StartRequest): Refusal | undefined {
  const hasMarker = sides.every(({ marker }) => marker !== null)
  return startRefusal(request, { items: items.filter(({ isArchived }) => !isArchived), hasMarker })
}
