import { documentPut } from '@assay/documents'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { assetTags } from '../asset-tag/aggregate.ts'
import { tags } from '../tag/aggregate.ts'
import { column, createFakeEngine, file } from '../testing/fake-engine.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'
import { maxTags } from './tagging.ts'

let catalog: OpenCatalog
let asset: { id: number; uid: string }

beforeEach(async () => {
  const engine = createFakeEngine()
  engine.finds = [file('people.csv', [column('id', 'BIGINT')])]
  catalog = await openCatalog({ engine })
  await catalog.assembly('crm')
  asset = await catalog.byUid('crm.people.csv')
})
afterEach(() => catalog.close())

const params = (more: object = {}) => ({ id: String(asset.id), ...more })
const add = async (body: object) => (await catalog.call('addAssetTag', { params: params(), body })).body
const remove = async (tagId: number) =>
  (await catalog.call('deleteAssetTag', { params: params({ tagId: String(tagId) }) })).body
const shown = async () => (await catalog.call('getAssetTags', { params: params() })).body.assetTags.length

const fillFrom = 1_000_000
/** Adds tags to the read model only, because writing their events takes long. */
async function fill(count: number) {
  const tenant = 'default'
  const source = { revision: 0, position: '1' }
  const at = { createdAt: '2026-11-20T10:00:00.000Z', createdBy: 'ann' }
  const of = { uid: asset.uid, assetId: asset.id, tableId: asset.id }
  const tag = { keyId: null, keyName: null, protectedData: false, mergedIntoId: null, ...at }
  const numbers = Array.from({ length: count }, (_, index) => fillFrom + index)
  await catalog.documents.put(
    numbers.flatMap((id) => {
      const named = {
        ...tag,
        status: 'active' as const,
        id,
        value: `t${id}`,
        updatedAt: at.createdAt,
        updatedBy: 'ann',
      }
      return [
        documentPut(tags, tenant, id, named, source),
        documentPut(assetTags, tenant, id, { ...of, associationId: id, tagId: id }, source),
      ]
    }),
  )
}

describe('the maximum number of tags of an asset', () => {
  it('given the maximum, when one more is added, then 422, and existing ones are returned', async () => {
    const first = await add({ name: 'first' })
    await fill(maxTags - 2)
    const last = await add({ name: 'last' })
    expect(await shown()).toBe(maxTags)
    await expect(add({ name: 'more' })).rejects.toMatchObject({
      code: 'unprocessable',
      message: 'An asset has at most 1000 tags. Remove one first.',
    })
    expect(await add({ name: 'first' })).toEqual(first)
    const { body } = await catalog.call('createTag', { body: { name: 'other' } })
    const associated = await catalog.call('associateTags', {
      body: { entityId: asset.id, entityType: 'ASSET', keyValueIds: [last.tagId, body.id] },
    })
    expect(associated.body).toMatchObject({
      created: [{ keyValueId: last.tagId }],
      errors: [{ code: 'LIMIT_REACHED', keyValueId: body.id }],
    })
    expect(await remove(first.tagId)).toBe(true)
    expect(await add({ id: body.id })).toMatchObject({ name: 'other' })
    expect(await shown()).toBe(maxTags)
  })

  it('given more tags than the maximum, then all are shown, and the last one can be removed', async () => {
    const { id, tagId } = await add({ name: 'last' })
    await fill(maxTags + 50)
    // Moves the tag to the end of the list.
    const association = { associationId: 2 * fillFrom, assetId: asset.id, uid: asset.uid, tableId: asset.id, tagId }
    await catalog.documents.put([
      documentPut(assetTags, 'default', id, null, { revision: 50, position: '1' }),
      documentPut(assetTags, 'default', 2 * fillFrom, association, { revision: 0, position: '1' }),
    ])
    expect(await shown()).toBe(maxTags + 51)
    expect([await remove(tagId), await remove(tagId)]).toEqual([true, false])
  })

  it('given an asset with the maximum, when one of its tags is merged, then the asset has the target tag', async () => {
    const from = await add({ name: 'from' })
    await fill(maxTags - 1)
    const { body: into } = await catalog.call('createTag', { body: { name: 'into' } })
    await catalog.call('mergeTag', { params: { id: String(from.tagId) }, body: { into: into.id } })
    expect(await shown()).toBe(maxTags)
    const { body } = await catalog.call('getAssetTags', { params: params() })
    expect(body.assetTags.map(({ name }: { name: string }) => name)).toContain('into')
  })
})
