import type { StartRequest } from '@assay/contracts'
import type { Refusal } from '../kinds/run-kind.ts'
import { startRefusal } from '../start-refusal.ts'
import type { DataDriftPolicy } from './definition.ts'

/** Why a start request is refused. Needs only the definition, not the table. Pure. */
export function dataDriftRefusal({ items, marker }: DataDriftPolicy, request: StartRequest): Refusal | undefined {
  return startRefusal(request, { items, hasMarker: marker !== null })
}
