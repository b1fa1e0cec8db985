import { defineCollection } from '@assay/documents'
import { z } from 'zod'

const storedBytesDocument = z.object({
  tenant: z.string(),
  /** Bytes of data of all events of the tenant, up to `position`. */
  bytes: z.int(),
  events: z.int(),
  position: z.string(),
})
export type StoredBytesDocument = z.infer<typeof storedBytesDocument>

/**
 * One document per tenant, under the system tenant, counted from the log. A rebuild keeps them, because counting
 * continues from a checkpoint.
 */
export const storedBytes = defineCollection<StoredBytesDocument>({
  name: 'stored_bytes',
  version: 1,
  idType: 'text',
  schema: storedBytesDocument,
  fields: {},
})
