import { isOfFamily } from '@assay/contracts'
import type { KindPolicy, RunKind } from '../kinds/run-kind.ts'
import { refusalOfPart } from '../kinds/whole-only.ts'
import { noNeeds } from '../measurements/reads.ts'
import { firstProblem, scoreProblem } from '../what-if/problem.ts'
import { itemsOf, keptSchemaDrift, runItems, type SchemaDriftPolicy, schemaDriftPolicy } from './definition.ts'
import { judgeSchemaAgain, judgeSchemaDrift, learned } from './judge.ts'
import { schemaDriftRecords, schemaDriftSummary } from './records.ts'

const wholeTablesOnly = 'A schema drift policy compares whole schemas'

function policyOf(policy: SchemaDriftPolicy, ruleVersion: number): KindPolicy {
  const { assetId, score, timeoutMinutes, treatZeroRowsAsSuccess } = policy
  return {
    typeName: 'SCHEMA_DRIFT_EXECUTION',
    sides: [{ side: 'ONE', assetId, filter: null, marker: null }],
    timeoutMinutes,
    needs: () => noNeeds,
    reads: (selection) =>
      runItems(policy, selection).map(({ id }) => ({ itemId: id, side: 'ONE', columns: [], sql: false, lookups: [] })),
    hasItem: (itemId) => itemsOf(policy).some(({ id }) => id === itemId),
    refusal: (request) => {
      const ids = itemsOf(policy).map(({ id }) => id)
      return refusalOfPart(ids, request, wholeTablesOnly)
    },
    step: (_run, found) => (found.length === 0 ? [{ kind: 'DESCRIBE', side: 'ONE' }] : []),
    lookBacks: () => [],
    judge: (run, found) => judgeSchemaDrift(policy, run, found),
    judgeAgain: (run) => judgeSchemaAgain(policy, run),
    shown: () => ({
      thresholdLevel: score.threshold,
      verdictBy: score.verdictBy,
      isProtectedResource: false,
      participatingColumns: [],
      policyResultStatusStrategy: score.strategy,
      sparkSQLFilterType: 'STATIC',
      rightSparkSQLFilterType: 'STATIC',
      autoRetryEnabled: false,
      filter: null,
      rightFilter: null,
      treatZeroRowsAsSuccess,
    }),
    records: (run) => schemaDriftRecords({ items: runItems(policy, run.itemSelection), assetId, ruleVersion }, run),
    summary: schemaDriftSummary,
  }
}

/** Schema drift: detects changes of a table's columns since the last run. */
export const schemaDrift: RunKind = {
  wholeTablesOnly,
  keep: (policy) => {
    if (!isOfFamily(policy, 'schema-drift'))
      throw new Error(`A policy of type ${policy.rule.type} is not a schema drift policy.`)
    return keptSchemaDrift(policy)
  },
  open: (kept) => {
    const opened = schemaDriftPolicy.parse(kept.definition)
    return (policyVersion) => policyOf(opened, policyVersion)
  },
  startsAfter: ['SCHEMA'],
  whatIfProblem: (_changed, changes) =>
    scoreProblem(changes) ??
    firstProblem(changes, () => ({ path: 'id', message: 'items have no limits here; send rule.severity' })),
  learn: (assetId, columns, at) => learned({ assetId, at, columns: [...columns] }),
}
