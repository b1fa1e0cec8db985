import type { ExecutionAnswer } from '@assay/contracts'
import type { ShownExecution } from './masked-outcomes.ts'

/**
 * Score and item verdicts of a run for lists; null until the run has ended, or if they are hidden from the caller.
 * Pure.
 */
export function runFiguresOf(state: ShownExecution | undefined): Pick<ExecutionAnswer, 'qualityScore' | 'itemCounts'> {
  if (state?.status !== 'succeeded' || state.hidden !== undefined) return { qualityScore: null, itemCounts: null }
  const { outcomes, qualityScore } = state.result
  const count = (verdict: string) => outcomes.filter((outcome) => outcome.verdict === verdict).length
  const itemCounts = { SUCCESSFUL: count('SUCCESSFUL'), WARNING: count('WARNING'), ERRORED: count('ERRORED') }
  return { qualityScore, itemCounts }
}
