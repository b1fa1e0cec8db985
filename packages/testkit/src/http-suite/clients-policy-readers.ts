import { z } from 'zod'
import {
  anyValue,
  byClient,
  type Client,
  flag,
  free,
  integer,
  listOf,
  maybe,
  number,
  objectWith,
  paging,
  type Reader,
  record,
  text,
  time,
} from './clients-reader.ts'

/** Client C reads `success` and `warning` at the top level, client A reads the type with its config. Records have both. */
const topLevel = { success: number.nullable(), warning: number.nullable() }
export const threshold = z.union([
  z.object({ ...topLevel, type: z.literal('ABSOLUTE'), config: z.object({ direction: text }) }),
  z.object({ ...topLevel, type: z.literal('ANOMALY'), config: free }),
  z.object({
    ...topLevel,
    type: z.literal('RELATIVE'),
    config: free,
    operationalConfig: z.object({ lookBack: z.object({ window: integer, windowType: text }) }),
  }),
  z.object({ ...topLevel, type: z.literal('TIME_BASED'), config: free }),
])

const ruleFields = {
  name: text,
  type: text,
  version: integer,
  enabled: flag,
  archived: flag,
  isProtectedResource: flag,
  scheduled: flag,
  timeZone: text,
  thresholdLevel: byClient(() => threshold),
  policyScoreStrategy: text,
  includeInQualityScore: flag,
  treatZeroRowsAsSuccess: flag,
  isCompositeRule: flag,
  executionSequence: integer,
  continueExecutionOnFailure: flag,
  sparkSQLFilterType: text,
  additionalPersistedColumns: listOf(text),
  createdAt: time,
  updatedAt: time,
}
/** Additional fields that B reads. */
const alsoForB = { B: { description: text } }
const ruleTag = z.object({ id: integer, tagId: integer, ruleId: integer, name: text })
const policyGroup = z.object({
  id: anyValue,
  name: anyValue,
  description: anyValue,
  tenantId: anyValue,
  createdAt: anyValue,
  updatedAt: anyValue,
})
const jobSchedule = z.object({ cronExpression: text, timeZone: text, enabled: flag, scheduleType: text })
const optionalParts = z.object({
  jobSchedule: jobSchedule.nullish(),
  description: text,
  tags: z.array(ruleTag).nullish(),
  policyGroups: z.array(policyGroup).nullish(),
  notificationChannels: z
    .object({
      alertsEnabled: flag,
      configuredNotificationGroupIds: z.array(integer),
      notifyOn: z.array(text),
      notifyOnSuccess: flag,
      notifyOnWarning: flag,
      reNotifyMode: text,
    })
    .nullish(),
})
const rule = (fields: Parameters<typeof record>[0]): Reader =>
  byClient((client) => z.intersection(record({ ...ruleFields, ...fields }, alsoForB)[client], optionalParts))

const backingAsset = z.object({ tableAssetId: integer.nullish(), tableAssetUid: text.nullish() })
export const qualityRule = rule({
  backingAssets: listOf(backingAsset),
  rightSparkSQLFilterType: text,
  policyTransformUDFS: listOf(z.unknown()),
})
const dataQualityRule = rule({ backingAsset: byClient(() => backingAsset) })

/** Never null, because B iterates over the labels. */
const labels = byClient(() => z.array(z.object({ key: text, value: text })))
const item = byClient((client) =>
  z.intersection(
    record({
      ruleVersion: integer,
      name: text,
      measurementType: text,
      executionOrder: integer,
      resultThreshold: number,
      weightage: number,
      aggregateType: text,
      isWarning: flag,
      isDimension: flag,
      isArchived: flag,
    })[client],
    z.object({ labels: labels[client], thresholdConfig: threshold.nullish() }),
  ),
)
const details = record({
  ruleId: integer,
  backingAssetId: integer,
  items: listOf(item),
  isCompositeRule: flag,
  isSegmented: flag,
  continueExecutionOnFailure: flag,
  executionSequence: integer,
  policyScoreStrategy: text,
  treatZeroRowsAsSuccess: flag,
})
export const dataQualityAnswer = objectWith({ rule: dataQualityRule, details })
export const enabledAnswer = objectWith({ rule: qualityRule })

const flags = { isCompositeRule: flag, isSegmented: flag, continueExecutionOnFailure: flag }
const columnMapping = byClient((client) =>
  z.intersection(
    record({
      leftColumnName: text,
      rightColumnName: text,
      name: text,
      operation: text,
      mappingType: text,
      useForJoining: flag,
      ignoreNullValues: flag,
      isJoinColumnUsedForMeasure: flag,
      isWarning: flag,
      isArchived: flag,
      weightage: number,
      ruleVersion: integer,
    })[client],
    z.object({ labels: labels[client] }),
  ),
)
export const reconciliationAnswer = objectWith({
  rule: rule({
    leftBackingAsset: byClient(() => backingAsset),
    rightBackingAsset: byClient(() => backingAsset),
    timeSecondsOffset: integer,
  }),
  details: record(
    {
      ...flags,
      ruleId: integer,
      ruleVersion: integer,
      leftBackingAssetId: integer,
      rightBackingAssetId: integer,
      timeSecondsOffset: integer,
      treatZeroRowsAsSuccess: flag,
      leftSparkSQLFilterType: text,
      rightSparkSQLFilterType: text,
      items: listOf(record({ measurementType: text, executionOrder: integer, version: integer })),
      columnMappings: listOf(columnMapping),
    },
    { B: { segments: anyValue } },
  ),
})
export const dataCadenceAnswer = objectWith({
  rule: rule({ backingAsset: byClient(() => backingAsset) }),
  details: record({
    ...flags,
    ruleId: integer,
    backingAssetId: integer,
    version: integer,
    items: listOf(record({ displayName: text, measurementType: text, executionOrder: integer, ruleVersion: integer })),
  }),
})

const common = {
  ruleId: integer,
  ruleVersion: integer,
  executionMode: text,
  executionStatus: text,
  resultStatus: text,
  executionType: text,
  startedAt: time,
  thresholdLevel: threshold,
  includeInQualityScore: flag,
  dataPersistenceEnabled: flag,
  ruleSelectionEnabled: flag,
}
const needed = {
  ...common,
  allowRerun: flag,
  isProtectedResource: flag,
  isResourceRequestedAtRunTime: flag,
  participatingColumns: z.array(text),
  policyResultStatusStrategy: text,
  sparkSQLFilterType: text,
  rightSparkSQLFilterType: text,
  autoRetryEnabled: flag,
}
/** Types that A does not know. For known types, A requires the text fields. */
const ofOtherType = z.object({ type: z.string().regex(/^(?!bound|partition$)/) })
const marker = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('bound'), idColumnName: text }),
    z.object({ type: z.literal('boundDateTime'), dateColumnName: text, format: text, timeZoneId: text }),
    z.object({ type: z.literal('boundFileEvent'), dateColumnName: text, timeZoneId: text }),
    z.object({ type: z.literal('partition'), subType: text }),
  ])
  .or(ofOtherType)
const ruleExecution = z.object({
  ...needed,
  // A parses these fields only if they are present.
  markerConfig: marker.nullish(),
  resultPersistencePath: z.record(z.string(), text).nullish(),
  sparkResourceConfig: z.object({ invalidFields: z.array(text) }).nullish(),
})
/** The second branch of A's `oneOf`, for data quality only. */
const ofDataQualityOnly = z.object({ ...common, policyScoreStrategy: text })

const keysOf = (shape: z.ZodRawShape) => Object.fromEntries(Object.keys(shape).map((key) => [key, anyValue]))
/** For A, the body must match exactly one branch of a `oneOf`. */
const exactlyOne = z.custom<unknown>((value) => {
  const matches = [ruleExecution, ofDataQualityOnly].filter((branch) => branch.safeParse(value).success)
  return matches.length === 1
}, 'matches no branch of the oneOf, or more than one')
export const execution: Reader = {
  A: z.intersection(ruleExecution, exactlyOne),
  B: z.object({ ...keysOf(needed), ruleName: anyValue }),
  C: z.object({ ...keysOf(needed), thresholdLevel: z.object(topLevel) }),
}

const textOrNone = text.nullish()
const itemExecution = byClient((client) =>
  z.intersection(
    record({
      executionId: integer,
      ruleItemId: integer,
      startedAt: time,
      threshold: number,
      weightage: number,
      isWarning: flag,
    })[client],
    z.object({
      result: textOrNone,
      value: textOrNone,
      status: textOrNone,
      thresholdConfig: threshold.nullish(),
      item: maybe(item)[client],
    }),
  ),
)
const withItems = { execution, items: listOf(itemExecution) }
export const dataQualityRun = objectWith({ ...withItems, policyScoreStrategy: text, treatZeroRowsAsSuccess: flag })
export const otherRun = objectWith(withItems)

const itemResult = (forB: Record<string, z.ZodType>) =>
  record(
    {
      id: integer,
      ruleItemId: integer,
      threshold: number,
      weightage: number,
      dimension: text,
      includeInQualityScore: flag,
    },
    { B: forB, C: { isWarning: anyValue } },
  )
const result = (items: Reader): Reader =>
  objectWith({
    execution,
    items: listOf(items),
    meta: free,
    result: record({ ruleExecutionType: text, status: text }),
  })
export const runResult = result(itemResult({}))
export const reconciliationResult = result(itemResult({ isRowMatchMeasure: anyValue, isWarning: anyValue }))

export const runsOfKind = (run: Reader) => objectWith({ executions: listOf(run), meta: paging })
export const runsOfAllKinds = objectWith({
  executions: byClient((client) =>
    z.array(z.object({ execution: execution[client], items: maybe(listOf(itemExecution))[client] })),
  ),
})
export const runsOfOldPath = objectWith({ executions: listOf(objectWith({ execution })) })

/** If metrics are present, A requires the list. */
const executionMetrics: Readonly<Record<Client, z.ZodType>> = {
  A: z.object({ openAlertIds: z.array(integer) }),
  B: z.unknown(),
  C: z.unknown(),
}

export const ruleListAnswer = objectWith({
  rules: byClient((client) =>
    z.array(
      z.object({
        rule: qualityRule[client],
        // Here A reads only the common shape of all types, without the `oneOf`.
        execution: maybe(client === 'A' ? byClient(() => ruleExecution) : execution)[client],
        executionMetrics: executionMetrics[client].nullish(),
        childRules: z.array(z.unknown()),
      }),
    ),
  ),
  meta: objectWith({ count: integer, page: integer, size: integer, archivedPolicyCount: integer }),
})

const cancelled: Readonly<Record<Client, z.ZodType>> = {
  A: z.object({ status: text, isParentAvailable: flag, parentList: free }),
  B: z.object({ status: anyValue, message: anyValue }),
  C: z.object({ status: anyValue, message: anyValue }),
}
export const cancelledAnswer = objectWith({ result: cancelled })
