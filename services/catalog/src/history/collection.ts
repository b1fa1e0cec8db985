import { defineCollection } from '@assay/documents'
import { z } from 'zod'
import { json } from '../json.ts'

const historyDocument = z.object({
  /** The id of the event, followed by a dot and the column's id if the line is about a column. */
  id: z.string(),
  assetId: z.int(),
  at: z.string(),
  actor: z.string(),
  accessKey: z.string().nullable(),
  action: z.string(),
  entityType: z.enum(['ASSET', 'TAG', 'LABEL', 'COMMENT', 'CONFIGURATION', 'METADATA', 'UDF_VARIABLE', 'SQL_VIEW']),
  entityId: z.int(),
  before: json,
  after: json,
})
export type HistoryDocument = z.infer<typeof historyDocument>

/** One per event of an asset or its annotations, never changed. */
export const assetHistory = defineCollection<HistoryDocument>({
  name: 'asset_history',
  version: 1,
  idType: 'text',
  schema: historyDocument,
  fields: {
    assetId: { type: 'integer', of: ({ assetId }) => assetId },
    at: { type: 'text', of: ({ at }) => at, required: true },
  },
  listings: [['assetId', 'at']],
})
