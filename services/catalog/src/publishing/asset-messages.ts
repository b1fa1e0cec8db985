import type { AssetType, ContainerMessage, TableMessage } from '@assay/contracts'
import type { Loaded } from '@assay/event-store'
import { type AssetState, liveColumns, type VanishReason } from '../asset/asset.ts'
import { assetTypeOf, columnTypeOf } from '../types/asset-types.ts'
import { sourceTypeOf } from '../types/source-types.ts'

const shortType = ({ id, name }: AssetType) => ({ id, name })

function deletion({
  vanishReason,
  updatedAt: deletedAt,
}: {
  vanishReason: VanishReason | null
  updatedAt: string
}): Pick<TableMessage, 'deletedWith' | 'deletedAt'> {
  if (vanishReason === null) return {}
  if (vanishReason === 'not-found-by-crawl') return { deletedAt }
  return { deletedWith: vanishReason === 'view-deleted' ? 'view' : 'assembly', deletedAt }
}

/**
 * A table, for the local read models of other services; `undefined` for a folder. Leaves of STRUCT columns
 * are not columns that a policy can name.
 */
export function tableMessageOf({
  state,
  revision,
}: Pick<Loaded<AssetState>, 'state' | 'revision'>): TableMessage | undefined {
  if (state.status === 'absent' || state.facts === null) return undefined
  const { id, uid, name, placement, facts, schemaChangedAt } = state
  const { assemblyId, assemblyName, sourceTypeId } = placement
  const { lastChangedAt, rowCount, sizeBytes, fileCount } = facts
  const columns = liveColumns(state)
  const leaves = columns.filter(({ path }) => path.length > 1)
  return {
    revision,
    assetId: id,
    uid,
    name,
    assemblyId,
    assemblyName,
    sourceTypeId,
    sourceTypeName: sourceTypeOf(sourceTypeId).name,
    locator: facts.locator,
    columns: columns
      .filter(({ path }) => path.length === 1)
      .map((column) => ({
        id: column.id,
        uid: column.uid,
        name: column.path[0] ?? '',
        dataType: column.dataType,
        nullable: column.nullable,
      })),
    data: { lastChangedAt, rowCount, sizeBytes, fileCount },
    assetType: shortType(assetTypeOf(placement.assetTypeId)),
    columnType: shortType(columnTypeOf(placement.assetTypeId)),
    isDeleted: state.status === 'vanished',
    ...deletion(state),
    path: state.naturalPath.slice(1),
    ...(schemaChangedAt === undefined ? {} : { schemaChangedAt }),
    ...(facts.sourceIds === undefined ? {} : { sourceIds: facts.sourceIds }),
    ...(leaves.length === 0 ? {} : { leaves: leaves.map(({ id, path, dataType }) => ({ id, path, dataType })) }),
  }
}

/** The current folder, database or schema; `undefined` for a table. */
export function containerMessageOf({
  state,
  revision,
}: Pick<Loaded<AssetState>, 'state' | 'revision'>): ContainerMessage | undefined {
  if (state.status === 'absent' || state.facts !== null) return undefined
  const { id: assetId, uid, naturalPath, placement, status } = state
  const assetType = shortType(assetTypeOf(placement.assetTypeId))
  return { revision, assetId, uid, path: naturalPath.slice(1), assetType, isDeleted: status === 'vanished' }
}
