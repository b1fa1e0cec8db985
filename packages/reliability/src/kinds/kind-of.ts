import type { PolicyType } from '@assay/contracts'
import { quality } from '../quality/kind.ts'
import { schemaDrift } from '../schema-drift/kind.ts'
import type { RunKind } from './run-kind.ts'

/** The kind of runs for each type of policy. `null` if this version of Assay cannot run them. */
const kinds: Readonly<Record<PolicyType, RunKind | null>> = {
  DATA_QUALITY: quality,
  RECONCILIATION: null,
  EQUALITY: null,
  DATA_DRIFT: null,
  SCHEMA_DRIFT: schemaDrift,
  PROFILE_ANOMALY: null,
  AUTO_ANOMALY: null,
  DATA_CADENCE: null,
  DATA_FRESHNESS: null,
}

/** The kind of runs for a type of policy; null if it cannot be run. Pure. */
export const kindOf = (type: PolicyType): RunKind | null => kinds[type]
