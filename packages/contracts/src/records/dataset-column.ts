import { z } from 'zod'

/** A column of a table as services tell each other. */
export const datasetColumn = z.object({ id: z.int(), name: z.string(), dataType: z.string() })
export type DatasetColumn = z.infer<typeof datasetColumn>
