import type { ManualProfilingTrigger } from '@assay/contracts'
import { type DatasetLocator, isOfFiles } from '@assay/data-engine'
import type { AssetDocument } from '../asset/collections.ts'
import { assetTypeOf } from '../types/asset-types.ts'

/** Why an asset of this type has no profiles; `undefined` if it can have some. */
export function obstacleOf({ assetTypeId }: Pick<AssetDocument, 'assetTypeId'>): string | undefined {
  const { canMonitor, canProfile } = assetTypeOf(assetTypeId)
  if (!canProfile) return 'The asset has no rows.'
  return canMonitor ? undefined : 'A column has no profile of its own: profile its table.'
}

/**
 * The kinds of profile that users can start for an asset, and why they cannot start the others. An INCREMENTAL one that
 * names no marker recognises new rows by the marker or the time column of the configuration, or by the change times of
 * files. Pure.
 */
export function manualTriggersOf(
  asset: Pick<AssetDocument, 'assetTypeId' | 'isDeleted'>,
  { locator, isMarked }: { locator: DatasetLocator | undefined; isMarked: boolean },
): ManualProfilingTrigger[] {
  const obstacle = obstacleOf(asset) ?? (asset.isDeleted ? 'The asset is no longer in its source.' : undefined)
  const trigger = (type: ManualProfilingTrigger['type'], reason = obstacle) => ({
    type,
    canTrigger: reason === undefined,
    reason: reason ?? '',
  })
  const hasMarker = (locator !== undefined && isOfFiles(locator)) || isMarked
  const unmarked =
    'New rows cannot be recognised: set markerConfiguration or freshnessColumnInfo, or start it with a markerConfig.'
  return [trigger('FULL'), trigger('SELECTIVE'), trigger('INCREMENTAL', obstacle ?? (hasMarker ? undefined : unmarked))]
}
