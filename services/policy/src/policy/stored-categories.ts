import type { CategoriesConfig } from '@assay/contracts'
import { z } from 'zod'

const rows = z.object({ suffixTemplate: z.string(), format: z.enum(['PARQUET', 'CSV', 'JSON']) })

/** Templates of the categories, as stored in documents. */
export const storedCategories: z.ZodType<CategoriesConfig> = z.object({
  good: rows,
  bad: rows,
  metadata: z.object({ suffixTemplate: z.string() }),
})
