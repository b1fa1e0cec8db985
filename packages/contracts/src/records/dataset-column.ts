import { z } from 'zod'

/** A column of a table in messages between services. */
export const datasetColumn = z.object({
  id: z.int(),
  /**
   * Usually the table's UID, a dot and the name. The catalog changes it if it is not a valid UID, or if it is taken.
   */
  uid: z.string(),
  name: z.string(),
  dataType: z.string(),
  /** Absent if it is unknown. */
  nullable: z.boolean().optional(),
})
export type DatasetColumn = z.infer<typeof datasetColumn>
