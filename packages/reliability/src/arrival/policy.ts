import { isOfFamily, type PolicyAnswer, type PolicyAnswerOf } from '@assay/contracts'
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

/** The parts of a policy that runs need, which may read a part of the table. Throws for a policy of another family. */
export function keepCadence(policy: PolicyAnswer, settings: TableSettings): KeptDefinition {
  const ofFamily = arrivalOf(policy)
  return keptArrival(ofFamily, settings, ofFamily.rule.backingAsset.marker)
}

/** The same for runs that look for the newest data of the whole table. */
export function keepFreshness(policy: PolicyAnswer, settings: TableSettings): KeptDefinition {
  return keptArrival(arrivalOf(policy), settings, null)
}

function arrivalOf(policy: PolicyAnswer): PolicyAnswerOf<'cadence'> {
  if (isOfFamily(policy, 'cadence')) return policy
  throw new Error(`A policy of type ${policy.rule.type} is not a freshness or cadence policy.`)
}
