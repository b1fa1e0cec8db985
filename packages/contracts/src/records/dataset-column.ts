import { z } from 'zod'

/** A column of a table as services tell each other. */
export const datasetColumn = z.object({
  id: z.int(),
  /** Mostly the table's UID, a dot and the name; the catalog alters what would be no UID or is taken. */
  uid: z.string(),
  name: z.string(),
  dataType: z.string(),
})
export type DatasetColumn = z.infer<typeof datasetColumn>
