export { kindOfType } from './column-types.ts'
export type { PlannedColumn, Problem } from './definition.ts'
export { type Dimension, dimensionOf } from './dimension.ts'
export { type ItemOutcome, type JudgeItem, judgeItem } from './judge-item.ts'
export { type PlannedItem, planItem } from './plan-item.ts'
export { type PolicyScore, type ScoredItem, scorePolicy } from './score-policy.ts'
export {
  hasOwnThreshold,
  thresholdOfPercentage,
  thresholdProblem,
  thresholdRecordOf,
  type Verdict,
} from './threshold.ts'
export { parseDuration } from './times.ts'
