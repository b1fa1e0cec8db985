import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { id, isoTime, optional, plainText } from '../values/scalars.ts'

export const udfLanguage = z.enum(['SCALA', 'JAVA', 'PYTHON', 'JAVASCRIPT', 'EXPRESSION'])
export const udfDataType = z.enum([
  'BOOLEAN',
  'STRING',
  'SHORT',
  'INTEGER',
  'LONG',
  'FLOAT',
  'DOUBLE',
  'BIGDECIMAL',
  'DATE',
  'TIMESTAMP',
])
export const udfType = z.enum(['FILTER', 'TRANSFORM', 'NUMBER'])
const name = plainText(256).refine((text) => text.trim() !== '', 'must not be empty')
const free = z.record(z.string(), z.unknown())

/** A parameter of a template, `${key}` in its code; `isColumnVariable`: `value` names a column. */
export const udfVariableInput = z.object({
  key: name,
  value: optional(plainText(10_000)),
  isColumnVariable: optional(z.boolean()),
})
export type UdfVariableInput = z.infer<typeof udfVariableInput>

/** Another asset, in which a template looks up values. */
const referenceAsset = z.object({
  referenceAssetUid: plainText(4000),
  referenceAssetAlias: plainText(256),
  referenceAssetColumns: z.array(plainText(1000)).max(1000),
  referenceAssetSqlFilter: optional(plainText(20_000)),
})

const testFields = {
  useTestData: optional(z.boolean()),
  /** JSON text of a list of rows. */
  testData: optional(plainText(100_000)),
  assetId: optional(id),
  analyticsPipelineId: optional(id),
}

export const udfTemplateRequest = z.object({
  name,
  description: optional(plainText(10_000)),
  code: plainText(20_000).refine((text) => text.trim() !== '', 'must not be empty'),
  language: udfLanguage,
  udfType,
  udfDataType,
  isTemplate: optional(z.boolean()),
  isPackage: optional(z.boolean()),
  isMetadata: optional(z.boolean()),
  isLookup: optional(z.boolean()),
  variables: optional(z.array(udfVariableInput).max(100)),
  className: optional(plainText(1000)),
  labels: optional(z.array(z.object({ key: plainText(256), value: plainText(1000) })).max(100)),
  packageId: optional(id),
  referenceAssets: optional(z.array(referenceAsset).max(20)),
  override: optional(z.boolean()),
  enableValidation: optional(z.boolean()),
  ...testFields,
})
export type UdfTemplateRequest = z.infer<typeof udfTemplateRequest>

export const udfTemplate = z
  .object({
    id,
    name: z.string(),
    description: z.string(),
    code: z.string(),
    language: udfLanguage,
    udfType,
    udfDataType,
    isTemplate: z.boolean(),
    isPackage: z.boolean(),
    isMetadata: z.boolean(),
    isLookup: z.boolean(),
    variables: z.array(z.string()),
    usedInPolices: z.array(z.object({ ruleId: id, ruleName: z.string() })),
    createdAt: isoTime,
    updatedAt: isoTime,
    className: z.string().nullable(),
    createdBy: z.string().nullable(),
    lastUpdatedBy: z.string().nullable(),
    labels: z.array(z.object({ key: z.string(), value: z.string() })).nullable(),
    packageId: id.nullable(),
    packageUdfDetail: free.nullable(),
    referenceAssets: z
      .array(
        z.object({
          referenceAssetUid: z.string(),
          referenceAssetAlias: z.string(),
          referenceAssetColumns: z.array(z.string()),
          referenceAssetSqlFilter: z.string().nullable(),
        }),
      )
      .nullable(),
  })
  .meta({ id: 'UDFTemplate' })
export type UdfTemplate = z.infer<typeof udfTemplate>

/** The list itself, or one page of it if `isPaginated` is true. */
export const udfTemplateList = z.union([z.array(udfTemplate), z.object({ data: z.array(udfTemplate), meta: pageMeta })])

export const udfValidationRequest = z.object({
  variables: optional(z.array(udfVariableInput).max(100)),
  selectedColumns: optional(z.array(plainText(1000)).max(1000)),
  isCustomSql: optional(z.boolean()),
  referenceAssets: optional(z.array(referenceAsset).max(20)),
  ...testFields,
})
export type UdfValidationRequest = z.infer<typeof udfValidationRequest>

/** `result` is the list of checked rows. In each row, the template's value is called `result`, too. */
export const udfValidationResult = z
  .object({
    requestId: z.string(),
    jobExecutionStatus: z.enum(['IN_PROGRESS', 'SUCCESSFUL', 'FAILED']),
    result: z.unknown(),
    errorMsg: z.string().nullable(),
  })
  .meta({ id: 'UdfValidationResult' })
export type UdfValidationResult = z.infer<typeof udfValidationResult>
