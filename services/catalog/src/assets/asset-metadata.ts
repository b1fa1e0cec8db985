import type { AssetMetadata } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { type AssetDocument, assetTables } from '../asset/collections.ts'
import { assetConfigurations } from '../asset-configuration/aggregate.ts'
import type { CustomItem } from '../asset-configuration/asset-configuration.ts'
import { columnMetadata, tableMetadata, withCustomItems } from './metadata.ts'

/** Metadata of assets: from crawls and from users. */
export interface AssetMetadataReader {
  /** `undefined` for an asset without rows and without custom metadata. */
  of(tenant: string, asset: AssetDocument): Promise<AssetMetadata | undefined>
  /** Like `of`, but never `undefined`: columns and counts are empty for an asset without rows. */
  all(tenant: string, asset: AssetDocument): Promise<AssetMetadata>
}

export function createMetadataReader({ documents }: { documents: Documents }): AssetMetadataReader {
  async function crawled(tenant: string, asset: AssetDocument): Promise<AssetMetadata | undefined> {
    if (asset.tableId !== null) return columnMetadata(asset)
    const table = await documents.get(assetTables, tenant, asset.id)
    return table && tableMetadata(table.document)
  }

  async function custom(tenant: string, { id }: AssetDocument): Promise<readonly CustomItem[]> {
    return (await documents.get(assetConfigurations, tenant, id))?.document.custom ?? []
  }

  async function both(tenant: string, asset: AssetDocument) {
    const [found, items] = await Promise.all([crawled(tenant, asset), custom(tenant, asset)])
    return { found, items }
  }

  return {
    async of(tenant, asset) {
      const { found, items } = await both(tenant, asset)
      return found === undefined && items.length === 0 ? undefined : withCustomItems(asset, found, items)
    },
    async all(tenant, asset) {
      const { found, items } = await both(tenant, asset)
      return withCustomItems(asset, found, items)
    },
  }
}
