import type { AssetLabelsMessage } from '@assay/contracts'
import type { Loaded } from '@assay/event-store'
import type { AssetLabelsState } from '../asset-labels/asset-labels.ts'

/** The labels of an asset; `undefined` if it never had any. */
export function assetLabelsMessageOf({
  state: { assetId, labels },
  revision,
}: Pick<Loaded<AssetLabelsState>, 'state' | 'revision'>): AssetLabelsMessage | undefined {
  return assetId === 0 ? undefined : { revision, assetId, labels }
}
