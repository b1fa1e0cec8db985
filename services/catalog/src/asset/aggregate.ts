import { type DocumentPut, documentPut, type Source } from '@assay/documents'
import type { Aggregate, AggregateKey } from '@assay/event-store'
import { assetTypeOf, columnTypeOf } from '../types/asset-types.ts'
import { type AssetEvent, type AssetState, evolveAsset, initialAsset, type KnownAsset } from './asset.ts'
import { type AssetDocument, assets, assetTables } from './collections.ts'
import { type AssetCommand, decideAsset } from './decide.ts'
import { hierarchyPathOf } from './hierarchy-path.ts'

function assetDocuments(state: KnownAsset): AssetDocument[] {
  const { placement } = state
  const { assemblyId, sourceTypeId } = placement
  const isVanished = state.status === 'vanished'
  const columnTypeId = columnTypeOf(placement.assetTypeId).id
  const own: AssetDocument = {
    id: state.id,
    uid: state.uid,
    name: state.name,
    parentId: placement.parentId,
    assetTypeId: assetTypeOf(placement.assetTypeId).id,
    sourceTypeId,
    assemblyId,
    tableId: null,
    dataType: null,
    nullable: null,
    isDeleted: isVanished,
    hierarchyPath: hierarchyPathOf(state.naturalPath),
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
  }
  const columns = state.columns.map(
    (column): AssetDocument => ({
      id: column.id,
      uid: column.uid,
      name: column.path.at(-1) ?? '',
      parentId: column.parentId,
      assetTypeId: columnTypeId,
      sourceTypeId,
      assemblyId,
      tableId: state.id,
      dataType: column.dataType,
      nullable: column.nullable,
      isDeleted: isVanished || column.isDeleted,
      hierarchyPath: hierarchyPathOf(state.naturalPath, column.path),
      createdAt: column.createdAt,
      updatedAt: column.updatedAt,
    }),
  )
  return [own, ...columns]
}

function documents(state: AssetState, { tenant }: AggregateKey, source: Source): DocumentPut[] {
  if (state.status === 'absent') return []
  return [
    documentPut(assetTables, tenant, state.id, state, source),
    ...assetDocuments(state).map((asset) => documentPut(assets, tenant, asset.id, asset, source)),
  ]
}

/** A table with its columns, a folder, a database or a schema. Its stream id is the hash of its UID. */
export const assetAggregate: Aggregate<AssetState, AssetCommand, AssetEvent> = {
  category: 'asset',
  decider: { initialState: initialAsset, decide: decideAsset, evolve: evolveAsset },
  schemaVersion: 1,
  documents,
}
