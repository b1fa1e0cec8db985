import type { PolicyType } from '../records/policy-types.ts'
import { executionsByOldPath, executionsOf } from './executions-of-kind.ts'
import type { Operation } from './operation.ts'

/** Runs of policies, by type. */
export const executionKinds = {
  DATA_QUALITY: executionsOf({
    segment: 'data-quality',
    name: 'DataQuality',
    title: 'a data quality',
  }),
  RECONCILIATION: executionsOf({
    segment: 'reconciliation',
    name: 'Reconciliation',
    title: 'a reconciliation',
  }),
  EQUALITY: executionsOf({ segment: 'equality', name: 'Equality', title: 'an equality' }),
  DATA_DRIFT: executionsOf({
    segment: 'data-drift',
    name: 'DataDrift',
    title: 'a data drift',
  }),
  SCHEMA_DRIFT: executionsOf({
    segment: 'schema-drift',
    name: 'SchemaDrift',
    title: 'a schema drift',
  }),
  PROFILE_ANOMALY: executionsOf({
    segment: 'profile-anomaly',
    name: 'ProfileAnomaly',
    title: 'a profile anomaly',
  }),
  AUTO_ANOMALY: executionsOf({
    segment: 'auto-anomaly',
    name: 'AutoAnomaly',
    title: 'an auto anomaly',
  }),
  DATA_CADENCE: executionsOf({
    segment: 'data-cadence',
    name: 'DataCadence',
    title: 'a data cadence',
    resultPermissions: ['POLICY_VIEW'],
  }),
  DATA_FRESHNESS: executionsOf({
    segment: 'data-freshness',
    name: 'DataFreshness',
    title: 'a data freshness',
  }),
} as const satisfies Record<PolicyType, unknown>

export const executionsByOldPaths = {
  SCHEMA_DRIFT: executionsByOldPath('schema_drift', 'SchemaDrift', 'a schema drift'),
  DATA_CADENCE: executionsByOldPath('data_cadence', 'DataCadence', 'a data cadence'),
  DATA_DRIFT: executionsByOldPath('data_drift', 'DataDrift', 'a data drift'),
} as const

/** All operations on runs, for the table. */
export const executionKindOperations: readonly Operation[] = [
  ...Object.values(executionKinds).flatMap((kind) => Object.values<Operation>(kind)),
  ...Object.values<Operation>(executionsByOldPaths),
]
