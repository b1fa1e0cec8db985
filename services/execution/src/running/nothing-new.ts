import type { RunResult } from '../execution/run.ts'

/**
 * Outcomes of an INCREMENTAL run above whose mark nothing lies. The policy decides what zero rows mean (an error unless
 * `treatZeroRowsAsSuccess`); each item that looked at rows says why there were none. Pure.
 */
export function withNothingNew<Judged extends Pick<RunResult, 'outcomes'>>(judged: Judged, mark: string): Judged {
  const why = `Nothing has come since the mark ${mark}`
  return {
    ...judged,
    outcomes: judged.outcomes.map((outcome) => {
      if (outcome.rowsScanned !== 0) return outcome
      const note = outcome.error === null ? `${why}.` : `${why}; with treatZeroRowsAsSuccess that is a success.`
      return { ...outcome, note }
    }),
  }
}
