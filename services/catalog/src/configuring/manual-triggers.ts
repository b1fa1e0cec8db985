import type { ManualProfilingTrigger } from '@assay/contracts'
import { type DatasetLocator, isOfFiles } from '@assay/data-engine'
import type { AssetDocument } from '../asset/collections.ts'
import { assetTypeOf } from '../types/asset-types.ts'

/** Why users cannot start a profile of an asset; `undefined` if they can. */
function obstacleOf({ assetTypeId, isDeleted }: Pick<AssetDocument, 'assetTypeId' | 'isDeleted'>): string | undefined {
  const { canMonitor, canProfile } = assetTypeOf(assetTypeId)
  if (!canProfile) return 'The asset has no rows.'
  if (!canMonitor) return 'A column has no profile of its own: profile its table.'
  return isDeleted ? 'The asset is no longer in its source.' : undefined
}

/**
 * The kinds of profile that users can start for an asset, and why they cannot start the others. An INCREMENTAL one that
 * names no marker recognises new rows by the change times of files or by the time column. Pure.
 */
export function manualTriggersOf(
  asset: Pick<AssetDocument, 'assetTypeId' | 'isDeleted'>,
  { locator, timeColumn }: { locator: DatasetLocator | undefined; timeColumn: string | null },
): ManualProfilingTrigger[] {
  const obstacle = obstacleOf(asset)
  const trigger = (type: ManualProfilingTrigger['type'], reason = obstacle) => ({
    type,
    canTrigger: reason === undefined,
    reason: reason ?? '',
  })
  const hasMarker = (locator !== undefined && isOfFiles(locator)) || timeColumn !== null
  const unmarked = 'New rows cannot be recognised: set freshnessColumnInfo, or start it with a markerConfig.'
  return [trigger('FULL'), trigger('SELECTIVE'), trigger('INCREMENTAL', obstacle ?? (hasMarker ? undefined : unmarked))]
}
