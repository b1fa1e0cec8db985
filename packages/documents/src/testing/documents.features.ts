import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Documents, documentPut } from '../port.ts'
import { all, type DocumentsUnderTest, namesIn } from './asking.ts'
import { awkwardTexts, thing, thingPut, things } from './collections.ts'
import { filteringFeatures } from './filtering.features.ts'
import { pagingFeatures } from './paging.features.ts'
import { searchFeatures } from './search.features.ts'
import { snapshotFeatures } from './snapshots.features.ts'
import { writingFeatures } from './writing.features.ts'

/** Tests every guarantee of the port with one adapter. */
export function documentsFeatures(name: string, make: () => Promise<DocumentsUnderTest>): void {
  describe(`documents of ${name}`, () => {
    let world: DocumentsUnderTest
    let documents: Documents

    beforeEach(async () => {
      world = await make()
      documents = world.documents
    })
    afterEach(() => world.end())
    const names = namesIn(() => documents)

    writingFeatures(() => world)
    filteringFeatures(() => world)
    pagingFeatures(() => world)
    searchFeatures(() => documents)
    snapshotFeatures(() => world)

    describe('tenants', () => {
      it('given the same id in two tenants, when read, found or removed, then each sees only its own', async () => {
        await documents.put([thingPut('t', 1, { name: 'mine' }, 9), thingPut('u', 1, { name: 'theirs' }, 0)])
        expect((await documents.get(things, 't', 1))?.document.name).toBe('mine')
        expect((await documents.get(things, 'u', 1))?.document.name).toBe('theirs')
        expect(await names([], {}, 'u')).toEqual(['theirs'])
        expect(await documents.find(things, 'v', { size: 1 })).toEqual({ documents: [], count: 0 })
        await documents.put([documentPut(things, 'u', 1, null, { revision: 1, position: '2' })])
        expect((await documents.get(things, 't', 1))?.document.name).toBe('mine')
      })

      it('given tenants with awkward names, when one searches, then it finds no documents of another', async () => {
        await documents.put(awkwardTexts.map((tenant) => thingPut(tenant, 1, { name: tenant })))
        for (const tenant of awkwardTexts) expect(await names([], {}, tenant)).toEqual([tenant])
      })
    })

    describe('scanning', () => {
      it('given many tenants, when scanned in small pages, then each document comes once, by tenant and id', async () => {
        const tenants = ['b', 'a', 'a b', 'é']
        const puts = tenants.flatMap((tenant) => [3, 1, 2].map((id) => thingPut(tenant, id, { open: id === 2 })))
        await documents.put(puts)
        const seen = await all(documents.scan(things, { pageSize: 2 }))
        const order = ['a', 'a b', 'b', 'é'].flatMap((tenant) => [1, 2, 3].map((id) => [tenant, id]))
        expect(seen.map(({ tenant, id }) => [tenant, id])).toEqual(order)
        expect(seen[0]).toEqual({ tenant: 'a', id: 1, document: thing(), source: { revision: 0, position: '1' } })
        const open = await all(documents.scan(things, { where: [{ field: 'open', is: true }] }))
        expect(open.map(({ tenant, id }) => [tenant, id])).toEqual(['a', 'a b', 'b', 'é'].map((tenant) => [tenant, 2]))
      })

      it('given a scan after a document, then it continues there, also if the document or its tenant is gone', async () => {
        const puts = ['a', 'c'].flatMap((tenant) => [1, 2, 3].map((id) => thingPut(tenant, id, { open: id !== 2 })))
        await documents.put([...puts, documentPut(things, 'a', 2, null, { revision: 1, position: '2' })])
        const where = [{ field: 'open', is: true }]
        const from = async (tenant: string, id: number) => {
          const seen = await all(documents.scan(things, { pageSize: 2, where, after: { tenant, id } }))
          return seen.map((found) => `${found.tenant}${found.id}`)
        }
        expect(await from('a', 1)).toEqual(['a3', 'c1', 'c3'])
        expect(await from('a', 2)).toEqual(['a3', 'c1', 'c3'])
        expect(await from('b', 9)).toEqual(['c1', 'c3'])
        expect(await from('c', 3)).toEqual([])
      })

      it('given a scan, when the reader stops early or writes meanwhile, then the scan holds no lock', async () => {
        await documents.put(Array.from({ length: 10 }, (_, id) => thingPut('t', id)))
        for await (const { id } of documents.scan(things, { pageSize: 2 })) {
          if (typeof id !== 'number') throw new Error('An id should be a number.')
          await documents.put([thingPut('t', id, { name: 'seen' }, 1)])
          if (id === 5) break
        }
        expect((await names([{ field: 'name', is: 'seen' }])).length).toBe(6)
      })
    })
  })
}
