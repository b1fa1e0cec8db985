import { z } from 'zod'
import type { Categories } from './definition.ts'

const rows = z.object({ suffixTemplate: z.string(), format: z.enum(['PARQUET', 'CSV', 'JSON']) })

/** Templates of the categories, as stored in documents. */
export const storedCategories: z.ZodType<Categories> = z.object({
  good: rows,
  bad: rows,
  metadata: z.object({ suffixTemplate: z.string() }),
})
