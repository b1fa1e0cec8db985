import { z } from 'zod'
import { id, isoTime, optional, plainText } from '../values/scalars.ts'
import { tagName } from './annotations.ts'

export const tagKeyTypes = ['UNSPECIFIED_TYPE', 'GOVERNED', 'USER'] as const
export const tagStatuses = ['UNSPECIFIED_STATUS', 'ACTIVE', 'RETIRED', 'MERGED', 'DELETED'] as const
const keyType = z.enum(tagKeyTypes)
const status = z.enum(tagStatuses)
/** Ids are text in the routes below `/api/tags`. */
const textId = z.string()

/** Author, time and tenant of a record. */
const written = {
  createdBy: z.string().nullable(),
  updatedBy: z.string().nullable(),
  createdAt: isoTime,
  updatedAt: isoTime,
  tenantId: z.string(),
}

export const tagKeyRecord = z
  .object({
    id: textId,
    name: z.string(),
    description: z.string(),
    type: keyType,
    status,
    mergedIntoId: textId.nullable(),
    ...written,
  })
  .meta({ id: 'TagKeyProto' })
export type TagKeyRecord = z.infer<typeof tagKeyRecord>

export const tagValueRecord = z
  .object({
    keyValueId: textId,
    keyId: textId.nullable(),
    value: z.string(),
    dataProtection: z.boolean(),
    status,
    mergedIntoId: textId.nullable(),
    ...written,
  })
  .meta({ id: 'TagValueProto' })
export type TagValueRecord = z.infer<typeof tagValueRecord>

/** A simple tag has no key. */
export const tagPairRecord = z
  .object({
    keyId: textId.nullable(),
    keyName: z.string().nullable(),
    keyType: keyType.nullable(),
    keyStatus: status.nullable(),
    keyValueId: textId,
    value: z.string(),
    valueStatus: status,
    dataProtection: z.boolean(),
    valueCreatedBy: z.string().nullable(),
    valueCreatedAt: isoTime,
  })
  .meta({ id: 'TagKeyValuePairProto' })
export type TagPairRecord = z.infer<typeof tagPairRecord>

const values = z.array(tagName).max(500)
export const createTagKeyRequest = z.object({
  key: tagName.refine((name) => !name.includes(':'), "must not contain ':'"),
  values: optional(values),
  type: optional(keyType),
  keyDescription: optional(plainText(10_000)),
})
export const tagKeyAnswer = z.object({ key: tagKeyRecord, values: z.array(tagValueRecord) })
export const addTagValuesRequest = z.object({ values: values.min(1, 'must not be empty') })
export const tagValuesAnswer = z.object({ values: z.array(tagValueRecord) })
export const tagPairList = z.object({
  results: z.array(tagPairRecord),
  total: z.int(),
  page: z.int(),
  size: z.int(),
})

export const taggableTypes = [
  'ASSET',
  'POLICY',
  'BULK_POLICY_RULE',
  'BULK_POLICY_RULESET',
  'POLICY_RULE_ITEM',
  'RECONCILIATION_COLUMN_MAPPING',
  'USER_DEFINED_FUNCTION',
  'LABELER',
] as const
export type TaggableType = (typeof taggableTypes)[number]
export const taggableType = z.enum(taggableTypes, { error: `must be one of ${taggableTypes.join(', ')}` })

export const tagDetail = z
  .object({
    keyValueId: id,
    keyId: id.nullable(),
    keyName: z.string().nullable(),
    keyType: keyType.nullable(),
    valueName: z.string(),
    valueStatus: status,
  })
  .meta({ id: 'TagDetail' })
export type TagDetail = z.infer<typeof tagDetail>
export const associateTagsRequest = z.object({
  entityId: id,
  entityType: taggableType,
  keyValueIds: z.array(id).min(1, 'must not be empty').max(500),
})
export const associateTagsAnswer = z.object({
  created: z.array(tagDetail),
  errors: z.array(z.object({ code: z.string(), keyValueId: id, message: z.string() })),
})
export const tagDetailList = z.array(tagDetail)
