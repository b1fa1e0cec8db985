import { z } from 'zod'
import { withFieldRules } from '../fields/field-rules.ts'
import { cronProblem } from '../values/cron.ts'
import { freeObject, id, isoTime, optional, plainText } from '../values/scalars.ts'
import { notificationPayload } from './notification-payload.ts'
import { sparkResourceRecord, sparkResources } from './spark-resources.ts'
import { storedMarkerRules, storedMarkers, storedMarkerTypes } from './stored-marker.ts'

export const profilingType = z.enum(['SELECTIVE', 'FULL', 'INCREMENTAL'])
const sensitivity = z.enum(['HIGH', 'MEDIUM', 'LOW'])
const resourceStrategy = z.enum(['INVENTORY', 'CUSTOM'])
const columnSchema = z.object({ name: z.string(), dataType: z.string(), nullable: z.boolean() })
export type ColumnSchema = z.infer<typeof columnSchema>
export const inferredMetadata = z.object({ data: z.array(columnSchema) })

export const assetConfiguration = z
  .object({
    id,
    assetId: id,
    description: z.string(),
    owner: z.array(z.string()).nullable(),
    team: z.array(z.string()),
    incrementalColumn: z.string().nullable(),
    strategy: z.string().nullable(),
    columnLevel: z.int(),
    isPatternProfile: z.boolean(),
    isReferenceCheckValid: z.boolean(),
    isUserMarkedReference: z.boolean(),
    scheduled: z.boolean(),
    schedule: z.string().nullable(),
    timeZone: z.string(),
    createdAt: isoTime,
    updatedAt: isoTime,
    assetReferenceValidationJob: freeObject.nullable(),
    referenceCheckConfiguration: freeObject.nullable(),
    inferredSchema: z.array(columnSchema).nullable(),
    profilingType: profilingType.nullable(),
    markerConfiguration: freeObject.nullable(),
    freshnessColumnInfo: z.object({ assetId: id, userProvided: z.boolean(), name: z.string().nullable() }).nullable(),
    notificationChannels: freeObject.nullable(),
    partitionConfiguration: z.object({ column: z.string(), numPartitions: z.int().nullable() }).nullable(),
    patternConfiguration: z.object({ frequencyType: z.string(), maxPatterns: z.int() }).nullable(),
    cadenceAnomalyModelSensitivity: sensitivity.nullable(),
    profileAnomalyModelSensitivity: sensitivity.nullable(),
    cadenceAnomalyTrainingWindowMinimumInDays: z.int().nullable(),
    profileAnomalyTrainingWindowMinimumInDays: z.int().nullable(),
    resourceStrategyType: resourceStrategy.nullable(),
    selectedResourceInventory: z.string().nullable(),
    sparkResourceConfig: sparkResourceRecord.nullable(),
    csv: freeObject.nullable(),
    autoRetryEnabled: z.boolean().nullable(),
  })
  .meta({ id: 'AssetConfiguration' })
export type AssetConfiguration = z.infer<typeof assetConfiguration>
/** Whether people can start a profile of this type. `reason` says why they cannot; empty if they can. */
const manualProfilingTrigger = z.object({ type: profilingType, canTrigger: z.boolean(), reason: z.string() })
export type ManualProfilingTrigger = z.infer<typeof manualProfilingTrigger>
export const assetConfigurationAnswer = z
  .object({
    assetConfiguration,
    assetJDBCPartitioningEnabled: z.null(),
    manualProfilingTriggers: z.array(manualProfilingTrigger),
  })
  .meta({ id: 'AssetConfigurationResponse' })

const short = plainText(1000)
const days = z.int().min(1).max(3650)
/** Settings must be small, because each change event contains the old and the new value. */
const isSmall = (value: unknown) => JSON.stringify(value).length <= 20_000
const anObject = freeObject.refine(isSmall, 'must be smaller')

const isWhole = (marker: { type?: unknown }) => marker.type != null || Object.keys(marker).length === 0
const markerOrNothing = withFieldRules(
  z
    .looseObject({ type: z.enum(storedMarkerTypes).nullish() })
    .refine(isWhole, { path: ['type'], error: `is needed: one of ${storedMarkerTypes.join(', ')}` })
    .superRefine((marker, context) => {
      if (marker.type == null) return
      const issues = storedMarkers.safeParse(marker).error?.issues ?? []
      for (const { path, message } of issues) context.addIssue({ code: 'custom', path, message })
    })
    .refine(isSmall, 'must be smaller'),
  { ...storedMarkerRules, emptyToo: true },
)

const isNamed = (text: string) => text.trim() !== ''
const someName = short.refine(isNamed, 'must not be empty')

/**
 * Settings that a request can change. `null` or absent settings stay. An empty text, list or free object clears a setting;
 * `null` clears `sparkResourceConfig` and `markerConfiguration`.
 */
const settingsFields = {
  description: optional(plainText(10_000)),
  /** One name, or a list of names. */
  owner: optional(
    z.union([z.literal(''), someName, z.array(someName).max(100)], 'must be a text, or a list of at most 100 texts'),
  ),
  team: optional(z.array(someName).max(100)),
  incrementalColumn: optional(short),
  strategy: optional(short),
  columnLevel: optional(z.int().min(0).max(100)),
  isPatternProfile: optional(z.boolean()),
  scheduled: optional(z.boolean()),
  schedule: optional(short),
  timeZone: optional(short),
  profilingType: optional(profilingType),
  /** An empty object or `null` clears the marker. */
  markerConfiguration: markerOrNothing.nullish(),
  freshnessColumnInfo: optional(z.object({ name: optional(short) })),
  /** An empty object clears them. */
  notificationChannels: optional(notificationPayload.refine(isSmall, 'must be smaller')),
  partitionConfiguration: optional(z.object({ column: short, numPartitions: optional(z.int().min(1).max(100_000)) })),
  patternConfiguration: optional(z.object({ frequencyType: short, maxPatterns: z.int().min(1).max(100_000) })),
  cadenceAnomalyModelSensitivity: optional(sensitivity),
  profileAnomalyModelSensitivity: optional(sensitivity),
  cadenceAnomalyTrainingWindowMinimumInDays: optional(days),
  profileAnomalyTrainingWindowMinimumInDays: optional(days),
  resourceStrategyType: optional(resourceStrategy),
  selectedResourceInventory: optional(short),
  sparkResourceConfig: sparkResources.refine(isSmall, 'must be smaller').nullish(),
  autoRetryEnabled: optional(z.boolean()),
  /** How a CSV file is read; an empty object clears the options. Applies from the next crawl on. */
  csv: optional(anObject),
}
type Scheduled = { schedule?: string | undefined; timeZone?: string | undefined }
function checkSchedule({ schedule, timeZone }: Scheduled, context: z.RefinementCtx): void {
  const problem = schedule || timeZone ? cronProblem(schedule || '@daily', timeZone || 'UTC') : undefined
  if (problem) context.addIssue({ code: 'custom', path: [schedule ? 'schedule' : 'timeZone'], message: problem })
}
const settings = z.object(settingsFields)
/** Settings at the top level or inside `assetConfiguration`, which takes precedence. */
export const assetConfigurationRequest = z
  .object({ ...settingsFields, assetConfiguration: optional(settings.superRefine(checkSchedule)) })
  .superRefine(checkSchedule)
  .transform(({ assetConfiguration: inner, ...outer }) => ({
    ...outer,
    ...(inner && Object.fromEntries(Object.entries(inner).filter(([, value]) => value !== undefined))),
  }))
export type AssetSettingsInput = z.output<typeof settings>
