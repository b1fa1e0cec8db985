import { type AssetLabelsMessage, assetLabelsMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import type { z } from 'zod'

const labelsCopy = assetLabelsMessage.pick({ assetId: true, labels: true })

/** The labels of assets that have or had some. */
export const notificationAssetLabels = defineCollection<z.infer<typeof labelsCopy>>({
  name: 'notification_asset_labels',
  version: 1,
  idType: 'integer',
  schema: labelsCopy,
  fields: {},
})

/** The put for a message of an asset's labels. Pure. */
export function assetLabelsCopyPut(
  tenant: string,
  { revision, assetId, labels }: AssetLabelsMessage,
  position: string,
): DocumentPut {
  return documentPut(notificationAssetLabels, tenant, assetId, { assetId, labels }, { revision, position })
}
