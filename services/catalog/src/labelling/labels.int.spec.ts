import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type OpenCrm, of, openCrm } from '../testing/crm.ts'

let crm: OpenCrm
beforeEach(async () => {
  crm = await openCrm()
})
afterEach(() => crm.close())

describe('labels', () => {
  it('given a list, then it replaces the previous one, and labels have exactly two fields', async () => {
    const labels = [
      { key: 'b', value: '1', labelType: null, other: 5 },
      { key: 'a', value: '' },
    ]
    const list = [
      { key: 'b', value: '1' },
      { key: 'a', value: '' },
    ]
    expect(await crm.ask('updateAssetLabels', of(crm.table, { body: { labels } }))).toEqual(list)
    expect(await crm.ask('getAssetLabels', of(crm.table))).toEqual(list)
    expect(await crm.ask('updateAssetLabels', of(crm.table, { body: { labels: [] } }))).toEqual([])
    expect(await crm.ask('getAssetLabels', of(crm.table))).toEqual([])
    await expect(crm.ask('getAssetLabels', of(999))).rejects.toMatchObject({ code: 'not-found' })
    const twice = {
      labels: [
        { key: 'a', value: '1' },
        { key: 'a', value: '2' },
      ],
    }
    await expect(crm.ask('updateAssetLabels', of(crm.table, { body: twice }))).rejects.toThrow()
    const large = { labels: [{ key: 'a', value: 'ä'.repeat(512) }] }
    await expect(crm.ask('updateAssetLabels', of(crm.table, { body: large }))).rejects.toThrow()
    const many = { labels: Array.from({ length: 201 }, (_, n) => ({ key: `k${n}`, value: '' })) }
    await expect(crm.ask('updateAssetLabels', of(crm.table, { body: many }))).rejects.toThrow()
  })
})
