import type { Documents } from '@assay/documents'
import { type AssetDocument, assetTables } from '../asset/collections.ts'
import { assetTypeOf } from '../types/asset-types.ts'
import type { Partable } from './strategies.ts'

/** A table as far as it decides which part of it can be looked at; `undefined` for what is none. */
export async function partable(
  documents: Documents,
  tenant: string,
  asset: AssetDocument,
): Promise<Partable | undefined> {
  if (asset.tableId !== null) return undefined
  const table = (await documents.get(assetTables, tenant, asset.id))?.document
  if (table === undefined || table.facts === null) return undefined
  const type = assetTypeOf(table.placement.assetTypeId).name
  return {
    columns: table.columns
      .filter((column) => !column.isDeleted && column.path.length === 1)
      .map(({ path, dataType }) => ({ name: path[0] ?? '', dataType })),
    isFile: type === 'FILE',
    isTopic: type === 'KAFKA_TOPIC' || type === 'PUBSUB_TOPIC',
  }
}
