import type { Documents } from '@assay/documents'
import { type AssetDocument, assetTables } from '../asset/collections.ts'
import { assetTypeOf } from '../types/asset-types.ts'
import type { SelectableTable } from './strategies.ts'

/** The properties of a table that decide which parts can be selected; `undefined` if it is not a table. */
export async function selectableTable(
  documents: Documents,
  tenant: string,
  asset: AssetDocument,
): Promise<SelectableTable | undefined> {
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
