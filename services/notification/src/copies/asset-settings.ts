import { type AssetSettingsMessage, assetSettingsMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const settingsCopy = assetSettingsMessage.pick({ assetId: true }).extend({
  owners: z.array(z.string()),
  notificationChannels: z.record(z.string(), z.json()).nullable(),
})

/** Owners and channels of assets with settings. */
export const notificationAssetSettings = defineCollection<z.infer<typeof settingsCopy>>({
  name: 'notification_asset_settings',
  version: 1,
  idType: 'integer',
  schema: settingsCopy,
  fields: {},
})

/** The put for a message of an asset's settings. Pure. */
export function assetSettingsCopyPut(tenant: string, message: AssetSettingsMessage, position: string): DocumentPut {
  const { revision, assetId, owners = [], notificationChannels = null } = message
  const copy = { assetId, owners, notificationChannels }
  return documentPut(notificationAssetSettings, tenant, assetId, copy, { revision, position })
}
