import { type DocumentPut, defineCollection, documentPut, type Source } from '@assay/documents'
import type { Aggregate, AggregateKey } from '@assay/event-store'
import { z } from 'zod'
import {
  type AssetLabelsEvent,
  type AssetLabelsState,
  decideAssetLabels,
  evolveAssetLabels,
  initialAssetLabels,
  type ReplaceLabels,
} from './asset-labels.ts'

const assetLabelDocument = z.object({ assetId: z.int(), place: z.int(), key: z.string(), value: z.string() })
export type AssetLabelDocument = z.infer<typeof assetLabelDocument>

/** One per label, so that assets can be found by it. */
export const assetLabels = defineCollection<AssetLabelDocument>({
  name: 'asset_labels',
  version: 1,
  idType: 'text',
  schema: assetLabelDocument,
  fields: {
    assetId: { type: 'integer', of: ({ assetId }) => assetId },
    place: { type: 'integer', of: ({ place }) => place },
    key: { type: 'text', of: ({ key }) => key },
    /** The form in which people filter by it. */
    pair: { type: 'text', of: ({ key, value }) => `${key}:${value}` },
  },
})

/** A removed label's place is put as removed, which deletes its document. */
function documents(state: AssetLabelsState, { tenant }: AggregateKey, source: Source): DocumentPut[] {
  const { assetId } = state
  return Array.from({ length: state.places }, (_, place) => {
    const label = state.labels[place]
    const document = label === undefined ? null : { assetId, place, ...label }
    return documentPut(assetLabels, tenant, `${assetId}.${place}`, document, source)
  })
}

/** The labels of an asset: streams `<tenant>/assetlabels-<assetId>`. */
export const assetLabelsAggregate: Aggregate<AssetLabelsState, ReplaceLabels, AssetLabelsEvent> = {
  category: 'assetlabels',
  decider: { initialState: initialAssetLabels, decide: decideAssetLabels, evolve: evolveAssetLabels },
  schemaVersion: 1,
  documents,
}
