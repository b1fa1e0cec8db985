import type { AssetWatcher } from '@assay/contracts'
import type { Watch } from '../watch/watch.ts'

/** Exactly these fields: existing clients break on additional ones. */
export function watchRecord({ watchId: id, assetId, user: userId, since }: Watch): AssetWatcher {
  return { id, assetId, userId, createdAt: since, updatedAt: since }
}
