import type { ExecutionResult, ItemVerdict } from '@assay/contracts'
import type { ItemOutcome } from '../execution/run.ts'
import { resultStatusOf } from '../execution/statuses.ts'
import type { ShownExecution } from './masked-outcomes.ts'

/** The verdict as the caller may see it. */
export function shownResultStatusOf(state: ShownExecution): ExecutionResult['result']['status'] {
  return state.hidden === undefined ? resultStatusOf(state) : 'HIDDEN'
}

/** The verdict of an item as the caller may see it. */
export function shownVerdictOf(state: ShownExecution, { itemId, verdict }: ItemOutcome): ItemVerdict | 'HIDDEN' {
  return state.hidden?.items.has(itemId) === true ? 'HIDDEN' : verdict
}
