import { contentSketch } from '@assay/data-engine'
import { z } from 'zod'

/** A column for comparison. `nullable` is null if unknown; `content` is omitted if nothing is known of its values. */
const column = z.object({
  name: z.string(),
  dataType: z.string(),
  nullable: z.boolean().nullable(),
  content: contentSketch.exactOptional(),
})
export type SchemaColumn = z.infer<typeof column>

/** The schema of a table at the end of a run, or at the creation of its policy: the next run compares with it. */
export const learnedSchema = z.object({
  assetId: z.int(),
  /** When `content` was read, ISO 8601 UTC. */
  at: z.string(),
  columns: z.array(column),
})
export type LearnedSchema = z.infer<typeof learnedSchema>
