import type { AssetWatcher, WatchRecord } from '@assay/contracts'
import { AssayError } from '@assay/service-kit/errors'
import type { Watch } from '../watch/watch.ts'

/** Exactly these fields: existing clients break on additional ones. */
export function assetWatcherOf({ watchId: id, assetId, user: userId, since, updatedAt }: Watch): AssetWatcher {
  if (assetId === null) throw new AssayError('internal', 'This watch is not of an asset.')
  return { id, assetId, userId, createdAt: since, updatedAt }
}

/** A watch of anything. */
export function watchRecord(watch: Watch): WatchRecord {
  const { watchId: id, user: userId, since: createdAt, updatedAt, kinds, minSeverity } = watch
  const { assetId, policyId, assemblyId, tagId, search } = watch
  return { id, assetId, policyId, assemblyId, tagId, search, userId, kinds, minSeverity, createdAt, updatedAt }
}
