import { isOfFamily, type PolicyAnswer } from '@assay/contracts'
import type { KindPolicy, RunKind } from '../kinds/run-kind.ts'
import { needsOf, readsOf } from '../measurements/item-reads.ts'
import { timesOf } from '../periods/definition.ts'
import { keptQuality, openQuality, type QualityPolicy, runItems } from './definition.ts'
import { judgeQuality } from './judge.ts'
import { judgeQualityAgain } from './judge-again.ts'
import { sensitivitiesOf } from './periods.ts'
import { planPeriods, planQuality } from './plan.ts'
import { qualityRecords } from './records.ts'
import { qualityRefusal } from './refusal.ts'
import { lookBacksOf } from './series.ts'
import { qualityProblem } from './what-if-problem.ts'

function policyOf(policy: QualityPolicy): KindPolicy {
  const { score, shown, sides, timeoutMinutes, treatZeroRowsAsSuccess } = policy
  const itemsOf = (selection: readonly number[] | null) => runItems(policy, selection)
  return {
    typeName: 'DQ_RULE_TYPE_EXECUTION',
    sides,
    timeoutMinutes,
    needs: (_side, selection) => needsOf(itemsOf(selection)),
    reads: (selection) =>
      itemsOf(selection).map((item) => {
        const reads = readsOf(item)
        const times = sensitivitiesOf(item) === undefined ? [] : timesOf(policy.periods)
        return { itemId: item.id, side: 'ONE', ...reads, columns: [...reads.columns, ...times] }
      }),
    hasItem: (itemId) => policy.items.some(({ id }) => id === itemId),
    refusal: (request) => qualityRefusal(policy, request),
    step: (run, found) => (found.length === 0 ? [planQuality(policy, run), ...planPeriods(policy, run)] : []),
    lookBacks: (run) => lookBacksOf(policy, run),
    judge: (run, found, past) => judgeQuality(policy, run, found, past),
    judgeAgain: (run, before) => judgeQualityAgain(policy, run, before),
    shown: (itemSelection) => ({
      ...shown,
      thresholdLevel: score.threshold,
      verdictBy: score.verdictBy,
      participatingColumns: [...new Set(itemsOf(itemSelection).flatMap(({ columnName }) => columnName ?? []))].sort(),
      policyResultStatusStrategy: score.strategy,
      rightSparkSQLFilterType: 'STATIC',
      filter: sides[0].filter,
      rightFilter: null,
      treatZeroRowsAsSuccess,
    }),
    records: (run) => qualityRecords(itemsOf(run.itemSelection), run),
  }
}

/** Data quality: items on one table, each with a verdict. */
export const quality: RunKind = {
  keep: (policy: PolicyAnswer, settings) => {
    if (!isOfFamily(policy, 'quality'))
      throw new Error(`A policy of type ${policy.rule.type} is not a data quality policy.`)
    return keptQuality(policy, settings)
  },
  open: (kept) => {
    const opened = openQuality(kept)
    return (policyVersion) => policyOf(opened(policyVersion))
  },
  storesRows: 'FAILED',
  whatIfProblem: qualityProblem,
}
