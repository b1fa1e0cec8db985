import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type OpenCrm, of, openCrm } from '../testing/crm.ts'

let crm: OpenCrm
beforeEach(async () => {
  crm = await openCrm()
})
afterEach(() => crm.close())

describe('the tag service', () => {
  it('given a key with values, then assets can have them as tags, and simple tags are listed as values', async () => {
    const made = await crm.ask('createTagKey', { body: { key: 'class', values: ['open', 'secret'], type: 'GOVERNED' } })
    expect(made.key).toMatchObject({ id: '1', name: 'class', type: 'GOVERNED', status: 'ACTIVE' })
    const ids = made.values.map(({ keyValueId }) => Number(keyValueId))
    await expect(crm.ask('createTagKey', { body: { key: 'class' } })).rejects.toMatchObject({ code: 'taken' })
    const more = await crm.ask('addTagValues', { params: { keyId: '1' }, body: { values: ['secret', 'top'] } })
    expect(more.values.map(({ keyValueId }) => keyValueId)[0]).toBe(String(ids[1]))
    const wanted = { entityId: crm.table, entityType: 'ASSET', keyValueIds: [ids[1], 999] }
    const associated = await crm.ask('associateTags', { body: wanted })
    const detail = { keyValueId: ids[1], keyId: 1, keyName: 'class', keyType: 'GOVERNED', valueName: 'secret' }
    expect(associated).toMatchObject({ created: [detail], errors: [{ keyValueId: 999, code: 'NOT_FOUND' }] })
    expect(await crm.namesOf(crm.table)).toEqual(['class:secret'])
    const simple = await crm.tag(crm.table, { name: 'plain' })
    expect(await crm.ask('listTagAssociations', of(crm.table, { query: { entityType: 'ASSET' } }))).toMatchObject([
      detail,
      { keyValueId: simple.tagId, keyId: null, keyName: null, valueName: 'plain' },
    ])
    const found = async (query: { [name: string]: string }) =>
      (await crm.ask('searchTagValues', { query })).results.map(({ value }) => value)
    expect(await found({ keyName: 'CLA' })).toEqual(['open', 'secret', 'top'])
    expect(await found({ keyType: 'governed', value: 'op', sortBy: 'value:DESC' })).toEqual(['top', 'open'])
    expect(await found({ keyType: 'USER' })).toEqual([])
    expect(await found({ keyValueIds: String(simple.tagId) })).toEqual(['plain'])
    expect(await crm.ask('searchTagValues', { query: { size: '1' } })).toMatchObject({ total: 4, page: 0, size: 1 })
  })

  it('given an entity type without tags, or a missing entity, then the error says so', async () => {
    const body = { entityId: crm.table, entityType: 'LABELER', keyValueIds: [1] }
    const refused = { code: 'unprocessable', message: 'entityType: LABELER has no tags. Use ASSET or POLICY.' }
    await expect(crm.ask('associateTags', { body })).rejects.toMatchObject(refused)
    const query = { entityType: 'LABELER' }
    await expect(crm.ask('listTagAssociations', of(crm.table, { query }))).rejects.toMatchObject(refused)
    await expect(crm.ask('addTagValues', { params: { keyId: '9' }, body: { values: ['x'] } })).rejects.toMatchObject({
      code: 'not-found',
    })
    await expect(crm.ask('listTagAssociations', of(999, { query: { entityType: 'ASSET' } }))).rejects.toMatchObject({
      code: 'not-found',
    })
  })
})
