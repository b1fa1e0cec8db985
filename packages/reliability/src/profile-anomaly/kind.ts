import { isOfFamily, profileMetrics, type WatchedMetric } from '@assay/contracts'
import type { RunGiven, RunRequest } from '../kinds/judging.ts'
import type { KindPolicy, RunKind } from '../kinds/run-kind.ts'
import { noNeeds } from '../measurements/reads.ts'
import { timesOf } from '../periods/definition.ts'
import { boundVariables } from '../references.ts'
import { startRefusal } from '../start-refusal.ts'
import { firstProblem, scoreProblem, usualOnly } from '../what-if/problem.ts'
import { type AnomalyPolicy, anomalyPolicy, itemsOf, keptAnomaly, type RunItem, runItems } from './definition.ts'
import { judgeAnomalies } from './judge.ts'
import { judgeAnomaliesAgain } from './judge-again.ts'
import { periodsRequest, watchedPeriods } from './periods.ts'
import { anomalyRecords, anomalySummary } from './records.ts'
import { anomalyLookBacks, columnsOf, isOfSource } from './series.ts'

function policyOf(policy: AnomalyPolicy, typeName: string, ruleVersion: number): KindPolicy {
  const { assetId, filter, marker, score, timeoutMinutes, treatZeroRowsAsSuccess } = policy
  return {
    typeName,
    sides: [{ side: 'ONE', assetId, filter, marker }],
    timeoutMinutes,
    needs: () => noNeeds,
    reads: (selection) => runItems(policy, selection).map((item) => readsOf(policy, item)),
    hasItem: (itemId) => itemsOf(policy).some(({ id }) => id === itemId),
    refusal: (request) => startRefusal(request, { items: itemsOf(policy), hasMarker: marker !== null }),
    step: (run, found) => (found.length > 0 ? [] : requestsOf(policy, run)),
    lookBacks: (run) => {
      const periods = watchedPeriods(policy, run)
      return anomalyLookBacks(policy, run, (watched) => periods?.keyOf(watched))
    },
    judge: (run, found, past) => judgeAnomalies(policy, run, found, past),
    judgeAgain: (run, before) => judgeAnomaliesAgain(policy, run, before),
    shown: (selection) => ({
      thresholdLevel: score.threshold,
      verdictBy: score.verdictBy,
      isProtectedResource: false,
      participatingColumns: [...new Set(runItems(policy, selection).flatMap(({ columns }) => columns ?? []))].sort(),
      policyResultStatusStrategy: score.strategy,
      sparkSQLFilterType: 'STATIC',
      rightSparkSQLFilterType: 'STATIC',
      autoRetryEnabled: false,
      filter,
      rightFilter: null,
      treatZeroRowsAsSuccess,
    }),
    records: (run) => anomalyRecords({ policy, items: runItems(policy, run.itemSelection), ruleVersion }, run),
    summary: anomalySummary,
  }
}

/** Requests one profile of all columns that the items watch, and what the source says about the table. */
function requestsOf(policy: AnomalyPolicy, run: RunGiven): RunRequest[] {
  const items = runItems(policy, run.itemSelection)
  const columns = [...new Set(items.flatMap((item) => columnsOf(item, run)))]
  const variables = boundVariables(run.sides[0].references.variables)
  const { filter: sql } = policy
  const filter = sql === null ? {} : { filter: { sql, variables } }
  const periods = watchedPeriods(policy, run)
  const asksSource = items.some(({ columns: own, metrics }) => own === null && metrics.some(isOfSource))
  return [
    { kind: 'PROFILE', side: 'ONE', columns, ...filter },
    ...(periods === undefined ? [] : [periodsRequest(policy, run, periods)]),
    ...(asksSource ? [{ kind: 'LAST_CHANGE' as const, side: 'ONE' as const }] : []),
  ]
}

const open: ReadonlySet<WatchedMetric> = new Set([
  'ROW_COUNT',
  'COMPLETENESS',
  'APPROXIMATE_DISTINCT_VALUES',
  'DATA_TYPE',
  'VOLUME',
  'SCHEMA',
])

/** Counts and types reveal no value. An item on all columns may depend on any of them. */
function readsOf({ periods }: AnomalyPolicy, { id: itemId, columns, metrics }: RunItem) {
  const isOpen = metrics.every((metric) => open.has(metric))
  const reads = { itemId, side: 'ONE' as const, sql: false, lookups: [] }
  const times = timesOf(periods)
  if (isOpen || columns !== null) return { ...reads, columns: [...times, ...(isOpen ? [] : (columns ?? []))] }
  return { ...reads, columns: times, isUnknown: true as const }
}

/** A kind of policy that watches the given metrics of a table and its columns. */
function watching(
  typeName: string,
  { metrics, startsAfter }: { metrics: readonly WatchedMetric[]; startsAfter: NonNullable<RunKind['startsAfter']> },
): RunKind {
  return {
    keep: (policy, settings) => {
      if (!isOfFamily(policy, 'anomaly'))
        throw new Error(`A policy of type ${policy.rule.type} is not an anomaly policy.`)
      return keptAnomaly(policy, settings, metrics)
    },
    open: (kept) => {
      const opened = anomalyPolicy.parse(kept.definition)
      return (policyVersion) => policyOf(opened, typeName, policyVersion)
    },
    startsAfter,
    whatIfProblem: (_changed, changes) =>
      scoreProblem(changes) ??
      firstProblem(changes, (item) => usualOnly(item, ': figures are compared with their usual values')),
  }
}

/** Profile anomaly: detects figures of a profile that are unusual for the column. */
export const profileAnomaly = watching('PROFILE_ANOMALY_TYPE_EXECUTION', {
  metrics: profileMetrics,
  startsAfter: ['PROFILE'],
})

/** Auto anomaly: watches the few figures of a table that show most faults. */
export const autoAnomaly = watching('AUTO_ANOMALY_TYPE_EXECUTION', {
  metrics: ['ROW_COUNT', 'FRESHNESS', 'VOLUME', 'SCHEMA', 'COMPLETENESS', 'APPROXIMATE_DISTINCT_VALUES', 'MEAN'],
  startsAfter: ['SCHEMA', 'PROFILE'],
})
