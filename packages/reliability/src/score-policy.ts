import type { ScoreStrategy } from '@assay/contracts'
import { addExact, compareExact, divideExact, type Exact, exactOf, exactZero, multiplyExact } from './exact.ts'
import { judgeByHistory } from './history.ts'
import type { ItemOutcome } from './judge-item.ts'
import { passingPercentage, shownPercentage } from './percentage.ts'
import { judge, readThreshold, type ThresholdRecord, type Verdict } from './threshold.ts'

export interface ScoredItem {
  name: string
  weightage: number
  isWarning: boolean
  outcome: ItemOutcome
}

export interface PolicyScore {
  /** 0 to 100, four decimals; null when there is nothing to score. */
  qualityScore: number | null
  verdict: Verdict
  /** Why there is no score, or no verdict by it. */
  error: string | null
}

/** An item that could not be evaluated counts 0; row counts give the exact percentage where there are any. */
function countedPercentage({ outcome }: ScoredItem): Exact {
  if (outcome.error !== null || outcome.resultPercentage === null) return exactZero
  return outcome.rowsScanned !== null && outcome.rowsFailed !== null && outcome.rowsScanned > 0
    ? passingPercentage(outcome.rowsScanned, outcome.rowsFailed)
    : exactOf(outcome.resultPercentage)
}

/** Where all weights are 0, each item counts the same. */
function weightedMean(items: readonly ScoredItem[]): Exact {
  const noWeights = items.every((item) => item.weightage === 0)
  let [sum, weights] = [exactZero, exactZero]
  for (const item of items) {
    const weight = exactOf(noWeights ? 1 : item.weightage)
    sum = addExact(sum, multiplyExact(weight, countedPercentage(item)))
    weights = addExact(weights, weight)
  }
  return divideExact(sum, weights)
}

function lowest(items: readonly ScoredItem[]): Exact | undefined {
  return items
    .map(countedPercentage)
    .reduce<Exact | undefined>(
      (least, next) => (least === undefined || compareExact(next, least) < 0 ? next : least),
      undefined,
    )
}

/**
 * A policy's score and verdict from its items' outcomes. WEIGHTAGE: weighted mean; RULES: the lowest; CUSTOM: weighted
 * mean of the items named in `scoreItems`. The score is judged by the policy's threshold; where all failing items are
 * warnings, the verdict is WARNING at worst. The order of the items does not matter.
 */
export function scorePolicy(input: {
  strategy: ScoreStrategy
  scoreItems: readonly string[]
  thresholdLevel: ThresholdRecord
  outcomes: readonly ScoredItem[]
  /** Scores of earlier runs, and when this one began, for thresholds that compare with them. */
  past?: readonly { score: number; at: number }[]
  now?: number
}): PolicyScore {
  const items =
    input.strategy === 'CUSTOM' ? input.outcomes.filter((item) => input.scoreItems.includes(item.name)) : input.outcomes
  const score = input.strategy === 'RULES' ? lowest(items) : items.length === 0 ? undefined : weightedMean(items)
  if (score === undefined)
    return { qualityScore: null, verdict: 'ERRORED', error: 'No item that counts in the score was evaluated.' }
  const read = readThreshold(input.thresholdLevel)
  if ('problem' in read) {
    return { qualityScore: shownPercentage(score, () => true), verdict: 'ERRORED', error: read.problem }
  }
  if ('comparing' in read) {
    const past = (input.past ?? []).map(({ score: value, at }) => ({ value: exactOf(value), at }))
    const compared = judgeByHistory(score, read.comparing, past, input.now ?? Number.POSITIVE_INFINITY)
    const qualityScore = shownPercentage(score, () => true)
    return { qualityScore, verdict: 'note' in compared ? 'SUCCESSFUL' : compared.verdict, error: null }
  }
  const sideOf = (percentage: Exact) => judge(percentage, read.threshold)
  const failing = items.filter((item) => item.outcome.verdict !== 'SUCCESSFUL')
  const onlyWarnings = failing.length > 0 && failing.every((item) => item.isWarning)
  const verdict = sideOf(score)
  return {
    qualityScore: shownPercentage(score, sideOf),
    verdict: verdict === 'ERRORED' && onlyWarnings ? 'WARNING' : verdict,
    error: null,
  }
}
