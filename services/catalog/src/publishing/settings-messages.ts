import type { AssetSettingsMessage } from '@assay/contracts'
import type { Loaded } from '@assay/event-store'
import { z } from 'zod'
import type { AssetConfigurationState } from '../asset-configuration/asset-configuration.ts'

const column = z.object({ name: z.string() })

/** The settings of an asset that its policies and their runs need; `undefined` if it has none. */
export function assetSettingsMessageOf({
  state,
  revision,
}: Pick<Loaded<AssetConfigurationState>, 'state' | 'revision'>): AssetSettingsMessage | undefined {
  const { assetId, settings } = state
  if (assetId === 0) return undefined
  const { timeZone, freshnessColumnInfo, referenceAssetId } = settings
  return {
    revision,
    assetId,
    timeZone: typeof timeZone === 'string' ? timeZone : null,
    freshnessColumn: column.safeParse(freshnessColumnInfo).data?.name ?? null,
    referenceAssetId: typeof referenceAssetId === 'number' ? referenceAssetId : null,
  }
}
