import { isOfFamily } from '@assay/contracts'
import type { KindPolicy, RunKind } from '../kinds/run-kind.ts'
import { allNeeds } from '../measurements/reads.ts'
import { startRefusal } from '../start-refusal.ts'
import { firstProblem, percentageThresholdProblem } from '../what-if/problem.ts'
import {
  type ComparisonPolicy,
  comparisonPolicy,
  itemsOf,
  keptComparison,
  type RunItem,
  runItems,
} from './definition.ts'
import { comparisonSummary, shownComparison } from './findings.ts'
import { judgeComparison } from './judge.ts'
import { judgeComparisonAgain } from './judge-again.ts'
import { selectOf } from './measures/custom.ts'
import type { Side } from './measures/measure.ts'
import { measures } from './measures/table.ts'
import { requestsOf } from './plan.ts'
import { comparisonRecords } from './records.ts'
import { comparisonLookBacks } from './series.ts'

const typeName = 'RECONCILIATION_RULE_TYPE_EXECUTION'
const bothSides = [
  ['LEFT', 'left'],
  ['RIGHT', 'right'],
] as const

function policyOf(policy: ComparisonPolicy, ruleVersion: number): KindPolicy {
  const { left, right, score, timeoutMinutes, delayMinutes = 0, treatZeroRowsAsSuccess } = policy
  const itemsIn = (selection: readonly number[] | null) => runItems(policy, selection)
  const selectsOf = (items: readonly RunItem[], side: Side) => items.flatMap((item) => selectOf(item, side) ?? [])
  return {
    typeName,
    sides: [
      { side: 'LEFT', ...left },
      { side: 'RIGHT', ...right },
    ],
    timeoutMinutes,
    delayMinutes,
    needs: (side, selection) =>
      allNeeds([{ selects: selectsOf(itemsIn(selection), side === 'RIGHT' ? 'right' : 'left') }]),
    reads: (selection) =>
      itemsIn(selection).flatMap((item) =>
        bothSides.map(([side, name]) => ({
          ...{ itemId: item.id, side, columns: [], sql: false, lookups: [] },
          ...measures[item.measurementType].reads(item, policy, name),
        })),
      ),
    hasItem: (itemId) => itemsOf(policy).some(({ id }) => id === itemId),
    refusal: (request) =>
      startRefusal(request, { items: itemsOf(policy), hasMarker: left.marker !== null || right.marker !== null }),
    step: (run, found) => requestsOf(policy, run, found),
    lookBacks: (run) => comparisonLookBacks(policy, run),
    judge: (run, found, past) => judgeComparison(policy, run, found, past),
    judgeAgain: (run, before) => judgeComparisonAgain(policy, run, before),
    shown: () => ({
      thresholdLevel: score.threshold,
      verdictBy: score.verdictBy,
      isProtectedResource: false,
      participatingColumns: [...new Set(policy.mappings.map(({ leftColumnName }) => leftColumnName))].sort(),
      policyResultStatusStrategy: score.strategy,
      sparkSQLFilterType: 'STATIC',
      rightSparkSQLFilterType: 'STATIC',
      autoRetryEnabled: false,
      filter: left.filter,
      rightFilter: right.filter,
      treatZeroRowsAsSuccess,
    }),
    records: (run) => comparisonRecords(policy, ruleVersion, run),
    comparison: (outcomes, isHidden) => shownComparison(policy, outcomes, isHidden),
    summary: comparisonSummary,
  }
}

const comparisonKind = (asksEquality: boolean): RunKind => ({
  keep: (policy) => {
    if (!isOfFamily(policy, 'reconciliation'))
      throw new Error(`A policy of type ${policy.rule.type} does not compare two tables.`)
    return keptComparison(policy, asksEquality)
  },
  open: (kept) => {
    const opened = comparisonPolicy.parse(kept.definition)
    return (policyVersion) => policyOf(opened, policyVersion)
  },
  storesRows: 'DIFFERING',
  whatIfProblem: (_changed, changes) => firstProblem(changes, percentageThresholdProblem),
})

/** Reconciliation: measures how far two tables agree. */
export const reconciliation = comparisonKind(false)

/** Equality: checks whether two tables are equal. */
export const equality = comparisonKind(true)
