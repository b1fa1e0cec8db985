import { forEachType, type PolicyType } from '../records/policy-types.ts'
import { executionsByOldPath, executionsOf } from './executions-of-kind.ts'
import type { Operation } from './operation.ts'

/** Runs of policies, by type. */
export const executionKinds = forEachType<Record<PolicyType, ReturnType<typeof executionsOf>>>(executionsOf)

export const executionsByOldPaths = {
  SCHEMA_DRIFT: executionsByOldPath('SCHEMA_DRIFT'),
  DATA_CADENCE: executionsByOldPath('DATA_CADENCE'),
  DATA_DRIFT: executionsByOldPath('DATA_DRIFT'),
} as const

/** All operations on runs, for the table. */
export const executionKindOperations: readonly Operation[] = [
  ...Object.values(executionKinds).flatMap((kind) => Object.values<Operation>(kind)),
  ...Object.values<Operation>(executionsByOldPaths),
]
