import type { ItemOutcome } from '../item-outcome.ts'
import type { JudgedRun } from '../kinds/judging.ts'
import { scorePolicy } from '../score-policy.ts'
import type { Range } from '../series/judged-point.ts'
import type { ArrivalPolicy } from './definition.ts'
import type { ArrivalFindings } from './findings.ts'

export type Outcome = Omit<ItemOutcome, 'detail'> & { detail?: ArrivalFindings }

/**
 * A verdict or the reason why there is none, with its findings. `range`: the numbers that pass; absent if these are not
 * a range.
 */
export type Finding = Pick<Outcome, 'verdict' | 'resultPercentage' | 'note'> & {
  error?: string
  range?: Range
  detail: Partial<ArrivalFindings>
}

/** The percentage of a verdict: 100 or 0. Pure. */
export const passing = (passes: boolean): Pick<Outcome, 'verdict' | 'resultPercentage'> =>
  passes ? { verdict: 'SUCCESSFUL', resultPercentage: 100 } : { verdict: 'ERRORED', resultPercentage: 0 }

/** The outcome of an item that could not be evaluated, without the reason. */
export const noOutcome: Omit<ItemOutcome, 'detail'> = {
  verdict: 'ERRORED',
  resultPercentage: null,
  rowsScanned: null,
  rowsFailed: null,
  value: null,
  error: null,
}

/** Data whose age equals its limit is still fresh, so the deadline is one step later. */
const afterMs = 1000

/** The verdict and the next deadline of a run, from the outcomes of its items. Pure. */
export function endOfRun(
  { score: { strategy, items: scoreItems, threshold: thresholdLevel, verdictBy } }: ArrivalPolicy,
  judged: readonly { item: { id: number; name: string }; outcome: Outcome }[],
): Omit<JudgedRun, 'learned' | 'points' | 'judged'> {
  const outcomes = judged.map(({ item, outcome }) => ({ name: item.name, weightage: 1, isWarning: false, outcome }))
  const score = scorePolicy({ strategy, scoreItems, thresholdLevel, verdictBy, outcomes })
  const deadlines = judged.flatMap(({ outcome }) => outcome.detail?.deadlineAt ?? []).map((at) => Date.parse(at))
  return {
    outcomes: judged.map(({ item, outcome }) => ({ itemId: item.id, ...outcome })),
    qualityScore: score.qualityScore,
    verdict: score.verdict,
    scoreError: score.error,
    ...(deadlines.length === 0 ? {} : { deadline: new Date(Math.min(...deadlines) + afterMs).toISOString() }),
  }
}
