import { catalogOperations, type QueryOf } from '@assay/contracts'
import { type Condition, type Documents, findPage, type Stored } from '@assay/documents'
import { type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { type AssetDocument, assets } from '../asset/collections.ts'
import type { Inference } from '../inferring/inference.ts'
import type { Tagging } from '../tagging/tagging.ts'
import type { AssetMetadataReader } from './asset-metadata.ts'
import { assetRecords, childAssetRecord, createAssetText, statesOf } from './asset-records.ts'

function notFound(): AssayError {
  return new AssayError('not-found', 'There is no such asset.')
}

/**
 * The conditions of a listing. Deleted assets are excluded by default; if named by id or UID, they are included by
 * default.
 */
function listed(query: QueryOf<typeof catalogOperations.listAssets>): Condition[] {
  const { ids, uid, assembly_ids, includeDeleted } = query
  const conditions: Condition[] = []
  if (ids !== undefined) conditions.push({ field: 'id', in: ids })
  if (uid !== undefined) conditions.push({ field: 'uid', is: uid })
  const withDeleted = includeDeleted ?? conditions.length > 0
  if (assembly_ids !== undefined) conditions.push(among(withDeleted ? 'assemblyId' : 'liveAssemblyId', assembly_ids))
  else if (!withDeleted) conditions.push({ field: 'isDeleted', is: false })
  return conditions
}

/** One value becomes an equality condition, because stores use an index for it more reliably than for a list. */
function among(field: string, values: readonly number[]): Condition {
  const [only] = values
  return values.length === 1 && only !== undefined ? { field, is: only } : { field, in: values }
}

export function assetRoutes(deps: {
  documents: Documents
  inference: Inference
  metadata: AssetMetadataReader
  tagging: Pick<Tagging, 'protectedOf'>
}): Route[] {
  const { documents, inference, metadata, tagging } = deps
  const assetText = createAssetText(documents)

  async function stored(tenant: string, id: number): Promise<Stored<AssetDocument>> {
    const found = await documents.get(assets, tenant, id)
    if (found === undefined) throw notFound()
    return found
  }

  /** A deleted asset that is named by id or UID is shown as deleted. */
  async function one(tenant: string, id: number) {
    const found = await assetText(tenant, id)
    if (found === undefined) throw notFound()
    return found
  }

  return [
    route(catalogOperations.listAssets, async (call) => {
      const { tenant } = call.identity
      const { page, size, sortBy } = call.query
      const { documents: found, count } = await findPage(documents, call, assets, {
        tenant,
        where: listed(call.query),
        ...(sortBy === undefined ? {} : { sort: [sortBy] }),
        page,
        size,
      })
      return { body: { data: await assetRecords(documents, tenant, found), meta: { count, page, size } } }
    }),
    route(catalogOperations.getAsset, async (call) => {
      const { tenant } = call.identity
      return one(tenant, call.params.id)
    }),
    route(catalogOperations.getAssetByUid, async (call) => {
      const { tenant } = call.identity
      const where = [{ field: 'uid', is: call.params.uid }]
      const { documents: found } = await documents.find(assets, tenant, { where, size: 1 })
      if (found[0] === undefined) throw notFound()
      return one(tenant, found[0].id)
    }),
    route(catalogOperations.getChildAssets, async (call) => {
      const { tenant } = call.identity
      const { page, size, sortBy, includeDeleted } = call.query
      const parent = await stored(tenant, call.params.id)
      const { documents: found, count } = await findPage(documents, call, assets, {
        tenant,
        where: [{ field: includeDeleted === true ? 'parentId' : 'liveParentId', is: call.params.id }],
        ...(sortBy === undefined ? {} : { sort: [sortBy] }),
        page,
        size,
      })
      const asked = call.query.inferDataType === true && parent.document.tableId === null
      const inferred = asked && found.length > 0 ? await inference.columnsOf(tenant, call.params.id) : undefined
      const typeOf = new Map(inferred?.map(({ columnId, dataType }) => [columnId, dataType]))
      const protectedIds = await tagging.protectedOf(
        tenant,
        found.map(({ id }) => id),
      )
      const childAssets = found.map((child) =>
        childAssetRecord(child, { isProtected: protectedIds.has(child.id), inferred: typeOf.get(child.id) }),
      )
      return { body: { childAssets, meta: { count, page, size } }, states: statesOf(parent) }
    }),
    route(catalogOperations.getAssetMetadata, async (call) => {
      const { tenant } = call.identity
      const { document, source } = await stored(tenant, call.params.id)
      const data = await metadata.of(tenant, document)
      if (data === undefined) throw new AssayError('not-found', 'This asset has no metadata, because it has no rows.')
      return { body: { data }, states: statesOf({ document, source }) }
    }),
  ]
}
