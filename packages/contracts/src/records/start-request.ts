import { z } from 'zod'
import { id, optional, plainText } from '../values/scalars.ts'
import { executionType } from './execution.ts'
import { runMarkers } from './execution-markers.ts'
import { engineType } from './policy.ts'
import { sparkResources } from './spark-resources.ts'

const columnNames = optional(z.array(plainText(10_000)).max(10_000))
const variableText = plainText(100_000)
/** A column or a value for a filter. Clients also send a copy of the object as one of its fields, which is not read. */
const columnVariable = z.object({
  name: plainText(10_000),
  isNumber: optional(z.boolean()),
  value: optional(variableText),
  format: optional(plainText(1000)),
})
const filterVariables = z.object({
  ruleName: optional(plainText(1000)),
  ruleId: optional(id),
  mapping: optional(
    z
      .array(
        z.object({
          key: plainText(10_000),
          value: optional(variableText),
          isColumnVariable: optional(z.boolean()),
        }),
      )
      .max(1000),
  ),
})
const mapping = optional(z.array(filterVariables).max(1000))

/**
 * The body that starts a run. Without a body, the run is a full run of all items. For fields that concern external
 * engines, only the types are checked.
 */
export const startRequest = z
  .object({
    executionType: optional(executionType),
    includeInQualityScore: optional(z.boolean()),
    ruleItemSelections: optional(z.array(id).max(1000)),
    markerConfigs: optional(runMarkers),
    sparkResourceConfig: optional(sparkResources),
    resourceStrategyType: optional(z.enum(['INVENTORY', 'CUSTOM'])),
    selectedResourceInventory: optional(plainText(1000)),
    columnVariables: optional(z.array(columnVariable).max(1000)),
    engineType: optional(engineType),
    rightEngineType: optional(engineType),
    autoRetryEnabled: optional(z.boolean()),
    analyticsPipelineId: optional(z.int()),
    sparkFilterSelectedColumns: columnNames,
    rightSparkFilterSelectedColumns: columnNames,
    sparkSQLDynamicFilterVariableMapping: mapping,
    rightSparkSQLDynamicFilterVariableMapping: mapping,
    sparkAppName: optional(plainText(1000)),
    assetDirection: optional(plainText(100)),
    analysisJobRequestId: optional(plainText(1000)),
    monitorExecutionId: optional(z.int()),
    pipelineAutomationExecutionId: optional(z.int()),
    pipelineRunId: optional(z.int()),
    profileId: optional(z.int()),
    sourceExecutionId: optional(z.int()),
  })
  .refine(
    ({ executionType, markerConfigs = [] }) =>
      executionType !== 'SELECTIVE' || markerConfigs.some(({ markerConfig }) => markerConfig !== undefined),
    { path: ['markerConfigs'], message: 'is needed by a SELECTIVE run, to know which rows to read' },
  )
  .prefault({})
/** The fields that affect a run. */
export type StartRequest = Pick<
  z.infer<typeof startRequest>,
  'executionType' | 'includeInQualityScore' | 'ruleItemSelections' | 'markerConfigs' | 'sparkResourceConfig'
>

const waitText = z
  .string()
  .regex(/^\d{1,2}$/, 'must be a whole number of seconds, 0 to 60')
  .transform(Number)
  .refine((seconds) => seconds <= 60, 'must be a whole number of seconds, 0 to 60')
  .meta({
    description:
      'Maximum seconds, 0 to 60, to wait for the end of the run. If the run ends in time, the answer includes the result, which requires POLICY_VIEW. Otherwise the run continues, and the answer is the same as without `wait`. A proxy in between must allow that time, else it answers 504 while the run continues.',
  })

export const startQuery = z.object({ wait: waitText.optional() })
