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

const assetLabelDocument = z.object({ assetId: z.int(), index: z.int(), key: z.string(), value: z.string() })
export type AssetLabelDocument = z.infer<typeof assetLabelDocument>

/** One per label, so that assets can be found by it. */
export const assetLabels = defineCollection<AssetLabelDocument>({
  name: 'asset_labels',
  version: 2,
  idType: 'text',
  schema: assetLabelDocument,
  fields: {
    assetId: { type: 'integer', of: ({ assetId }) => assetId },
    index: { type: 'integer', of: ({ index }) => index },
    key: { type: 'text', of: ({ key }) => key },
    /** The form that searches filter by. */
    pair: { type: 'text', of: ({ key, value }) => `${key}:${value}` },
  },
})

/** If the list became shorter, the indexes after its end are put as `null`, which deletes their documents. */
function documents(state: AssetLabelsState, { tenant }: AggregateKey, source: Source): DocumentPut[] {
  const { assetId } = state
  return Array.from({ length: state.maxLabels }, (_, index) => {
    const label = state.labels[index]
    const document = label === undefined ? null : { assetId, index, ...label }
    return documentPut(assetLabels, tenant, `${assetId}.${index}`, document, source)
  })
}

/** The labels of an asset: streams `<tenant>/assetlabels-<assetId>`. */
export const assetLabelsAggregate: Aggregate<AssetLabelsState, ReplaceLabels, AssetLabelsEvent> = {
  category: 'assetlabels',
  decider: { initialState: initialAssetLabels, decide: decideAssetLabels, evolve: evolveAssetLabels },
  schemaVersion: 1,
  documents,
}
