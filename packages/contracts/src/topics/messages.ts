import { z } from 'zod'
import { datasetColumn } from '../records/dataset-column.ts'
import { ruleAnswer } from '../records/policy.ts'

/** Topics of the public event stream (decision 37). */
export const publicTopics = {
  assets: 'assay.catalog.assets',
  policies: 'assay.policy.policies',
  executions: 'assay.execution.executions',
  samples: 'assay.sampling.jobs',
  notifications: 'assay.notification.notifications',
} as const

/** Topics between services: what a service's neighbours keep a copy of. Their shapes may change with a release. */
export const internalTopics = {
  tables: 'assay.internal.tables',
  policies: 'assay.internal.policies',
  versions: 'assay.internal.executed-versions',
} as const

/** Catalog → policy, execution, sampling: a table that policies can name as their backing asset. */
export const tableMessage = z.object({
  /** Revision of the asset's stream: a copy takes only a higher one. */
  revision: z.int(),
  assetId: z.int(),
  uid: z.string(),
  name: z.string(),
  assemblyId: z.int(),
  assemblyName: z.string(),
  sourceTypeId: z.int(),
  sourceTypeName: z.string(),
  /** What the data engine needs to open it. Only the engine reads it. */
  locator: z.unknown(),
  columns: z.array(datasetColumn),
  isDeleted: z.boolean(),
  /** The assembly itself was deleted: policies on this table are disabled. Absent: false. */
  assemblyDeleted: z.boolean().optional(),
})
export type TableMessage = z.infer<typeof tableMessage>

/** Policy → execution: the definition as it stands now, and how to store results. */
export const policyMessage = z.object({
  /** Revision of the policy's stream: a copy takes only a higher one. */
  revision: z.int(),
  policy: ruleAnswer,
  configuration: z.object({
    good: z.object({ store: z.boolean(), format: z.enum(['PARQUET', 'CSV', 'JSON']), template: z.string() }),
    bad: z.object({ store: z.boolean(), format: z.enum(['PARQUET', 'CSV', 'JSON']), template: z.string() }),
    metadata: z.object({ template: z.string() }),
    prefix: z.string().nullable(),
  }),
})
export type PolicyMessage = z.infer<typeof policyMessage>

/** Execution → policy: the version that a run which came to its end was bound to, for `onlyExecutedVersion`. */
export const executedVersionMessage = z.object({ policyId: z.int(), version: z.int(), executionId: z.int() })
export type ExecutedVersionMessage = z.infer<typeof executedVersionMessage>

/** CloudEvents 1.0, structured JSON: the public form of an event. */
export const cloudEvent = z
  .object({
    specversion: z.literal('1.0'),
    id: z.string(),
    source: z.string(),
    type: z.string(),
    subject: z.string(),
    time: z.string(),
    datacontenttype: z.literal('application/json'),
    tenant: z.string(),
    traceparent: z.string().optional(),
    data: z.unknown(),
  })
  .meta({ id: 'CloudEvent' })
export type CloudEvent = z.infer<typeof cloudEvent>
