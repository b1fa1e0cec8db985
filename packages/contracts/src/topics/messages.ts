import { z } from 'zod'
import { shortAssetType } from '../records/asset.ts'
import { datasetColumn } from '../records/dataset-column.ts'
import { policyAnswer } from '../records/policy-kinds.ts'

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
  containers: 'assay.internal.containers',
  tags: 'assay.internal.tags',
  watches: 'assay.internal.watches',
  policies: 'assay.internal.policies',
  versions: 'assay.internal.executed-versions',
  udfVariables: 'assay.internal.udf-variables',
  udfTemplates: 'assay.internal.udf-templates',
} as const

/** Catalog → policy, execution, sampling, notification: a table that policies can name as their backing asset. */
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
  /** What it is, and what its columns are. Absent: not told. */
  assetType: shortAssetType.optional(),
  columnType: shortAssetType.optional(),
  isDeleted: z.boolean(),
  /** The assembly itself was deleted: policies on this table are disabled. Absent: false. */
  assemblyDeleted: z.boolean().optional(),
  /**
   * Names from the assembly (as it was first called) down to the table; no two tables of a tenant have the same. What lies
   * above the table has a path that this one begins with. Absent: not told.
   */
  path: z.array(z.string()).optional(),
  /** Of a view, made here or crawled: what it reads, so that its protection holds for the view too. Absent: no view, or not told. */
  sourceIds: z.array(z.int()).optional(),
  /** Fields inside of columns that are assets of their own: `path` from the column inwards. Absent: none, or not told. */
  leaves: z.array(z.object({ id: z.int(), path: z.array(z.string()).min(2), dataType: z.string() })).optional(),
})
export type TableMessage = z.infer<typeof tableMessage>

/** Catalog → execution, notification: a folder, a database or a schema, with names from the assembly down to it as in a table's `path`. */
export const containerMessage = z.object({
  /** Revision of the asset's stream: a copy takes only a higher one. */
  revision: z.int(),
  assetId: z.int(),
  uid: z.string(),
  path: z.array(z.string()),
  /** Absent: not told. */
  assetType: shortAssetType.optional(),
  isDeleted: z.boolean(),
})
export type ContainerMessage = z.infer<typeof containerMessage>

/**
 * Catalog → execution, sampling: tags, and which assets carry them. Each is as it stands, with the revision of its own
 * stream; a copy takes only a higher one. What carries a tag that is merged carries the one that it was merged into: while
 * the catalog is still moving the associations, a reader follows `mergedIntoId`.
 */
export const tagMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('tag'),
    revision: z.int(),
    tagId: z.int(),
    name: z.string(),
    /** Values of what carries it are masked from keys without ASSET_PROTECTED_VIEW. */
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
    /** Whether the asset carries the tag now. */
    present: z.boolean(),
  }),
])
export type TagMessage = z.infer<typeof tagMessage>

/**
 * Catalog → execution, policy: the UDF variables that stand at one asset, all of them as they are now. In an expression of a
 * policy, `${key}` is a variable of the policy's table, else of the nearest asset above it: the one with the longest `path`
 * that the table's begins with. `path` is `null` for a column, whose variables are only its own.
 */
export const udfVariablesMessage = z.object({
  /** Revision of the stream of the asset's variables: a copy takes only a higher one. */
  revision: z.int(),
  assetId: z.int(),
  path: z.array(z.string()).nullable(),
  variables: z.array(z.object({ key: z.string(), value: z.string() })),
})
export type UdfVariablesMessage = z.infer<typeof udfVariablesMessage>

/** Catalog → execution, policy: a UDF template as it stands. Only language EXPRESSION runs. */
export const udfTemplateMessage = z.object({
  /** Revision of the template's stream: a copy takes only a higher one. */
  revision: z.int(),
  udfId: z.int(),
  name: z.string(),
  language: z.string(),
  udfType: z.string(),
  udfDataType: z.string(),
  /** In it `${name}` is a parameter of that name. */
  code: z.string(),
  /** Names of its parameters, each with what it is where a policy gives none. */
  variables: z.array(z.object({ key: z.string(), value: z.string().nullable(), isColumnVariable: z.boolean() })),
  isDeleted: z.boolean(),
})
export type UdfTemplateMessage = z.infer<typeof udfTemplateMessage>

/** Notification → catalog: whether a user watches an asset, for finding what one watches. */
export const watchMessage = z.object({
  /** Revision of the watch's stream: a copy takes only a higher one. */
  revision: z.int(),
  watchId: z.int(),
  assetId: z.int(),
  user: z.string(),
  watching: z.boolean(),
})
export type WatchMessage = z.infer<typeof watchMessage>

/** Policy → execution: the definition as it stands now, and how to store results. */
export const policyMessage = z.object({
  /** Revision of the policy's stream: a copy takes only a higher one. */
  revision: z.int(),
  /** Of any type; `policy.rule.type` says which. */
  policy: policyAnswer,
  configuration: z.object({
    good: z.object({ store: z.boolean(), format: z.enum(['PARQUET', 'CSV', 'JSON']), template: z.string() }),
    bad: z.object({ store: z.boolean(), format: z.enum(['PARQUET', 'CSV', 'JSON']), template: z.string() }),
    metadata: z.object({ template: z.string() }),
    prefix: z.string().nullable(),
  }),
})
export type PolicyMessage = z.infer<typeof policyMessage>

/** Execution → policy: the version that a run which came to its end was bound to, for `onlyExecutedVersion`. */
export const executedVersionMessage = z.object({
  policyId: z.int(),
  version: z.int(),
  executionId: z.int(),
  /** When the run came to its end, ISO 8601 UTC. Messages that were published long ago have none. */
  finishedAt: z.string().optional(),
})
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
    /** Who did it: the user behind the key, or `system`. Absent in what was published before this was told. */
    actor: z.string().optional(),
    /** The access key that was used; absent for what Assay did on its own. */
    accesskey: z.string().optional(),
    traceparent: z.string().optional(),
    tracestate: z.string().optional(),
    data: z.unknown(),
  })
  .meta({ id: 'CloudEvent' })
export type CloudEvent = z.infer<typeof cloudEvent>

/** The attributes of a CloudEvent that say who did it. */
export function doneBy({ actor, accessKey }: { actor: string; accessKey?: string | undefined }) {
  // What Assay does on its own has no key, or an empty one.
  return { actor, ...(accessKey ? { accesskey: accessKey } : {}) }
}

type Fields = { readonly [field: string]: unknown }

/** The fields of two states of one thing that differ, as `changes` of a CloudEvent's data. `null`: it was not there. */
export function changesBetween(before: Fields | null, after: Fields | null) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const differing = names.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]))
  const picked = (state: Fields | null) =>
    state && Object.fromEntries(differing.map((name) => [name, state[name] ?? null]))
  return { before: picked(before), after: picked(after) }
}
