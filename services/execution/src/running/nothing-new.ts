import type { RunResult } from '../execution/run.ts'

/**
 * Outcomes of an INCREMENTAL run above whose mark nothing lies. What zero rows are to the policy stays as it is (an error
 * unless `treatZeroRowsAsSuccess`); a note says why there were none. Pure.
 */
export function withNothingNew<Judged extends Pick<RunResult, 'outcomes'>>(judged: Judged, mark: string): Judged {
  const note = `Nothing has come since the mark ${mark}; with treatZeroRowsAsSuccess that is a success.`
  return {
    ...judged,
    outcomes: judged.outcomes.map((outcome) =>
      outcome.rowsScanned === 0 && outcome.error !== null ? { ...outcome, note } : outcome,
    ),
  }
}
