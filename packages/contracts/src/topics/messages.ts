import { z } from 'zod'
import { shortAssetType } from '../records/asset.ts'
import { datasetColumn } from '../records/dataset-column.ts'
import { policyAnswer } from '../records/policies/table.ts'
import { storedMarkers } from '../records/stored-marker.ts'
import { permissions } from '../values/permissions.ts'

/** Topics of the public event stream. */
export const publicTopics = {
  assets: 'assay.catalog.assets',
  policies: 'assay.policy.policies',
  executions: 'assay.execution.executions',
  samples: 'assay.sampling.jobs',
  notifications: 'assay.notification.notifications',
} as const

/** Topics between services, which feed local read models. Their shapes may change with a release. */
export const internalTopics = {
  tables: 'assay.internal.tables',
  containers: 'assay.internal.containers',
  tags: 'assay.internal.tags',
  watches: 'assay.internal.watches',
  policies: 'assay.internal.policies',
  versions: 'assay.internal.executed-versions',
  udfVariables: 'assay.internal.udf-variables',
  udfTemplates: 'assay.internal.udf-templates',
  assetSettings: 'assay.internal.asset-settings',
  assetLabels: 'assay.internal.asset-labels',
  assemblies: 'assay.internal.assemblies',
  keys: 'assay.internal.keys',
  incidentEnds: 'assay.internal.incident-ends',
} as const

/** Catalog → policy, execution, sampling, notification: a table that policies can use as their backing asset. */
export const tableMessage = z.object({
  /** Revision of the asset's stream: a read model accepts only a higher one. */
  revision: z.int(),
  assetId: z.int(),
  uid: z.string(),
  name: z.string(),
  assemblyId: z.int(),
  assemblyName: z.string(),
  sourceTypeId: z.int(),
  sourceTypeName: z.string(),
  /** The data engine opens the table with it. Opaque to all others. */
  locator: z.unknown(),
  columns: z.array(datasetColumn),
  /** Size and time of the data at the crawl. Absent if they were not published. */
  data: z
    .object({
      lastChangedAt: z.string().nullable(),
      rowCount: z.number().nullable(),
      sizeBytes: z.number().nullable(),
      fileCount: z.number().nullable(),
    })
    .optional(),
  /** When a crawl last found that the columns had changed, ISO 8601 UTC. Absent if they have not changed since the discovery. */
  schemaChangedAt: z.string().optional(),
  /** Absent if it was not published. */
  assetType: shortAssetType.optional(),
  columnType: shortAssetType.optional(),
  isDeleted: z.boolean(),
  /**
   * Whether it was deleted on purpose, not only missing in a crawl. Policies on this table are then disabled. If it is only
   * missing, those that compare it with another table are disabled.
   */
  deletedWith: z.enum(['assembly', 'view']).optional(),
  /**
   * Time of the deletion as ISO 8601 UTC. A policy that was enabled after this time stays enabled when the message is
   * repeated. Older messages have it only together with `deletedWith`.
   */
  deletedAt: z.string().optional(),
  /**
   * Names from the assembly (its original name) down to the table; unique in the tenant. The path of an ancestor is a
   * prefix of this path. Absent if it was not published.
   */
  path: z.array(z.string()).optional(),
  /**
   * The tables that a view reads. Their protection applies to the view. Absent if the asset is not a view, or if they
   * were not published.
   */
  sourceIds: z.array(z.int()).optional(),
  /**
   * Fields of structured columns that are assets. `path` begins with the column. Absent if there are none, or if they
   * were not published.
   */
  leaves: z.array(z.object({ id: z.int(), path: z.array(z.string()).min(2), dataType: z.string() })).optional(),
})
export type TableMessage = z.infer<typeof tableMessage>

/**
 * Catalog → execution, notification: a folder, a database or a schema. As in a table's message, `path` has the names
 * from the assembly down to it.
 */
export const containerMessage = z.object({
  /** Revision of the asset's stream: a read model accepts only a higher one. */
  revision: z.int(),
  assetId: z.int(),
  uid: z.string(),
  path: z.array(z.string()),
  /** Absent if it was not published. */
  assetType: shortAssetType.optional(),
  isDeleted: z.boolean(),
})
export type ContainerMessage = z.infer<typeof containerMessage>

/**
 * Catalog → execution, sampling: the current state of a tag, or of its association with an asset. `revision` is the
 * revision of its own stream; a read model accepts only a higher one. While the catalog still moves the associations of
 * a merged tag, a reader follows `mergedIntoId` to the other tag.
 */
export const tagMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('tag'),
    revision: z.int(),
    tagId: z.int(),
    name: z.string(),
    /** Values of tagged assets are masked for keys without ASSET_PROTECTED_VIEW. */
    protected: z.boolean(),
    mergedIntoId: z.int().nullable(),
  }),
  z.object({
    kind: z.literal('association'),
    revision: z.int(),
    associationId: z.int(),
    tagId: z.int(),
    /** A table, view, file, folder, or a column of one. */
    assetId: z.int(),
    /** The table of a column, else the asset itself. */
    tableId: z.int(),
    /** Whether the asset has the tag now. */
    present: z.boolean(),
  }),
])
export type TagMessage = z.infer<typeof tagMessage>

/**
 * Catalog → execution, policy: all UDF variables of one asset. In an expression of a policy, `${key}` is a variable of
 * the policy's table or, if it has none of that name, of the nearest ancestor that has one. The `path` of an ancestor
 * is a prefix of the table's. For a column, `path` is `null`: its variables apply only to itself.
 */
export const udfVariablesMessage = z.object({
  /** Revision of the stream of the asset's variables: a read model accepts only a higher one. */
  revision: z.int(),
  assetId: z.int(),
  path: z.array(z.string()).nullable(),
  variables: z.array(z.object({ key: z.string(), value: z.string() })),
})
export type UdfVariablesMessage = z.infer<typeof udfVariablesMessage>

/** Catalog → execution, policy: the current state of a UDF template. Only the language EXPRESSION is supported. */
export const udfTemplateMessage = z.object({
  /** Revision of the template's stream: a read model accepts only a higher one. */
  revision: z.int(),
  udfId: z.int(),
  name: z.string(),
  language: z.string(),
  udfType: z.string(),
  udfDataType: z.string(),
  /** `${name}` in it is the parameter of that name. */
  code: z.string(),
  /** Its parameters with their default values. */
  variables: z.array(z.object({ key: z.string(), value: z.string().nullable(), isColumnVariable: z.boolean() })),
  isDeleted: z.boolean(),
})
export type UdfTemplateMessage = z.infer<typeof udfTemplateMessage>

/** Notification → catalog: whether a user watches an asset, for filtering by watched assets. */
export const watchMessage = z.object({
  /** Revision of the watch's stream: a read model accepts only a higher one. */
  revision: z.int(),
  watchId: z.int(),
  assetId: z.int(),
  user: z.string(),
  watching: z.boolean(),
})
export type WatchMessage = z.infer<typeof watchMessage>

/** Policy → execution: the current definition, and how to store results. */
export const policyMessage = z.object({
  /** Revision of the policy's stream: a read model accepts only a higher one. */
  revision: z.int(),
  /** A policy of any type; `policy.rule.type` names the type. */
  policy: policyAnswer,
  configuration: z.object({
    good: z.object({ store: z.boolean(), format: z.enum(['PARQUET', 'CSV', 'JSON']), template: z.string() }),
    bad: z.object({ store: z.boolean(), format: z.enum(['PARQUET', 'CSV', 'JSON']), template: z.string() }),
    metadata: z.object({ template: z.string() }),
    prefix: z.string().nullable(),
  }),
  /** Key of the baseline that the execution service stored when the policy was created. Absent if there is none. */
  baseline: z.string().exactOptional(),
})
export type PolicyMessage = z.infer<typeof policyMessage>

/** Execution → policy: the policy version of a run that ended, for `onlyExecutedVersion`. */
export const executedVersionMessage = z.object({
  policyId: z.int(),
  version: z.int(),
  executionId: z.int(),
  /** When the run ended, ISO 8601 UTC. Missing in old messages. */
  finishedAt: z.string().optional(),
})
export type ExecutedVersionMessage = z.infer<typeof executedVersionMessage>

/**
 * The revision of the message: a read model accepts only a higher one. Runs of a policy never overlap, so the end time
 * serves; the run's number cannot, because replicas take numbers from different blocks. A message with a time replaces
 * any without one. Pure.
 */
export function executedRevision({ executionId, finishedAt }: ExecutedVersionMessage): number {
  return finishedAt === undefined ? executionId : Date.parse(finishedAt)
}

/** Catalog → execution, notification: the settings of an asset that its policies, their runs and rules need. */
export const assetSettingsMessage = z.object({
  /** Revision of the stream of the asset's settings: a read model accepts only a higher one. */
  revision: z.int(),
  assetId: z.int(),
  /** `null` means UTC. */
  timeZone: z.string().nullable(),
  /** The column with the time of a row; `null` if none is configured. */
  freshnessColumn: z.string().nullable(),
  /** The asset with which it is compared; `null` if none is configured. */
  referenceAssetId: z.int().nullable(),
  /** Absent in older messages. */
  owners: z.array(z.string()).optional(),
  /** As it was sent. Absent in older messages, and if there is none. */
  notificationChannels: z.record(z.string(), z.json()).optional(),
  /** How its profiles start by schedule. Absent in older messages, and if none is scheduled. */
  profiles: z
    .object({
      schedule: z.object({ cronExpression: z.string(), timeZone: z.string() }),
      profilingType: z.enum(['FULL', 'INCREMENTAL']).nullable(),
    })
    .optional(),
  /** How new rows are recognised. Absent in older messages, and if none is configured. */
  marker: storedMarkers.optional(),
})
export type AssetSettingsMessage = z.infer<typeof assetSettingsMessage>

/** Catalog → notification: the labels of an asset. */
export const assetLabelsMessage = z.object({
  /** Revision of the stream of the asset's labels: a read model accepts only a higher one. */
  revision: z.int(),
  assetId: z.int(),
  labels: z.array(z.object({ key: z.string(), value: z.string() })),
})
export type AssetLabelsMessage = z.infer<typeof assetLabelsMessage>

/** Catalog → policy, execution, sampling: an assembly, and the policies that its tables get. */
export const assemblyMessage = z.object({
  /** Revision of the assembly's stream: a read model accepts only a higher one. */
  revision: z.int(),
  assemblyId: z.int(),
  /** Whether each of its tables gets an auto anomaly policy. */
  autoAnomaly: z.boolean(),
  /** Whether its tables are profiled after each crawl. Absent in older messages. */
  autoProfile: z.boolean().optional(),
  /** Its last crawl that has ended, as ISO 8601 UTC. Absent in older messages, and before the first one. */
  lastCrawl: z.object({ begunAt: z.string(), endedAt: z.string() }).optional(),
  /** Absent in older messages. */
  name: z.string().optional(),
  /** Absent in older messages. */
  sourceTypeId: z.int().optional(),
  isDeleted: z.boolean(),
  /** The configuration of a database, with sealed secrets. `null` for sources whose tables have their own location. */
  source: z.record(z.string(), z.json()).nullable().optional(),
})
export type AssemblyMessage = z.infer<typeof assemblyMessage>

/**
 * Gateway → notification: what a key may do. Contains neither the access key, nor a secret, nor the hash of a secret.
 */
export const keyMessage = z.object({
  /** Revision of the key's stream: a read model accepts only a higher one. */
  revision: z.int(),
  /** The tenant of the key; streams of keys belong to the system. */
  tenant: z.string(),
  /** The hash of the access key. */
  keyId: z.string(),
  /** The user for whom the key acts. */
  user: z.string(),
  permissions: z.array(z.enum(permissions)),
  /** The end of its validity (exclusive), ISO 8601 UTC. */
  validTill: z.string(),
  /** Whether it is neither revoked nor suspended. */
  isActive: z.boolean(),
})
export type KeyMessage = z.infer<typeof keyMessage>

/**
 * Execution → notification: an incident ended whose events are not public, because its verdict depends on protected
 * columns. If it was public when it opened, its alerts must be resolved. There is no verdict in it.
 */
const incidentEndMessage = z.object({ incidentId: z.int(), policyId: z.int(), assetId: z.int() })
type IncidentEndMessage = z.infer<typeof incidentEndMessage>

/** The content of the messages of each internal topic. */
export interface InternalMessages {
  tables: TableMessage
  containers: ContainerMessage
  tags: TagMessage
  watches: WatchMessage
  policies: PolicyMessage
  versions: ExecutedVersionMessage
  udfVariables: UdfVariablesMessage
  udfTemplates: UdfTemplateMessage
  assetSettings: AssetSettingsMessage
  assetLabels: AssetLabelsMessage
  assemblies: AssemblyMessage
  keys: KeyMessage
  incidentEnds: IncidentEndMessage
}

export const internalMessages: { readonly [Name in keyof InternalMessages]: z.ZodType<InternalMessages[Name]> } = {
  tables: tableMessage,
  containers: containerMessage,
  tags: tagMessage,
  watches: watchMessage,
  policies: policyMessage,
  versions: executedVersionMessage,
  udfVariables: udfVariablesMessage,
  udfTemplates: udfTemplateMessage,
  assetSettings: assetSettingsMessage,
  assetLabels: assetLabelsMessage,
  assemblies: assemblyMessage,
  keys: keyMessage,
  incidentEnds: incidentEndMessage,
}

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
    /** The actor: the user of the key, or `system`. Absent in older messages. */
    actor: z.string().optional(),
    /** The access key; absent for Assay's own actions. */
    accesskey: z.string().optional(),
    traceparent: z.string().optional(),
    tracestate: z.string().optional(),
    data: z.unknown(),
  })
  .meta({ id: 'CloudEvent' })
export type CloudEvent = z.infer<typeof cloudEvent>

/** The attributes of a CloudEvent that name the actor. */
export function doneBy({ actor, accessKey }: { actor: string; accessKey?: string | undefined }) {
  // Assay's own actions have no key, or an empty one.
  return { actor, ...(accessKey ? { accesskey: accessKey } : {}) }
}

type Fields = { readonly [field: string]: unknown }

/**
 * The fields that differ between two states, as `changes` of a CloudEvent's data. `null` means the field or the thing
 * did not exist.
 */
export function changesBetween(before: Fields | null, after: Fields | null) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const differing = names.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]))
  const picked = (state: Fields | null) =>
    state && Object.fromEntries(differing.map((name) => [name, state[name] ?? null]))
  return { before: picked(before), after: picked(after) }
}
