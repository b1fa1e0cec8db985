import { z } from 'zod'
import { withFieldRules } from '../../fields/field-rules.ts'
import { freeObject, id, optional, plainText } from '../../values/scalars.ts'
import { backingAssetRecord, policyFrame } from '../policy.ts'
import { anomalyStrengths, strengthRule } from './anomaly.ts'
import { listOf, policyFamily } from './family.ts'
import {
  columnName,
  constantsOfRuns,
  detailsFrame,
  expectedFalseAlarmsPerMonth,
  itemFrame,
  itemInputFrame,
  itemName,
  weather,
} from './frames.ts'

/** Measurements of DATA_FRESHNESS policies; the others belong to DATA_CADENCE. */
export const freshnessMeasurements = ['DATA_FRESHNESS', 'RAW_DATA_FRESHNESS'] as const
export const cadenceMeasurements = [
  'RECORD_COUNT_TOTAL',
  'RECORD_COUNT_DRIFT',
  'DATA_VOLUME_TOTAL',
  'DATA_VOLUME_DRIFT',
  'FILE_COUNT_TOTAL',
  'FILE_COUNT_DRIFT',
  'CHANGE_IN_FILE_SIZE',
  'ABSOLUTE_FILE_SIZE',
  'RAW_ABSOLUTE_SIZE',
  'MESSAGES_COUNT_TOTAL',
  'MESSAGES_COUNT_DRIFT',
  'CHANGE_IN_TOPIC_SIZE',
  'ABSOLUTE_TOPIC_SIZE',
] as const
export const arrivalMeasurements = [...freshnessMeasurements, ...cadenceMeasurements] as const
export type ArrivalMeasurement = (typeof arrivalMeasurements)[number]

export const arrivalItemInput = z.object({
  ...itemInputFrame,
  measurementType: z.enum(arrivalMeasurements),
  displayName: itemName,
  name: itemName,
  columnName: optional(columnName),
  value: optional(withFieldRules(freeObject, { strict: true, names: z.object({ maxAge: optional(plainText(100)) }) })),
})
export type ArrivalItemInput = z.infer<typeof arrivalItemInput>

export const arrivalItem = z
  .object({
    ...itemFrame,
    displayName: z.string(),
    measurementType: z.enum(arrivalMeasurements),
    columnName: z.string().nullable(),
    /** For freshness: `maxAge`, an ISO 8601 duration; `null` means the usual age of the asset. */
    value: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'CadenceItem' })

/** An item in the record of a run, with the constants that existing clients read there. */
export const executedArrivalItem = arrivalItem.extend(constantsOfRuns).meta({ id: 'ExecutedCadenceItem' })
export type ExecutedArrivalItem = z.infer<typeof executedArrivalItem>

export const cadenceAnswer = z
  .object({
    rule: z
      .object({
        ...policyFrame,
        type: z.enum(['DATA_CADENCE', 'DATA_FRESHNESS']),
        backingAsset: backingAssetRecord,
        anomalyStrengthThreshold: z.enum(anomalyStrengths),
        expectedFalseAlarmsPerMonth,
      })
      .meta({ id: 'DataCadenceRule' }),
    details: z.object({ ...detailsFrame, backingAssetId: id, items: z.array(arrivalItem) }),
  })
  .meta({ id: 'DataCadenceRuleResponse' })

const family = policyFamily(
  'cadence',
  { rule: strengthRule, lists: { items: listOf(arrivalItemInput) }, answer: cadenceAnswer, item: arrivalItem },
  executedArrivalItem,
)

export const dataCadence = {
  ...family,
  example: {
    rule: { name: 'Weather arrives', backingAsset: weather },
    items: [{ measurementType: 'RECORD_COUNT_DRIFT' }],
  },
  hasOpenResults: true,
} as const
export const dataFreshness = {
  ...family,
  example: {
    rule: { name: 'The weather is fresh', backingAsset: weather },
    items: [{ measurementType: 'DATA_FRESHNESS', columnName: 'date', value: { maxAge: 'PT36H' } }],
  },
  unscheduledBy: 'interface',
} as const
