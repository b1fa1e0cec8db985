import type { ExecutionAnswer } from '@assay/contracts'
import type { ShownExecution } from './masked-outcomes.ts'

/**
 * Score and item verdicts of a run, as lists show them; null if there are none yet, or if they depend on protected
 * values. Pure.
 */
export function runFiguresOf(state: ShownExecution | undefined): Pick<ExecutionAnswer, 'qualityScore' | 'itemCounts'> {
  if (state?.status !== 'succeeded' || state.hidden !== undefined) return { qualityScore: null, itemCounts: null }
  const { outcomes, qualityScore } = state.result
  const count = (verdict: string) => outcomes.filter((outcome) => outcome.verdict === verdict).length
  const itemCounts = { SUCCESSFUL: count('SUCCESSFUL'), WARNING: count('WARNING'), ERRORED: count('ERRORED') }
  return { qualityScore, itemCounts }
}
