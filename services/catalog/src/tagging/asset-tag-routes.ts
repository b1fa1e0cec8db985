import { annotationOperations as operations, tagServiceOperations } from '@assay/contracts'
import { type Asking, type Documents, findPage } from '@assay/documents'
import { type Identity, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { contextOf } from '../assemblies/assembly-routes.ts'
import { namedAsset } from '../assets/named-asset.ts'
import { tags as tagDocuments } from '../tag/aggregate.ts'
import { assetTagRecord, tagRecord } from './tag-records.ts'
import type { Tagging } from './tagging.ts'
import type { Tags } from './tags.ts'

/** Tags on assets, and the list of existing ones. */
export function assetTagRoutes(deps: { documents: Documents; tags: Tags; tagging: Tagging }): Route[] {
  const { documents, tags, tagging } = deps

  async function list(call: Asking & { identity: Identity; query: ListQuery }) {
    const { page, size, sortBy, name } = call.query
    const { documents: found, count } = await findPage(documents, call, tagDocuments, {
      tenant: call.identity.tenant,
      where: [
        { field: 'status', is: 'active' },
        ...(name === undefined || name === '' ? [] : [{ field: 'name', contains: name }]),
      ],
      ...(sortBy === undefined ? {} : { sort: [sortBy] }),
      page,
      size,
    })
    return { body: { tags: found.map(tagRecord), metadata: { count, page, size } } }
  }

  return [
    route(operations.getAssetTags, async (call) => {
      const { tenant } = call.identity
      const { id } = await namedAsset(documents, tenant, call.params.id)
      return { body: { assetTags: (await tagging.of(tenant, id)).map(assetTagRecord) } }
    }),
    route(operations.addAssetTag, async (call) => {
      const { tenant } = call.identity
      const context = contextOf(call)
      const asset = await namedAsset(documents, tenant, call.params.id)
      const { name, id } = call.body
      if (name !== undefined) {
        const tag = { keyId: null, keyName: null, value: name, protectedData: false }
        const made = await tags.ensure(tenant, tag, context)
        return { body: assetTagRecord(await tagging.add(tenant, asset, made, context)) }
      }
      const tag = id === undefined ? undefined : (await tags.resolve(tenant, [id])).get(id)
      if (tag === undefined) throw new AssayError('not-found', 'There is no such tag.')
      return { body: assetTagRecord(await tagging.add(tenant, asset, tag, context)) }
    }),
    route(operations.deleteAssetTag, async (call) => {
      const { tenant, permissions } = call.identity
      const { id } = await namedAsset(documents, tenant, call.params.id)
      const by = { context: contextOf(call), permissions }
      return { body: await tagging.remove(tenant, id, call.params.tagId, by) }
    }),
    route(operations.listTagsOfAssets, list),
    route(tagServiceOperations.listTags, list),
  ]
}

interface ListQuery {
  page: number
  size: number
  sortBy?: { field: string; direction: 'asc' | 'desc' } | undefined
  name?: string | undefined
}
