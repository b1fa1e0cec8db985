import { z } from 'zod'
import { id, isoTime, optional, plainText } from '../values/scalars.ts'
import { skippedTimes } from './execution.ts'
import { runMarkerConfig } from './execution-markers.ts'
import { measurementType } from './item-kinds.ts'
import { policyName } from './policy-input.ts'

/**
 * SELECTIVE and INCREMENTAL need `markerConfig`. The exception is INCREMENTAL for files, because change times show
 * which files are new. INCREMENTAL reads the rows above the last row of the previous profile; the first such profile
 * reads from the marker's lower bound on. The result has statistics of all rows read so far. If `selectedColumns` is
 * absent or empty, all columns are profiled.
 */
export const profileStart = z.object({
  data: z.object({
    profilingType: z.enum(['FULL', 'SELECTIVE', 'INCREMENTAL']),
    markerConfig: optional(runMarkerConfig),
    selectedColumns: optional(z.array(plainText(10_000).min(1)).max(1000)),
  }),
})

/** `isProfileAnomalous`: whether the profile has an anomaly. */
export const profileRequest = z
  .object({
    id,
    assetId: id,
    assetUid: z.string(),
    requestId: z.string(),
    status: z.enum(['IN_PROGRESS', 'SUCCESSFUL', 'FAILED', 'ABORTED']),
    profilingType: z.enum(['FULL', 'SELECTIVE', 'INCREMENTAL']),
    markerConfig: z.looseObject({ type: z.string() }).nullable(),
    profileCapabilities: z.array(z.string()),
    selectedColumns: z.array(z.string()),
    isProfileAnomalous: z.boolean(),
    rowCount: z.int().nullable(),
    columnCount: z.int().nullable(),
    progress: z.object({ stage: z.string(), fraction: z.number().nullable() }).nullable(),
    errorMessage: z.string().nullable(),
    createdBy: z.string(),
    createdAt: isoTime,
    updatedAt: isoTime,
    startedAt: isoTime.nullable(),
    finishedAt: isoTime.nullable(),
    /** For external engines; older clients need the keys. */
    jobId: z.null(),
    sparkClusterContext: z.null(),
  })
  .meta({ id: 'ProfileRequest' })
export type ProfileRequest = z.infer<typeof profileRequest>

/** Values that JSON numbers cannot hold exactly are text, times are ISO 8601, binary is base64. */
const value = z.union([z.null(), z.boolean(), z.number(), z.string()])

const figure = z.number().nullable()
const count = z.int().nullable()
const moreFigures = {
  count,
  nullPercentage: figure,
  empty: count,
  blank: count,
  unique: count,
  duplicates: count,
  sum: value,
  variance: figure,
  skewness: figure,
  kurtosis: figure,
  zeros: count,
  negatives: count,
  meanLength: figure,
  minWords: count,
  maxWords: count,
  trueCount: count,
  falseCount: count,
  interquartileRange: figure,
  histogram: z.array(z.object({ from: z.number(), to: z.number(), count: z.int() })).nullable(),
  patterns: z.array(z.object({ pattern: z.string(), count: z.int() })).nullable(),
  inferredType: z.string().nullable(),
  typeCounts: z.array(z.object({ type: z.string(), count: z.int() })).nullable(),
}

/**
 * Statistics of one column; those that its type cannot have are null:
 * - `distinct` counts different non-null values. In INCREMENTAL profiles of columns with more than 1,000,000 of
 *   them, or 128 MB (512 MB in all columns), `distinct` and `quantiles` are ESTIMATED, and `mostFrequent` is empty.
 * - `notFinite` counts NaN and infinities, which numeric statistics exclude; null for types other than floats.
 * - `quantiles`: the smallest value such that at least `fraction` of the values are not above it.
 * - `count`: rows that are not NULL. `unique`: values that occur once. `duplicates`: `count` less `distinct`.
 * - `variance` is of the sample, `skewness` and excess `kurtosis` are of the population. `histogram`: bins of equal width.
 * - `patterns`: the most frequent forms of texts: `A` and `a` for letters, `9` for digits. `typeCounts`: what texts that are not
 *   blank look like; `inferredType` fits all of them.
 * - `masked`: the column is protected, and only counts are shown. `error`: why statistics are missing.
 */
const columnProfile = z
  .object({
    name: z.string(),
    dataType: z.string(),
    nulls: z.int(),
    distinct: z.int().nullable(),
    distinctMethod: z.enum(['EXACT', 'ESTIMATED']),
    min: value,
    max: value,
    mean: z.number().nullable(),
    standardDeviation: z.number().nullable(),
    minLength: z.int().nullable(),
    maxLength: z.int().nullable(),
    notFinite: z.int().nullable(),
    ...moreFigures,
    quantiles: z.array(z.object({ fraction: z.number(), value })),
    mostFrequent: z.array(z.object({ value, count: z.int() })),
    masked: z.boolean(),
    error: z.string().nullable(),
  })
  .meta({ id: 'ColumnProfile' })

/**
 * `columnsLeftOut`: number of columns after the thousandth, which are not profiled. `warnings`: malformed lines that were
 * repaired. `partitions`: of files, how many were read, and how many an earlier profile had read; null for other sources.
 */
export const profileFigures = z
  .object({
    rows: z.int(),
    columns: z.array(columnProfile),
    columnsLeftOut: z.int(),
    partitions: z.object({ total: z.int(), scanned: z.int(), reused: z.int() }).nullable(),
    warnings: z.object({
      total: z.int(),
      first: z.array(z.object({ line: z.number(), message: z.string() })),
    }),
    elapsedMs: z.number(),
  })
  .meta({ id: 'ProfileFigures' })
export type ProfileFigures = z.infer<typeof profileFigures>

export const profileAnswer = z.object({ data: profileRequest })
export const profileDetail = z.object({ profileRequest, data: profileRequest })
export const profileResult = z.object({ profileRequest, data: profileFigures })

/**
 * The schedule of an asset's configuration. If there is none, its fields are null. `nextRuns`: the next five times.
 * `skipped`: the latest 20 times at which no profile started, newest first; they stay after the end of the schedule.
 */
export const profileSchedule = z
  .object({
    scheduled: z.boolean(),
    cronExpression: z.string().nullable(),
    timeZone: z.string().nullable(),
    profilingType: z.enum(['FULL', 'INCREMENTAL']).nullable(),
    nextRuns: z.array(isoTime),
    skipped: skippedTimes,
  })
  .meta({ id: 'ProfileSchedule' })

/**
 * An item that may be added to a policy. `rank`: 1 is the best of its column. `failureRate`: the share of the
 * `partitions` earlier profiles that would have failed it; null if there are none. `id` identifies the item by its
 * content.
 */
const suggestion = z
  .object({
    id: z.string(),
    columnName: z.string(),
    measurementType,
    value: z.record(z.string(), z.unknown()),
    resultThreshold: z.number(),
    rank: z.int(),
    failureRate: z.number().nullable(),
    partitions: z.int(),
  })
  .meta({ id: 'Suggestion' })
export const suggestionList = z.array(suggestion)

/** Without a name, the policy is named after the asset. */
export const suggestionAcceptance = z.object({
  ids: z.array(plainText(20_000).min(1)).min(1, 'must name at least one suggestion').max(1000),
  name: optional(policyName),
})
