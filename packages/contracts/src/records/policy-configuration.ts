import { z } from 'zod'
import { defaultTemplate } from '../values/persistence-template.ts'
import { id, optional, plainText } from '../values/scalars.ts'

export const rowFormatName = z.enum(['PARQUET', 'CSV', 'JSON'])
const categoryConfig = z.object({
  suffixTemplate: plainText(1000).min(1),
  format: optional(rowFormatName).transform((format) => format ?? 'PARQUET'),
})
/** Where each category is stored. Without `metadata`, metadata uses the default template. */
export const categories = z.object({
  good: categoryConfig,
  bad: categoryConfig,
  metadata: optional(z.object({ suffixTemplate: plainText(1000).min(1) })).transform(
    (metadata) => metadata ?? { suffixTemplate: defaultTemplate },
  ),
})
export type CategoriesConfig = z.infer<typeof categories>

const resultHandling = z.object({ storeResult: z.boolean(), sampleOnly: z.boolean().default(false) })
/** Where a policy's results are stored, and which rows. */
export const ruleConfigInput = z.object({
  persistenceFolderPrefix: optional(plainText(255)),
  categoriesPersistenceConfig: optional(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('DEFAULT') }),
      z.object({ type: z.literal('CUSTOM'), categoriesConfig: categories }),
      z
        .object({ type: z.literal('SAVED'), configId: optional(id), configName: optional(plainText(1000).min(1)) })
        .refine(({ configId, configName }) => configId !== undefined || configName !== undefined, {
          path: ['configId'],
          error: 'is needed, or configName',
        }),
    ]),
  ),
  categoriesResultHandlingConfig: optional(z.object({ good: resultHandling, bad: resultHandling })),
})
export type RuleConfigInput = z.infer<typeof ruleConfigInput>
export const ruleConfigRecord = z
  .object({
    id,
    ruleId: id,
    persistenceFolderPrefix: z.string().nullable(),
    categoriesPersistenceConfig: z.looseObject({ type: z.enum(['DEFAULT', 'CUSTOM', 'SAVED']) }),
    categoriesResultHandlingConfig: z.object({ good: resultHandling, bad: resultHandling }),
  })
  .meta({ id: 'RuleConfig' })
