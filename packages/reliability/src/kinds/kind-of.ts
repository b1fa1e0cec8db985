import type { PolicyType } from '@assay/contracts'
import { cadence } from '../arrival/cadence-kind.ts'
import { freshness } from '../arrival/freshness-kind.ts'
import { equality, reconciliation } from '../comparison/kind.ts'
import { dataDrift } from '../data-drift/kind.ts'
import { autoAnomaly, profileAnomaly } from '../profile-anomaly/kind.ts'
import { quality } from '../quality/kind.ts'
import { schemaDrift } from '../schema-drift/kind.ts'
import type { RunKind } from './run-kind.ts'

/** The kind of runs for each type of policy. */
const kinds: Readonly<Record<PolicyType, RunKind>> = {
  DATA_QUALITY: quality,
  RECONCILIATION: reconciliation,
  EQUALITY: equality,
  DATA_DRIFT: dataDrift,
  SCHEMA_DRIFT: schemaDrift,
  PROFILE_ANOMALY: profileAnomaly,
  AUTO_ANOMALY: autoAnomaly,
  DATA_CADENCE: cadence,
  DATA_FRESHNESS: freshness,
}

/** The kind of runs for a type of policy. Pure. */
export const kindOf = (type: PolicyType): RunKind => kinds[type]
