import { type SqlText, touched } from '@assay/data-engine'
import { z } from 'zod'

/** An additional column of a sample: an expression over the row, with the values of its `${parameters}`. */
export const transform = z.object({
  name: z.string(),
  sql: z.string(),
  variables: z.record(z.string(), z.union([z.object({ text: z.string() }), z.object({ column: z.string() })])),
  /** Absent if unknown. */
  touched: touched.optional(),
})
export type Transform = z.infer<typeof transform>

export function expressionOf({ sql, variables }: Transform): SqlText {
  return { sql, variables }
}
