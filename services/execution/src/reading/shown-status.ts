import type { ExecutionResult } from '@assay/contracts'
import { resultStatusOf } from '../execution/statuses.ts'
import type { ShownExecution } from './masked-outcomes.ts'

/** The verdict as the caller may see it. */
export function shownResultStatusOf(state: ShownExecution): ExecutionResult['result']['status'] {
  return state.hidden === undefined ? resultStatusOf(state) : 'HIDDEN'
}
