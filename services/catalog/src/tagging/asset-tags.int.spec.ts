import { internalTopics, publicTopics, tagMessage } from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type OpenCrm, of, openCrm } from '../testing/crm.ts'

let crm: OpenCrm
beforeEach(async () => {
  crm = await openCrm()
})
afterEach(() => crm.close())

describe('tags of an asset', () => {
  it('given a new name, when it is added twice and then by id, then there is one tag and one association', async () => {
    const added = await crm.tag(crm.table, { name: '  pii ', id: null })
    expect(added).toEqual({
      id: expect.any(Number),
      assetId: crm.table,
      tagId: expect.any(Number),
      name: 'pii',
      state: 'ACCEPTED',
      autoTagged: false,
      protectedData: false,
      domains: [],
      tenantId: null,
      uid: null,
    })
    expect(await crm.tag(crm.table, { name: 'pii' })).toEqual(added)
    expect(await crm.tag(crm.table, { id: added.tagId, name: null })).toEqual(added)
    expect(await crm.ask('getAssetTags', of(crm.table))).toEqual({ assetTags: [added] })
  })

  it.each([
    {},
    { name: null, id: null },
    { name: 'a', id: 1 },
    { name: ' ' },
    { name: 'x'.repeat(129) },
    { name: 'a\0' },
  ])('given %j, then it is refused', async (body) => {
    await expect(crm.tag(crm.table, body)).rejects.toThrow()
  })

  it('given an unknown tag or asset, then 404; removing a tag that the asset does not have returns false', async () => {
    await expect(crm.tag(crm.table, { id: 999 })).rejects.toMatchObject({ code: 'not-found' })
    await expect(crm.tag(999, { name: 'x' })).rejects.toMatchObject({ code: 'not-found' })
    await expect(crm.ask('getAssetTags', of(999))).rejects.toMatchObject({ code: 'not-found' })
    const { tagId } = await crm.tag(crm.table, { name: 'x' })
    const remove = (id: number) => crm.ask('deleteAssetTag', of(crm.table, { params: { tagId: String(id) } }))
    expect([await remove(tagId), await remove(tagId), await remove(999)]).toEqual([true, false, false])
    expect(await crm.namesOf(crm.table)).toEqual([])
  })

  it('given concurrent requests with one name, then there is one tag', async () => {
    const added = await Promise.all(
      Array.from({ length: 40 }, (_, index) => crm.tag(index % 2 ? crm.table : crm.email, { name: 'new' })),
    )
    expect(new Set(added.map(({ tagId }) => tagId)).size).toBe(1)
    expect(new Set(added.map(({ id }) => id)).size).toBe(2)
    const made = await Promise.allSettled(
      Array.from({ length: 20 }, () => crm.ask('createTag', { body: { name: 'made' } })),
    )
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('given a tag, when it is renamed and protected, then the change is visible everywhere', async () => {
    const { tagId } = await crm.tag(crm.email, { name: 'pii' })
    await crm.ask('updateTag', of(tagId, { body: { name: 'personal', protectedData: true } }))
    expect((await crm.ask('getAssetTags', of(crm.email))).assetTags).toMatchObject([
      { name: 'personal', protectedData: true },
    ])
    expect((await crm.ask('listTags')).tags).toMatchObject([{ id: tagId, name: 'personal' }])
    const { childAssets } = await crm.ask('getChildAssets', of(crm.table))
    expect(childAssets.map((child: { protected: boolean }) => child.protected)).toEqual([false, true, false])
    // Its old name is free.
    expect((await crm.ask('createTag', { body: { name: 'pii' } })).id).not.toBe(tagId)
    await expect(crm.ask('updateTag', of(tagId, { body: { name: 'pii' } }))).rejects.toMatchObject({ code: 'taken' })
    await expect(crm.ask('updateTag', of(999, { body: {} }))).rejects.toMatchObject({ code: 'not-found' })
  })

  it('given a tag that protects a column, then only a key that sees protected values lifts the protection', async () => {
    const { tagId } = await crm.tag(crm.email, { name: 'pii' })
    const { tagId: plain } = await crm.tag(crm.email, { name: 'plain' })
    await crm.ask('updateTag', of(tagId, { body: { protectedData: true } }))
    const remove = (id: number) => of(crm.email, { params: { tagId: String(id) } })
    const refused = {
      code: 'forbidden',
      message:
        "Tag 'pii' protects values. This key lacks the permission ASSET_PROTECTED_VIEW, which lifting the protection needs.",
    }
    await expect(crm.ask('deleteAssetTag', remove(tagId))).rejects.toMatchObject(refused)
    const lifting = of(tagId, { body: { name: 'open', protectedData: false } })
    await expect(crm.ask('updateTag', lifting)).rejects.toMatchObject(refused)
    const isProtected = async () =>
      (await crm.ask('getChildAssets', of(crm.table))).childAssets.map((each: { protected: boolean }) => each.protected)
    expect(await isProtected()).toEqual([false, true, false])
    // Everything else needs no more than before.
    expect(await crm.ask('updateTag', of(tagId, { body: { name: 'personal', protectedData: true } }))).toBeDefined()
    expect(await crm.ask('updateTag', of(plain, { body: { protectedData: false } }))).toBeDefined()
    expect(await crm.ask('deleteAssetTag', of(crm.table, { params: { tagId: String(tagId) } }))).toBe(false)
    await crm.ask('mergeTag', of(tagId, { body: { into: plain } }))
    await expect(crm.ask('deleteAssetTag', remove(tagId))).rejects.toMatchObject({ code: 'forbidden' })
    expect(await isProtected()).toEqual([false, true, false])
    const permissions = ['ASSET_VIEW', 'TAGS_MODIFY', 'ASSET_PROTECTED_VIEW'] as const
    await crm.ask('updateTag', of(plain, { body: { protectedData: false }, permissions }))
    expect(await isProtected()).toEqual([false, false, false])
    expect(await crm.ask('deleteAssetTag', remove(plain))).toBe(true)
  })

  it('given a tag that becomes protected while another key sets it unprotected, then it stays protected', async () => {
    const { id } = await crm.ask('createTag', { body: { name: 'pii' } })
    const set = (protectedData: boolean, name?: string) =>
      crm.ask('updateTag', of(id, { body: { protectedData, name } }))
    // The new name is reserved between the check of the permission and the change.
    const [late, protecting] = await Promise.allSettled([set(false, 'open'), set(true)])
    expect([late.status, protecting.status]).toEqual(['rejected', 'fulfilled'])
    expect((await crm.ask('listTags')).tags).toMatchObject([{ id, name: 'pii', protectedData: true }])
  })

  it('given two tags, when they are merged, then assets with either have the remaining one, once, and stay protected', async () => {
    const { id: from } = await crm.ask('createTag', { body: { name: 'pii', protectedData: true } })
    const { id: into } = await crm.ask('createTag', { body: { name: 'personal' } })
    await crm.tag(crm.email, { id: from })
    await crm.tag(crm.table, { id: from })
    await crm.tag(crm.table, { id: into })
    expect(await crm.ask('mergeTag', of(from, { body: { into } }))).toMatchObject({ id: into, protectedData: true })
    expect([await crm.namesOf(crm.email), await crm.namesOf(crm.table)]).toEqual([['personal'], ['personal']])
    expect((await crm.ask('listTagsOfAssets', { query: { size: '0' } })).metadata.count).toBe(1)
    // The id of a merged tag resolves to the remaining tag.
    const permissions = ['ASSET_VIEW', 'TAGS_MODIFY', 'ASSET_PROTECTED_VIEW'] as const
    const removed = of(crm.email, { params: { tagId: String(from) }, permissions })
    expect(await crm.ask('deleteAssetTag', removed)).toBe(true)
    expect((await crm.tag(crm.email, { name: 'pii' })).tagId).not.toBe(from)
    await expect(crm.ask('mergeTag', of(into, { body: { into } }))).rejects.toMatchObject({ code: 'invalid' })
    await expect(crm.ask('mergeTag', of(into, { body: { into: 999 } }))).rejects.toMatchObject({ code: 'invalid' })
    await expect(crm.ask('mergeTag', of(999, { body: { into } }))).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('published messages', () => {
  it('given a tag on a column, then the internal topic has the tag and its association, and the public topic has the change', async () => {
    const { tagId, id: associationId } = await crm.tag(crm.email, { name: 'pii' })
    await crm.ask('updateTag', of(tagId, { body: { protectedData: true } }))
    const messages = () =>
      crm.published
        .filter(({ topic }) => topic === internalTopics.tags)
        .map(({ message }) => tagMessage.parse(message.data))
    await vi.waitFor(() => expect(messages().some((each) => each.kind === 'tag' && each.protected)).toBe(true), 10_000)
    const association = {
      kind: 'association',
      associationId,
      tagId,
      assetId: crm.email,
      tableId: crm.table,
      present: true,
    }
    expect(messages()).toContainEqual({ ...association, revision: 0 })
    const types = crm.published.filter(({ topic }) => topic === publicTopics.assets).map(({ message }) => message.type)
    expect(types).toEqual(expect.arrayContaining(['io.assay.catalog.TagCreated', 'io.assay.catalog.AssetTagAdded']))
  })
})
