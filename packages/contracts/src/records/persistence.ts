import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { recordTypes } from '../values/persistence-template.ts'
import { id, optional, plainText } from '../values/scalars.ts'
import { categories, rowFormatName } from './policy-configuration.ts'

const template = z.object({ suffixTemplate: z.string() })
const rowsTemplate = template.extend({ format: rowFormatName })

/** Epoch milliseconds: the only record of the interface with numeric times. */
const epochTime = z.int().nonnegative()

/** A named location for results, which policies can share. */
export const persistenceConfig = z
  .object({
    id,
    tenantId: z.string(),
    name: z.string(),
    categoriesConfig: z.object({ good: rowsTemplate, bad: rowsTemplate, metadata: template }),
    description: z.string(),
    isDefault: z.boolean(),
    createdAt: epochTime,
    updatedAt: epochTime,
    createdBy: z.string(),
    lastUpdatedBy: z.string(),
    /** Number of policies that store their results there, including archived ones. */
    policyCount: z.int().nonnegative(),
  })
  .meta({ id: 'PersistenceStorageConfig' })
export type PersistenceConfigRecord = z.infer<typeof persistenceConfig>
export const persistenceConfigList = z.object({ data: z.array(persistenceConfig), meta: pageMeta })

const name = plainText(1000).trim().min(1, 'must not be empty').max(255)
export const createPersistenceConfigRequest = z.object({
  name,
  categoriesConfig: categories,
  description: optional(plainText(10_000)),
})
/** Absent fields keep their value. An empty description clears it. */
export const updatePersistenceConfigRequest = z.object({
  name: optional(name),
  categoriesConfig: optional(categories),
  description: optional(plainText(10_000)),
})

export const templateVariables = z
  .object({ variables: z.array(z.object({ name: z.string(), syntax: z.string(), description: z.string() })) })
  .meta({ id: 'TemplateVariablesResponse' })

/** Values for the tokens of a previewed template. `executionDateTime`: epoch milliseconds. */
export const templateContext = z
  .object({
    policyType: z.string(),
    policyName: z.string(),
    policyId: z.int(),
    executionId: z.int(),
    executionDateTime: z.int(),
    requestId: z.string(),
    recordType: z.enum(recordTypes),
    assetName: z.string(),
    datasourceName: z.string(),
  })
  .meta({ id: 'TemplateContext' })
export type TemplateContext = z.infer<typeof templateContext>

const contextText = optional(plainText(1000))
/** The last millisecond of the year 9999. */
const lastTime = 253_402_300_799_999
export const templatePreviewRequest = z.object({
  suffixTemplate: plainText(1000),
  sampleContext: optional(
    z.object({
      policyType: contextText,
      policyName: contextText,
      policyId: optional(id),
      executionId: optional(id),
      executionDateTime: optional(z.int().min(0).max(lastTime)),
      requestId: contextText,
      recordType: optional(z.enum(recordTypes)),
      assetName: contextText,
      datasourceName: contextText,
    }),
  ),
})
export const templatePreview = z
  .object({ resolvedSuffix: z.string(), contextUsed: templateContext })
  .meta({ id: 'TemplatePreviewResponse' })

/** Templates to validate. Invalid ones are accepted in the request, because the answer reports their faults. */
const triedTemplate = z.object({ suffixTemplate: plainText(10_000) })
const triedRows = triedTemplate.extend({ format: optional(rowFormatName) })
export const validatePersistenceRequest = z.object({
  categoriesConfig: z.object({ good: triedRows, bad: triedRows, metadata: optional(triedTemplate) }),
  requireMetadata: optional(z.boolean()),
})
export const persistenceValidation = z
  .object({
    valid: z.boolean(),
    error: z.string().nullable(),
    categoryErrors: z
      .object({ good: z.string().nullable(), bad: z.string().nullable(), metadata: z.string().nullable() })
      .nullable(),
  })
  .meta({ id: 'ValidatePersistenceConfigResponse' })
