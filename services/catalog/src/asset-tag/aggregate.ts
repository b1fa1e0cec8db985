import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { z } from 'zod'
import {
  type AssetTagCommand,
  type AssetTagEvent,
  type AssetTagState,
  decideAssetTag,
  evolveAssetTag,
  initialAssetTag,
} from './asset-tag.ts'

const assetTagDocument = z.object({
  associationId: z.int(),
  assetId: z.int(),
  uid: z.string(),
  tableId: z.int(),
  tagId: z.int(),
})
export type AssetTagDocument = z.infer<typeof assetTagDocument>

/** One per tag of an asset. The name is in the tag's own document. */
export const assetTags = defineCollection<AssetTagDocument>({
  name: 'asset_tags',
  version: 1,
  idType: 'integer',
  schema: assetTagDocument,
  fields: {
    assetId: { type: 'integer', of: ({ assetId }) => assetId },
    tableId: { type: 'integer', of: ({ tableId }) => tableId },
    tagId: { type: 'integer', of: ({ tagId }) => tagId },
  },
})

/** The stream id of a tag on an asset. */
export function assetTagKey(assetId: number, tagId: number): string {
  return `${assetId}.${tagId}`
}

/** Streams `<tenant>/assettag-<assetId>.<tagId>`: two concurrent requests for one tag make one association. */
export const assetTagAggregate: Aggregate<AssetTagState, AssetTagCommand, AssetTagEvent> = {
  category: 'assettag',
  decider: { initialState: initialAssetTag, decide: decideAssetTag, evolve: evolveAssetTag },
  schemaVersion: 1,
  documents: (state, { tenant }, source) =>
    state.status === 'absent'
      ? []
      : [
          documentPut(
            assetTags,
            tenant,
            state.association.associationId,
            state.status === 'present' ? state.association : null,
            source,
          ),
        ],
}
