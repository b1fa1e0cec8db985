import { isOfFamily, type PolicyAnswer } from '@assay/contracts'
import type { KeptDefinition, KindPolicy, TableSettings } from '../kinds/run-kind.ts'
import { noNeeds } from '../measurements/reads.ts'
import { type ArrivalPolicy, keptArrival } from './definition.ts'

/** What freshness and cadence policies have in common. Pure. */
export function commonOf(
  policy: ArrivalPolicy,
  columns: readonly string[],
): Pick<KindPolicy, 'typeName' | 'sides' | 'timeoutMinutes' | 'needs' | 'shown'> {
  const { assetId, filter, marker = null, score, timeoutMinutes, treatZeroRowsAsSuccess } = policy
  return {
    typeName: 'DATA_CADENCE_TYPE_EXECUTION',
    sides: [{ side: 'ONE', assetId, filter, marker }],
    timeoutMinutes,
    needs: () => noNeeds,
    shown: () => ({
      thresholdLevel: score.threshold,
      verdictBy: score.verdictBy,
      isProtectedResource: false,
      participatingColumns: [...new Set(columns)].sort(),
      policyResultStatusStrategy: score.strategy,
      sparkSQLFilterType: 'STATIC',
      rightSparkSQLFilterType: 'STATIC',
      autoRetryEnabled: false,
      filter,
      rightFilter: null,
      treatZeroRowsAsSuccess,
    }),
  }
}

/** The parts of a policy that runs need. Throws for a policy of another family. */
export function keepArrival(policy: PolicyAnswer, settings: TableSettings): KeptDefinition {
  if (!isOfFamily(policy, 'cadence'))
    throw new Error(`A policy of type ${policy.rule.type} is not a freshness or cadence policy.`)
  return keptArrival(policy, settings)
}
