import { describe, expect, it } from 'vitest'
import { type AssetTagState, decideAssetTag, evolveAssetTag, initialAssetTag } from './asset-tag.ts'

const change = { at: '2026-01-01T00:00:00.000Z', by: 'ann', tagName: 'pii' }
const add = { type: 'AddAssetTag', associationId: 7, assetId: 4, uid: 'u', tableId: 4, tagId: 1, ...change } as const
const remove = { type: 'RemoveAssetTag', ...change } as const
const after = (state: AssetTagState, command: Parameters<typeof decideAssetTag>[0]) =>
  decideAssetTag(command, state).reduce(evolveAssetTag, state)

describe('a tag on an asset', () => {
  it('given a tag that the asset has, when it is added again, then nothing happens', () => {
    const present = after(initialAssetTag, add)
    expect(decideAssetTag({ ...add, associationId: 8 }, present)).toEqual([])
  })
  it('given a removed tag, when it is added again, then it has its old id', () => {
    const removed = after(after(initialAssetTag, add), remove)
    expect(removed.status).toBe('removed')
    expect(decideAssetTag(remove, removed)).toEqual([])
    expect(after(removed, { ...add, associationId: 8 })).toMatchObject({
      status: 'present',
      association: { associationId: 7 },
    })
  })
})
