import { policyType, runMarkers } from '@assay/contracts'
import { touched } from '@assay/data-engine'
import type { JsonObject } from '@assay/event-store'
import { z } from 'zod'

const keptRows = z.object({ store: z.boolean(), format: z.enum(['PARQUET', 'CSV', 'JSON']), template: z.string() })

const json = z.record(z.string(), z.json())

const sideName = z.enum(['ONE', 'LEFT', 'RIGHT'])
export type SideName = z.infer<typeof sideName>

/** A table that a run reads, as it was at acceptance. `schema`: key of the version of its columns. */
const side = z.object({
  side: sideName,
  assetId: z.int(),
  uid: z.string(),
  name: z.string(),
  assemblyId: z.int(),
  assemblyName: z.string(),
  sourceTypeId: z.int(),
  sourceTypeName: z.string(),
  schema: z.string(),
})

export type Side = z.infer<typeof side>

/**
 * An accepted run. It stays bound to this version of the policy and these columns. Both are kept once, under the keys
 * in `policy.definition` and `schema`.
 */
export const acceptedRun = z.object({
  executionId: z.int(),
  /** ISO 8601 UTC. */
  startedAt: z.string(),
  /** `<policy type>-<uuid>`, such as `data-quality-<uuid>`: unguessable, and part of the path of the results. */
  requestId: z.string(),
  executionMode: z.enum(['SCHEDULED', 'MANUAL', 'API']),
  executionType: z.enum(['FULL', 'INCREMENTAL', 'SELECTIVE']),
  executedBy: z.string(),
  /** SCHEDULE: `id` derives from tenant, policy and nominal time, so it is the same on every attempt. */
  cause: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('REQUEST') }),
    z.object({ kind: z.literal('SCHEDULE'), id: z.string(), nominal: z.string() }),
    /** A crawl of a table whose schema or data changed. `revision`: revision of the table. */
    z.object({ kind: z.literal('CRAWL'), id: z.string(), revision: z.int() }),
    /** PROFILE: a profile of all rows of the table. */
    z.object({ kind: z.literal('PROFILE'), id: z.string(), profileId: z.int() }),
    /** `at`: the deadline that passed. */
    z.object({ kind: z.literal('DEADLINE'), id: z.string(), at: z.string() }),
  ]),
  includeInQualityScore: z.boolean(),
  /** Ids of the items to run; `null` means all. */
  itemSelection: z.array(z.int()).nullable(),
  sparkResourceConfig: z.record(z.string(), z.unknown()).nullable(),
  /** As the start request gave them. */
  markerConfigs: runMarkers.nullable(),
  /** W3C Trace Context of the request that started it. */
  trace: z.object({ traceparent: z.string().optional(), tracestate: z.string().optional() }).optional(),
  policy: z.object({ id: z.int(), version: z.int(), type: policyType, name: z.string(), definition: z.string() }),
  sides: z.tuple([side], side),
  /** Key of the version that earlier runs learned. Absent means none. */
  learned: z.string().exactOptional(),
  configuration: z.object({
    good: keptRows,
    bad: keptRows,
    metadata: z.object({ template: z.string() }),
    prefix: z.string().nullable(),
  }),
})
export type AcceptedRun = z.infer<typeof acceptedRun>
/** A run in an event. */
export type RecordedRun = AcceptedRun & JsonObject

/** All parts of a run were parsed from JSON, but the types of its free-form parts cannot express that. */
export function recordedRun(run: AcceptedRun): RecordedRun {
  return run as RecordedRun
}

/** The outcome of one item. `percentage`: four decimals, null if the item could not be evaluated. */
export const itemOutcome = z.object({
  itemId: z.int(),
  verdict: z.enum(['SUCCESSFUL', 'WARNING', 'ERRORED']),
  resultPercentage: z.number().nullable(),
  rowsScanned: z.int().nullable(),
  rowsFailed: z.int().nullable(),
  value: z.string().nullable(),
  error: z.string().nullable(),
  /** Why the verdict rests on incomplete information. */
  note: z.string().nullable().optional(),
  /** Why an item that learns usual values was not measured by period, or not completely. */
  notBackfilled: z.string().exactOptional(),
  /** Findings that only its kind reads. */
  detail: json.exactOptional(),
})
export type ItemOutcome = z.infer<typeof itemOutcome>

/** A value of a run as it was judged. `lower`, `upper`: the range that passes. */
const judgedPoint = z.object({
  itemId: z.int().nullable(),
  metric: z.string(),
  columnName: z.string().nullable(),
  key: z.string().nullable(),
  value: z.string(),
  lower: z.number().nullable(),
  upper: z.number().nullable(),
  fired: z.boolean(),
  /** The end of its period, epoch milliseconds. Absent: a value of the run. */
  periodEnd: z.int().exactOptional(),
})

/** Stored rows of one category. Keys are artifact keys: tenant first. */
export const keptFile = z.object({
  key: z.string(),
  /** Null if there was no such row. */
  file: z.string().nullable(),
  previewFile: z.string(),
  format: z.enum(['PARQUET', 'CSV', 'JSON']),
  rows: z.int(),
  /** For compared rows: number of rows in the file. Absent in results of earlier versions, which had all up to the limit. */
  stored: z.int().exactOptional(),
  /** For compared rows: the side and source column of each kept column, pair by pair. If absent, the rows are from the first side. */
  sides: z.array(z.object({ name: z.string(), side: sideName, column: z.string(), dataType: z.string() })).optional(),
})
export type KeptFile = z.infer<typeof keptFile>

/** The result of one side. `mark`: the marker position after this INCREMENTAL run. */
export const sideResult = z.object({
  side: sideName,
  /** `null` means no rows were read. */
  rowsScanned: z.int().nullable(),
  mark: z.string().nullable(),
  /** The number of files of the table, whether they were read or not. Absent: unknown, or not in files. */
  files: z.int().exactOptional(),
  warnings: z.object({
    total: z.int(),
    first: z.array(z.object({ line: z.number(), message: z.string() })),
  }),
  engineMs: z.number(),
  /**
   * The columns and tables that the SQL of each item read; a null `itemId` means the policy's filter. Unknown for items
   * without an entry.
   */
  touched: z.array(touched.extend({ itemId: z.int().nullable() })),
  /** Tables that views read, if items look up these views or name them in SQL. Absent means none. */
  viewSources: z.array(z.int()).exactOptional(),
  /** The columns that decide the periods in which figures were measured. Absent means none. */
  timeColumns: z.array(z.string()).exactOptional(),
})

export type SideResult = z.infer<typeof sideResult>

export const runResult = z.object({
  outcomes: z.array(itemOutcome),
  qualityScore: z.number().nullable(),
  verdict: z.enum(['SUCCESSFUL', 'WARNING', 'ERRORED']),
  /** Why there is no score, or why the score gives no verdict. */
  scoreError: z.string().nullable(),
  files: z.object({
    root: z.string(),
    metadata: z.object({ key: z.string(), file: z.string() }),
    bad: keptFile.nullable(),
    good: keptFile.nullable(),
  }),
  /** In the order of the run's sides. */
  sides: z.tuple([sideResult], sideResult),
  /** Identifies the markers of all sides. Marker positions count only for INCREMENTAL runs with the same key. */
  markKey: z.string().nullable(),
  /** The values for comparison with later runs, by series. `null` means they have passed their retention. */
  points: z.record(z.string(), z.string()).nullable().optional(),
  /**
   * The values of periods that are new or changed, by series and in the order of `ends` (epoch milliseconds). `null` means
   * they have passed their retention.
   */
  periods: z
    .object({ ends: z.array(z.int()), points: z.record(z.string(), z.array(z.string().nullable())) })
    .nullable()
    .exactOptional(),
  /** The values as they were judged. Absent means none. */
  judged: z.array(judgedPoint).exactOptional(),
  /** The scope of the profile that is kept next to the metadata. Profiles of one scope can be compared. */
  profileScope: z.string().exactOptional(),
  /** Key of the version that this run learned. If absent, the version of earlier runs stays. */
  learned: z.string().exactOptional(),
  /** When the next run must start because the data is too old then. Absent if there is no such time. */
  deadline: z.string().exactOptional(),
  /**
   * Of a set of files: how many there are, how many were read, and how many an earlier run had read. Absent: no set.
   */
  partitions: z.object({ total: z.int(), scanned: z.int(), reused: z.int() }).exactOptional(),
  /** The items because of which all files had to be read. Absent means none. */
  notMerged: z.array(z.object({ itemId: z.int(), reason: z.string() })).exactOptional(),
})
export type RunResult = z.infer<typeof runResult>

export const progress = z.object({
  stage: z.enum(['QUEUED', 'READING', 'MEASURING', 'WRITING']),
  /** 0 to 1; null if unknown. */
  fraction: z.number().nullable(),
})
export type RunProgress = z.infer<typeof progress>

/** The claim of a worker on a run. A worker with an older fence has lost it. `until`: ISO 8601 UTC. */
