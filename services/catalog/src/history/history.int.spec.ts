import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type OpenCrm, of, openCrm } from '../testing/crm.ts'

let crm: OpenCrm
beforeEach(async () => {
  crm = await openCrm()
})
afterEach(() => crm.close())

describe('the history', () => {
  it('given changes, then the history of an asset lists who made them, newest first, and none of other assets', async () => {
    await crm.tag(crm.table, { name: 'pii' }, { user: 'bob' })
    await crm.tag(crm.email, { name: 'pii' })
    const kept = { key: 'kept', value: '0' }
    await crm.ask('updateAssetLabels', of(crm.table, { body: { labels: [kept, { key: 'b', value: '1' }] } }))
    await crm.ask('updateAssetLabels', of(crm.table, { body: { labels: [kept, { key: 'a', value: '1' }] } }))
    const { data, meta } = await crm.ask('getAssetHistory', of(crm.table))
    expect(meta.count).toBe(4)
    expect(data.map(({ action, actor }: { action: string; actor: string }) => [action, actor])).toEqual([
      ['AssetLabelsReplaced', 'ann'],
      ['AssetLabelsReplaced', 'ann'],
      ['AssetTagAdded', 'bob'],
      ['AssetDiscovered', 'system'],
    ])
    expect(data[0]).toEqual({
      id: expect.any(String),
      at: expect.any(String),
      actor: 'ann',
      accessKey: 'key',
      action: 'AssetLabelsReplaced',
      entityType: 'LABEL',
      entityId: crm.table,
      before: [{ key: 'b', value: '1' }],
      after: [{ key: 'a', value: '1' }],
    })
    await expect(crm.ask('getAssetHistory', of(999))).rejects.toMatchObject({ code: 'not-found' })
  })
})
