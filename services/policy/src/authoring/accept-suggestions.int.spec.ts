import { acceptSuggestions } from '@assay/contracts'
import { suggestionId } from '@assay/reliability'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Harness, openHarness, tableFixture } from '../testing/harness.ts'
import { qualityPolicies } from '../testing/quality-policies.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
})
afterEach(() => harness.close())
const { get } = qualityPolicies(() => harness)

const missing = { columnName: 'note', measurementType: 'MISSING_VALUES' as const, value: {}, resultThreshold: 91 }
const listed = { ...missing, measurementType: 'VALUES_IN_LIST' as const, value: { values: ['a', 'b'] } }
const accept = (ids: string[], name?: string) =>
  harness.call(acceptSuggestions, { params: { id: 11 }, body: { ids, ...(name ? { name } : {}) } })

describe('accepting suggestions', () => {
  it('given ids of an asset, then one policy has their items, and its name is taken', async () => {
    const ids = [missing, listed, missing].map((item) => suggestionId(11, item))
    const made = await accept(ids)
    expect(made.rule).toMatchObject({
      name: 'Suggested checks of sales.orders.csv',
      type: 'DATA_QUALITY',
      backingAsset: { tableAssetId: 11 },
    })
    expect(made.details.items).toMatchObject([
      { columnName: 'note', measurementType: 'MISSING_VALUES', resultThreshold: 91, executionOrder: 0 },
      { measurementType: 'VALUES_IN_LIST', value: { values: ['a', 'b'] }, executionOrder: 1 },
    ])
    expect(await get(made.rule.id)).toEqual(made)
    await expect(accept(ids)).rejects.toMatchObject({ code: 'taken' })
    expect((await accept(ids, 'other')).rule.name).toBe('other')
  })

  it('given an id of another asset, of no suggestion, or of an item that cannot work, then it is refused', async () => {
    for (const id of [suggestionId(12, missing), 'nothing'])
      await expect(accept([suggestionId(11, listed), id])).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringMatching(/^ids\[1\]: is not a suggestion/),
      })
    const impossible = [
      { ...missing, columnName: 'gone' },
      { ...missing, resultThreshold: 1000 },
    ]
    for (const item of impossible)
      await expect(accept([suggestionId(11, item)])).rejects.toMatchObject({ code: 'invalid' })
    const unknown = harness.call(acceptSuggestions, { params: { id: 999 }, body: { ids: ['x'] } })
    await expect(unknown).rejects.toMatchObject({ code: 'not-found' })
  })
})
