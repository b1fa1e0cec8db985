import { type AssetSettingsMessage, storedMarkers } from '@assay/contracts'
import type { Loaded } from '@assay/event-store'
import { z } from 'zod'
import type { AssetConfigurationState } from '../asset-configuration/asset-configuration.ts'

const column = z.object({ name: z.string() })
/** Older settings have one owner, as text. */
const owners = z.union([z.array(z.string()), z.string().transform((owner) => [owner])])
const channels = z.record(z.string(), z.json())
const scheduledProfiles = z
  .object({
    scheduled: z.literal(true),
    schedule: z.string().min(1),
    timeZone: z.string().nullish(),
    profilingType: z.enum(['FULL', 'INCREMENTAL']).nullish(),
  })
  .transform(({ schedule: cronExpression, timeZone, profilingType }) => ({
    schedule: { cronExpression, timeZone: timeZone || 'UTC' },
    profilingType: profilingType ?? null,
  }))

/** The settings of an asset that its policies, their runs and rules need; `undefined` if it has none. */
export function assetSettingsMessageOf({
  state,
  revision,
}: Pick<Loaded<AssetConfigurationState>, 'state' | 'revision'>): AssetSettingsMessage | undefined {
  const { assetId, settings } = state
  if (assetId === 0) return undefined
  const { timeZone, freshnessColumnInfo, referenceAssetId, owner } = settings
  const notificationChannels = channels.safeParse(settings.notificationChannels).data
  const profiles = scheduledProfiles.safeParse(settings).data
  const marker = storedMarkers.safeParse(settings.markerConfiguration).data
  return {
    revision,
    assetId,
    timeZone: typeof timeZone === 'string' ? timeZone : null,
    freshnessColumn: column.safeParse(freshnessColumnInfo).data?.name ?? null,
    referenceAssetId: typeof referenceAssetId === 'number' ? referenceAssetId : null,
    owners: owners.safeParse(owner).data ?? [],
    ...(notificationChannels === undefined ? {} : { notificationChannels }),
    ...(profiles === undefined ? {} : { profiles }),
    ...(marker === undefined ? {} : { marker }),
  }
}
