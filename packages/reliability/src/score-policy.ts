import type { ScoreStrategy, VerdictBasis } from '@assay/contracts'
import { addExact, compareExact, divideExact, type Exact, exactOf, exactZero, multiplyExact } from './exact.ts'
import { judgeByHistory } from './history.ts'
import type { ItemOutcome } from './item-outcome.ts'
import { passingPercentage, shownPercentage } from './percentage.ts'
import { figureOf } from './series/figure.ts'
import { anyValue, type Range } from './series/judged-point.ts'
import type { History } from './series/look-back.ts'
import { judge, rangeOf, readThreshold, type ThresholdRecord, type Verdict } from './threshold.ts'

export interface ScoredItem {
  name: string
  weightage: number
  isWarning: boolean
  outcome: ItemOutcome
}

export interface PolicyScore {
  /** 0 to 100, four decimals; null if there is nothing to score. */
  qualityScore: number | null
  verdict: Verdict
  /** The exact score as text, for the score's series (see `figureOf`); null without a score. */
  figure: string | null
  /** The scores that pass. */
  range: Range
  /** Why there is no score, or no verdict from the score. */
  error: string | null
}

/** An item that could not be evaluated counts as 0. If there are row counts, they give the exact percentage. */
function countedPercentage({ outcome }: ScoredItem): Exact {
  if (outcome.error !== null || outcome.resultPercentage === null) return exactZero
  return outcome.rowsScanned !== null && outcome.rowsFailed !== null && outcome.rowsScanned > 0
    ? passingPercentage(outcome.rowsScanned, outcome.rowsFailed)
    : exactOf(outcome.resultPercentage)
}

/** If all weights are 0, each item counts the same. */
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

/** An item with `isWarning` counts only if it passes, so that a failure does not lower the score. */
const counts = ({ isWarning, outcome }: ScoredItem) => !isWarning || outcome.verdict === 'SUCCESSFUL'

interface ScoreInput {
  strategy: ScoreStrategy
  scoreItems: readonly string[]
  thresholdLevel: ThresholdRecord
  verdictBy: VerdictBasis
  outcomes: readonly ScoredItem[]
  /** Scores of earlier runs, for thresholds that compare with them. Omitted for the first run. */
  history?: History
}

/**
 * A policy's score and verdict, from the outcomes of its items. The score is, for WEIGHTAGE, the weighted mean; for
 * RULES, the lowest percentage; for CUSTOM, the weighted mean of the items named in `scoreItems`. The verdict is the
 * worst one of all items (`verdictBy` ITEMS), or compares the score with the policy's threshold (SCORE). Independent of
 * the order of items.
 */
export function scorePolicy(input: ScoreInput): PolicyScore {
  const { strategy, outcomes } = input
  const chosen = strategy === 'CUSTOM' ? outcomes.filter((item) => input.scoreItems.includes(item.name)) : outcomes
  const items = chosen.filter(counts)
  const score = strategy === 'RULES' ? lowest(items) : items.length === 0 ? undefined : weightedMean(items)
  const byItems = input.verdictBy === 'ITEMS' && outcomes.length > 0
  if (score === undefined) {
    const isWarned = chosen.length > 0
    return {
      qualityScore: null,
      figure: null,
      range: anyValue,
      verdict: byItems ? worstVerdict(outcomes) : isWarned ? 'WARNING' : 'ERRORED',
      error: isWarned
        ? 'There is no score: only items with isWarning took part, and none of them passed.'
        : 'No item that counts in the score was evaluated.',
    }
  }
  const judged = byItems
    ? {
        qualityScore: shownPercentage(score, () => true),
        verdict: worstVerdict(outcomes),
        error: null,
        range: anyValue,
      }
    : judgeScore(score, input.thresholdLevel, input.history)
  return { ...judged, figure: figureOf(score) }
}

/** Items with `isWarning` are already limited to WARNING. */
function worstVerdict(items: readonly ScoredItem[]): Verdict {
  const has = (verdict: Verdict) => items.some(({ outcome }) => outcome.verdict === verdict)
  return has('ERRORED') ? 'ERRORED' : has('WARNING') ? 'WARNING' : 'SUCCESSFUL'
}

/** The verdict on an exact score by a threshold. Pure. */
export function judgeScore(
  score: Exact,
  thresholdLevel: ThresholdRecord,
  history?: History,
): Omit<PolicyScore, 'figure'> {
  const read = readThreshold(thresholdLevel)
  if ('problem' in read) {
    return {
      qualityScore: shownPercentage(score, () => true),
      verdict: 'ERRORED',
      error: read.problem,
      range: anyValue,
    }
  }
  if ('comparing' in read) {
    const { verdict, range } = judgeByHistory(score, read.comparing, history ?? { now: 0, days: [] }, 'PERCENTAGE')
    return { qualityScore: shownPercentage(score, () => true), verdict, error: null, range }
  }
  const sideOf = (percentage: Exact) => judge(percentage, read.threshold)
  const range = rangeOf(read.threshold)
  return { qualityScore: shownPercentage(score, sideOf), verdict: sideOf(score), error: null, range }
}
