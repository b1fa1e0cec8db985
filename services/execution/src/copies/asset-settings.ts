import { type AssetSettingsMessage, assetSettingsMessage } from '@assay/contracts'
import { type DocumentPut, type Documents, defineCollection, documentPut } from '@assay/documents'
import type { TableSettings } from '@assay/reliability'
import { z } from 'zod'

const settingsCopy = z.object({ settings: assetSettingsMessage })
/** The settings of assets, from the catalog's last messages. Assets without settings have no document. */
export const executionAssetSettings = defineCollection<z.infer<typeof settingsCopy>>({
  name: 'execution_asset_settings',
  version: 3,
  idType: 'integer',
  schema: settingsCopy,
  fields: {},
})

/** Stores settings from their message. `position`: the position of this state in the catalog's log. Pure. */
export function assetSettingsPut(tenant: string, settings: AssetSettingsMessage, position: string): DocumentPut {
  const source = { revision: settings.revision, position }
  return documentPut(executionAssetSettings, tenant, settings.assetId, { settings }, source)
}

/** The settings of a table. */
export async function settingsOf(
  documents: Pick<Documents, 'get'>,
  tenant: string,
  assetId: number,
): Promise<TableSettings & Pick<AssetSettingsMessage, 'marker'>> {
  const found = await documents.get(executionAssetSettings, tenant, assetId)
  return found?.document.settings ?? { timeZone: null, freshnessColumn: null }
}
