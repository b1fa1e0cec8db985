import { z } from 'zod'
import { strictly } from '../../fields/field-rules.ts'
import { id, optional, plainText } from '../../values/scalars.ts'
import { backingAssetRecord, policyFrame } from '../policy.ts'
import { ruleInput } from '../policy-input.ts'
import { listOf, policyFamily } from './family.ts'
import { detailsFrame, itemFrame, itemInputFrame, weather } from './frames.ts'

export const driftSeverities = ['ERROR', 'WARNING', 'IGNORE'] as const
export type DriftSeverity = (typeof driftSeverities)[number]

export const schemaDriftItemInput = z.object({
  ...itemInputFrame,
  assetId: optional(id),
  schemaDriftRuleConfig: optional(
    z.object({
      assetAddition: z.boolean(),
      assetDeletion: z.boolean(),
      assetMetaData: z.boolean(),
      metaDataConfigs: optional(z.array(plainText(255)).max(100)),
      assetRelationChange: optional(z.boolean()),
      dataType: optional(z.boolean()),
    }),
  ),
})
export type SchemaDriftItemInput = z.infer<typeof schemaDriftItemInput>

const severity = optional(z.enum(driftSeverities))
/** `typeChanged` alone also sets `typeWidened`. */
export const severityInput = z.object({
  added: severity,
  removed: severity,
  renamed: severity,
  typeWidened: severity,
  typeChanged: severity,
  nullability: severity,
  order: severity,
})

const schemaDriftRule = ruleInput.extend({ severity: optional(strictly(severityInput)) })

export const schemaDriftItem = z
  .object({
    ...itemFrame,
    assetId: id,
    schemaDriftRuleConfig: z
      .object({
        assetAddition: z.boolean(),
        assetDeletion: z.boolean(),
        assetMetaData: z.boolean(),
        metaDataConfigs: z.array(z.string()),
        assetRelationChange: z.boolean().nullable(),
        dataType: z.boolean().nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'SchemaDriftItem' })

const severityOfRecord = z.enum(driftSeverities)
export const severityRecord = z
  .object({
    added: severityOfRecord,
    removed: severityOfRecord,
    renamed: severityOfRecord,
    typeWidened: severityOfRecord,
    typeChanged: severityOfRecord,
    nullability: severityOfRecord,
    order: severityOfRecord,
  })
  .meta({ id: 'SchemaDriftSeverity' })

export const schemaDriftAnswer = z
  .object({
    rule: z
      .object({
        ...policyFrame,
        type: z.literal('SCHEMA_DRIFT'),
        backingAsset: backingAssetRecord,
        assemblyId: z.int().nullable(),
        severity: severityRecord,
      })
      .meta({ id: 'SchemaDriftRule' }),
    details: z.object({ ...detailsFrame, backingAssetId: id, items: z.array(schemaDriftItem) }),
  })
  .meta({ id: 'SchemaDriftRuleResponse' })

const family = policyFamily('schema-drift', {
  rule: schemaDriftRule,
  lists: { items: listOf(schemaDriftItemInput) },
  answer: schemaDriftAnswer,
  item: schemaDriftItem,
})

export const schemaDrift = {
  ...family,
  example: {
    rule: {
      name: 'The weather keeps its columns',
      backingAsset: weather,
      severity: { added: 'WARNING', removed: 'ERROR' },
    },
  },
  unscheduledBy: 'guide',
  isReadById: true,
} as const
