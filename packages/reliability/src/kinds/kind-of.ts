import type { PolicyType } from '@assay/contracts'
import { quality } from '../quality/kind.ts'
import type { RunKind } from './run-kind.ts'

/** What runs policies of each type. Null: this version of Assay cannot run them. */
const kinds: Readonly<Record<PolicyType, RunKind | null>> = {
  DATA_QUALITY: quality,
  RECONCILIATION: null,
  EQUALITY: null,
  DATA_DRIFT: null,
  SCHEMA_DRIFT: null,
  PROFILE_ANOMALY: null,
  AUTO_ANOMALY: null,
  DATA_CADENCE: null,
  DATA_FRESHNESS: null,
}

/** The kind of runs that policies of a type have; null where they cannot be run. Pure. */
export const kindOf = (type: PolicyType): RunKind | null => kinds[type]
