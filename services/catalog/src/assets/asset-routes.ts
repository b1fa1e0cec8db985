import { catalogOperations } from '@assay/contracts'
import type { Condition, Documents, Stored } from '@assay/documents'
import { type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { type AssetDocument, assets, assetTables } from '../asset/collections.ts'
import { assetRecords, childAssetRecord } from './asset-records.ts'
import { columnMetadata, tableMetadata } from './metadata.ts'

function notFound(): AssayError {
  return new AssayError('not-found', 'There is no such asset.')
}

/** Deleted ones are left out unless they are asked for. */
function visible(includeDeleted: boolean | undefined): Condition[] {
  return includeDeleted === true ? [] : [{ field: 'isDeleted', is: false }]
}

export function assetRoutes(deps: { documents: Documents }): Route[] {
  const { documents } = deps

  async function stored(tenant: string, id: number): Promise<Stored<AssetDocument>> {
    const found = await documents.get(assets, tenant, id)
    if (found === undefined) throw notFound()
    return found
  }

  /** A deleted asset that is named by id or UID is shown, as deleted. */
  async function one(tenant: string, found: Stored<AssetDocument>) {
    const [record] = await assetRecords(documents, tenant, [found.document])
    if (record === undefined) throw notFound()
    return { body: { data: record }, position: found.source.position }
  }

  return [
    route(catalogOperations.listAssets, async (call) => {
      const { tenant } = call.identity
      const { page, size, sortBy, ids, uid, assembly_ids, includeDeleted } = call.query
      const isNamed = ids !== undefined || uid !== undefined
      const { documents: found, count } = await documents.find(assets, tenant, {
        where: [
          ...(ids === undefined ? [] : [{ field: 'id', in: ids }]),
          ...(uid === undefined ? [] : [{ field: 'uid', is: uid }]),
          ...(assembly_ids === undefined ? [] : [{ field: 'assemblyId', in: assembly_ids }]),
          ...visible(isNamed || includeDeleted),
        ],
        ...(sortBy === undefined ? {} : { sort: [sortBy] }),
        page,
        size,
      })
      return { body: { data: await assetRecords(documents, tenant, found), meta: { count, page, size } } }
    }),
    route(catalogOperations.getAsset, async (call) => {
      const { tenant } = call.identity
      return one(tenant, await stored(tenant, call.params.id))
    }),
    route(catalogOperations.getAssetByUid, async (call) => {
      const { tenant } = call.identity
      const where = [{ field: 'uid', is: call.params.uid }]
      const { documents: found } = await documents.find(assets, tenant, { where, size: 1 })
      if (found[0] === undefined) throw notFound()
      return one(tenant, await stored(tenant, found[0].id))
    }),
    route(catalogOperations.getChildAssets, async (call) => {
      const { tenant } = call.identity
      const { page, size, sortBy, includeDeleted } = call.query
      const parent = await stored(tenant, call.params.id)
      const { documents: found, count } = await documents.find(assets, tenant, {
        where: [{ field: 'parentId', is: call.params.id }, ...visible(includeDeleted)],
        ...(sortBy === undefined ? {} : { sort: [sortBy] }),
        page,
        size,
      })
      const childAssets = found.map(childAssetRecord)
      return { body: { childAssets, meta: { count, page, size } }, position: parent.source.position }
    }),
    route(catalogOperations.getAssetMetadata, async (call) => {
      const { tenant } = call.identity
      const { document, source } = await stored(tenant, call.params.id)
      if (document.tableId !== null) return { body: { data: columnMetadata(document) }, position: source.position }
      const table = await documents.get(assetTables, tenant, document.id)
      const metadata = table && tableMetadata(table.document)
      if (metadata === undefined) throw new AssayError('not-found', 'This asset has no metadata: it holds no rows.')
      return { body: { data: metadata }, position: table?.source.position }
    }),
  ]
}
