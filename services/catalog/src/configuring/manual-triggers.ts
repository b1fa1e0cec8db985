import type { ManualProfilingTrigger } from '@assay/contracts'
import type { AssetDocument } from '../asset/collections.ts'
import { assetTypeOf } from '../types/asset-types.ts'

/** Why users cannot start a profile of an asset; `undefined` if they can. */
function obstacleOf({ assetTypeId, isDeleted }: Pick<AssetDocument, 'assetTypeId' | 'isDeleted'>): string | undefined {
  const { canMonitor, canProfile } = assetTypeOf(assetTypeId)
  if (!canProfile) return 'The asset has no rows.'
  if (!canMonitor) return 'A column has no profile of its own: profile its table.'
  return isDeleted ? 'The asset is no longer in its source.' : undefined
}

/** The kinds of profile that users can start for an asset, and why they cannot start the others. Pure. */
export function manualTriggersOf(asset: Pick<AssetDocument, 'assetTypeId' | 'isDeleted'>): ManualProfilingTrigger[] {
  const obstacle = obstacleOf(asset)
  const trigger = (type: ManualProfilingTrigger['type'], reason = obstacle) => ({
    type,
    canTrigger: reason === undefined,
    reason: reason ?? '',
  })
  return [
    trigger('FULL'),
    trigger('SELECTIVE'),
    trigger('INCREMENTAL', obstacle ?? 'Figures of new rows only cannot be combined with those of all rows.'),
  ]
}
