import type { Assembly, Asset, ChildAsset } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import { assemblies } from '../assembly/aggregate.ts'
import type { AssetDocument } from '../asset/collections.ts'
import { assetTypeOf } from '../types/asset-types.ts'
import { bucketedDataType } from '../types/bucketed-data-type.ts'
import { sourceTypeOf } from '../types/source-types.ts'

function assetRecord(document: AssetDocument, assembly: Assembly): Asset {
  const { id, uid, name, parentId, isDeleted, createdAt, updatedAt } = document
  return {
    id,
    uid,
    name,
    alias: null,
    description: '',
    parentId,
    assetType: assetTypeOf(document.assetTypeId),
    sourceType: sourceTypeOf(document.sourceTypeId),
    assembly,
    isActive: !isDeleted,
    isCustom: false,
    isDeleted,
    isSegmented: false,
    customAssetType: null,
    currentSnapshot: null,
    snapshots: [],
    createdAt,
    updatedAt,
  }
}

/** The records of assets, each with the record of its assembly as it is now; a deleted assembly is shown as such. */
export async function assetRecords(
  documents: Documents,
  tenant: string,
  found: readonly AssetDocument[],
): Promise<Asset[]> {
  const ids = [...new Set(found.map(({ assemblyId }) => assemblyId))]
  const known = new Map<number, Assembly>()
  if (ids.length > 0) {
    const answer = await documents.find(assemblies, tenant, { where: [{ field: 'id', in: ids }], size: ids.length })
    for (const { record } of answer.documents) known.set(record.id, record)
  }
  return found.map((document) => {
    const assembly = known.get(document.assemblyId)
    if (assembly === undefined) throw new AssayError('internal', `The assembly of asset ${document.id} is not known.`)
    return assetRecord(document, assembly)
  })
}

/** The short record of an asset among the children of another. */
export function childAssetRecord(document: AssetDocument): ChildAsset {
  const { id, uid, name, parentId, dataType, updatedAt } = document
  return {
    assetId: id,
    uid,
    name,
    alias: null,
    parentId,
    childType: assetTypeOf(document.assetTypeId),
    dataType,
    bucketedDataType: bucketedDataType(dataType),
    isCustom: false,
    protected: false,
    reliabilityScore: null,
    updatedAt,
  }
}
