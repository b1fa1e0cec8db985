import { z } from 'zod'
import { id, isoTime, optional, plainText } from '../values/scalars.ts'
import { runMarkerConfig } from './execution-markers.ts'

/**
 * SELECTIVE and INCREMENTAL need `markerConfig`. INCREMENTAL reads the rows above the previous profile's last row, at first
 * from the marker's lower bound on, and returns statistics of all rows read so far. If `selectedColumns` is absent
 * or empty, all columns are profiled.
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

/**
 * Statistics of one column:
 * - `distinct` counts different non-null values. In INCREMENTAL profiles of columns with more than 1,000 of them,
 *   `distinct` and `quantiles` are ESTIMATED, and `mostFrequent` is empty.
 * - `notFinite` counts NaN and infinities, which numeric statistics exclude; null for types other than floats.
 * - `quantiles`: the smallest value such that at least `fraction` of the values are not above it.
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
    quantiles: z.array(z.object({ fraction: z.number(), value })),
    mostFrequent: z.array(z.object({ value, count: z.int() })),
    masked: z.boolean(),
    error: z.string().nullable(),
  })
  .meta({ id: 'ColumnProfile' })

/**
 * `columnsLeftOut`: number of columns after the thousandth, which are not profiled. `warnings`: malformed lines that were
 * repaired.
 */
export const profileFigures = z
  .object({
    rows: z.int(),
    columns: z.array(columnProfile),
    columnsLeftOut: z.int(),
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
