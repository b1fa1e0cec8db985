import { isOfFamily } from '@assay/contracts'
import type { EachSide, RunGiven, RunRequest } from '../kinds/judging.ts'
import type { BaselineRuns, KindPolicy, RunKind, SideDefinition } from '../kinds/run-kind.ts'
import { noNeeds } from '../measurements/reads.ts'
import { boundVariables } from '../references.ts'
import { firstProblem, scoreProblem, usualOnly } from '../what-if/problem.ts'
import {
  columnsOf,
  type DataDriftItem,
  type DataDriftPolicy,
  dataDriftPolicy,
  keptDataDrift,
  runItems,
} from './definition.ts'
import { judgeDataDrift } from './judge.ts'
import { judgeDriftAgain } from './judge-again.ts'
import { dataDriftRecords, dataDriftSummary } from './records.ts'
import { dataDriftRefusal } from './refusal.ts'
import { driftLookBacks, scopeOf } from './thresholds.ts'

function policyOf(policy: DataDriftPolicy, ruleVersion: number): KindPolicy {
  const { score, timeoutMinutes, treatZeroRowsAsSuccess, filter } = policy
  const itemsOf = (selection: readonly number[] | null) => runItems(policy, selection)
  const sides = sidesOf(policy)
  return {
    typeName: 'DATA_DRIFT_EXECUTION',
    sides,
    timeoutMinutes,
    profiles: (run) => ({ scope: scopeOf(policy, run), baseline: baselineOf(policy, run) }),
    needs: () => noNeeds,
    reads: (selection) =>
      itemsOf(selection).flatMap((item) =>
        sides.map(({ side }) => ({ itemId: item.id, side, columns: readsOf(item), sql: false, lookups: [] })),
      ),
    hasItem: (itemId) => policy.items.some(({ id }) => id === itemId),
    refusal: (request) => dataDriftRefusal(policy, request),
    step: (run, found) => {
      if (found.length > 0) return []
      const columns = columnsOf(itemsOf(run.itemSelection))
      return sides.map(({ side, filter: sql }, index): RunRequest => {
        const variables = boundVariables(run.sides[index]?.references.variables ?? {})
        return { kind: 'PROFILE', side, columns, ...(sql === null ? {} : { filter: { sql, variables } }) }
      })
    },
    lookBacks: (run) => driftLookBacks(policy, itemsOf(run.itemSelection), run),
    judge: (run, found, past) => judgeDataDrift(policy, run, found, past),
    judgeAgain: (run, before) => judgeDriftAgain(policy, run, before),
    shown: (selection) => ({
      thresholdLevel: score.threshold,
      verdictBy: score.verdictBy,
      isProtectedResource: false,
      participatingColumns: columnsOf(itemsOf(selection)).sort(),
      policyResultStatusStrategy: score.strategy,
      sparkSQLFilterType: 'STATIC',
      rightSparkSQLFilterType: 'STATIC',
      autoRetryEnabled: false,
      filter,
      rightFilter: null,
      treatZeroRowsAsSuccess,
    }),
    records: (run) => dataDriftRecords(itemsOf(run.itemSelection), { ruleId: policy.policyId, ruleVersion }, run),
    summary: dataDriftSummary,
  }
}

/** Shares, counts and types of values reveal no value. */
function readsOf({ columnName, measure, metricType }: DataDriftItem): string[] {
  const isOpen =
    measure === null &&
    (metricType === 'COMPLETENESS' || metricType === 'APPROXIMATE_DISTINCT_VALUES' || metricType === 'DATA_TYPE')
  return columnName === null || isOpen ? [] : [columnName]
}

/** A reference asset is the right side. */
function sidesOf({ assetId, filter, marker, baseline }: DataDriftPolicy): EachSide<SideDefinition> {
  if (baseline.type !== 'REFERENCE') return [{ side: 'ONE', assetId, filter, marker }]
  return [
    { side: 'LEFT', assetId, filter, marker },
    { side: 'RIGHT', assetId: baseline.referenceAssetId, filter: null, marker: null },
  ]
}

/** Each SELECTIVE run selects other rows, so earlier runs cannot be its baseline. */
function baselineOf({ baseline }: DataDriftPolicy, { executionType }: RunGiven): BaselineRuns | null {
  const isSelective = executionType === 'SELECTIVE'
  switch (baseline.type) {
    case 'PREVIOUS':
      return isSelective ? null : baseline
    case 'WINDOW':
      return isSelective ? null : { type: 'WINDOW', window: { window: baseline.window, type: baseline.windowType } }
    case 'EXECUTION':
      return baseline
    case 'REFERENCE':
      return null
    default:
      return baseline satisfies never
  }
}

/** Data drift: measures how far the values of columns are from a baseline. */
export const dataDrift: RunKind = {
  keep: (policy) => {
    if (!isOfFamily(policy, 'data-drift'))
      throw new Error(`A policy of type ${policy.rule.type} is not a data drift policy.`)
    return keptDataDrift(policy)
  },
  open: (kept) => {
    const opened = dataDriftPolicy.parse(kept.definition)
    return (policyVersion) => policyOf(opened, policyVersion)
  },
  startsAfter: ['PROFILE'],
  whatIfProblem: (_changed, changes) =>
    scoreProblem(changes) ??
    firstProblem(changes, (item) =>
      item.value == null
        ? usualOnly(item, '; send driftThreshold for a fixed limit')
        : { path: 'value', message: 'is not used by data drift; send driftThreshold' },
    ),
}
