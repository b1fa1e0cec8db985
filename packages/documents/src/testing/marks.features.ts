import { describe, expect, it } from 'vitest'
import type { Documents, Query } from '../port.ts'
import { entries, entryPut, thingPut, things } from './collections.ts'

const newestFirst = [{ field: 'size', direction: 'desc' as const }]

/** Snapshot tokens, and pages with them. */
export function marksFeatures(open: () => { documents: Documents; reopen(): Promise<Documents> }): void {
  describe('marks', () => {
    const put = (ids: readonly number[]) =>
      open().documents.put(ids.map((id) => thingPut('t', id, { name: `n${id}`, size: id })))
    const find = (query: Partial<Query>) => open().documents.find(things, 't', { sort: newestFirst, size: 2, ...query })
    const marked = async (query: Partial<Query> = {}) => {
      const { mark, ...found } = await find({ ...query, marked: true })
      expect(mark).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      return { ...found, mark: mark ?? '' }
    }
    const namesOf = ({ documents }: { documents: readonly { name: string }[] }) => documents.map(({ name }) => name)

    it('given a query that is not marked, then its answer has no token', async () => {
      expect(await find({})).not.toHaveProperty('mark')
    })

    it('given a token, when documents are added before the next page is read, then no document is repeated or missing', async () => {
      await put([10, 30, 20, 50, 40])
      const first = await marked()
      await put([60, 35, 1, 70])
      const seen = [...namesOf(first)]
      for (const page of [1, 2, 3]) {
        const found = await find({ page, asOf: first.mark })
        expect(found.count).toBe(5)
        seen.push(...namesOf(found))
      }
      expect(seen).toEqual(['n50', 'n40', 'n30', 'n20', 'n10'])
      expect(namesOf(await find({ asOf: first.mark }))).toEqual(['n50', 'n40'])
      expect((await find({})).count).toBe(9)
    })

    it('given a token of an empty collection, when documents are added, then pages with it are empty', async () => {
      const { mark } = await marked()
      await put([1, 2])
      expect(await find({ asOf: mark })).toEqual({ documents: [], count: 0 })
      expect(await find({ asOf: mark, size: 0 })).toEqual({ documents: [], count: 0 })
    })

    it('given a token and a filter, when documents are added, then only earlier matches are counted', async () => {
      await put([1, 2, 3, 4, 5])
      const where = [{ field: 'size', from: 2 }]
      const { mark, count } = await marked({ where })
      await put([6, 7])
      expect([count, (await find({ where, asOf: mark })).count]).toEqual([4, 4])
      expect((await find({ where, asOf: mark, size: 0 })).count).toBe(4)
    })

    it('given a token, when an earlier document is changed or removed, then its current state is found', async () => {
      await put([1, 2, 3])
      const { mark } = await marked({ size: 10 })
      await open().documents.put([thingPut('t', 2, { name: 'changed', size: 9 }, 1)])
      const removed = { ...thingPut('t', 1), document: null, source: { revision: 1, position: '9' } }
      await open().documents.put([removed])
      expect(namesOf(await find({ asOf: mark, size: 10 }))).toEqual(['changed', 'n3'])
    })

    it('given a token, when documents of another tenant are added, then it still bounds the own ones', async () => {
      await put([1, 2])
      const { mark } = await marked()
      await open().documents.put([thingPut('u', 1), thingPut('t', 3, { name: 'n3', size: 3 })])
      expect(namesOf(await find({ asOf: mark }))).toEqual(['n2', 'n1'])
      expect((await open().documents.find(things, 'u', { size: 5, asOf: mark })).count).toBe(0)
    })

    for (const [title, asOf] of [
      ['nonsense', 'nonsense'],
      ['empty', ''],
      ['of the length of one', 'AAAAAAAAAAAAAAAAAAAAAA'],
      ['an operator', '{"$gt":0}'],
    ] as const)
      it(`given a token that is ${title}, when queried with it, then it is ignored`, async () => {
        await put([1, 2, 3])
        expect(await find({ asOf })).toMatchObject({ count: 3 })
      })

    it('given a token, when another process on the same data is queried with it, then it finds no less', async () => {
      await put([1, 2, 3])
      const { mark } = await marked()
      const other = await open().reopen()
      const found = await other.find(things, 't', { sort: newestFirst, size: 5, asOf: mark })
      expect(namesOf(found)).toEqual(['n3', 'n2', 'n1'])
    })

    for (const text of ['order', undefined])
      it(`given a search ${text === undefined ? 'without' : 'with'} a text and its token, when documents are added, then the next page has only earlier ones`, async () => {
        const add = (names: readonly string[], first: number) =>
          open().documents.put(names.map((name, at) => entryPut('t', first + at, name)))
        await add(['order_c', 'order_e', 'order_d'], 10)
        const search = (query: Partial<Query>) => open().documents.search(entries, 't', { size: 2, text, ...query })
        const { mark, ...first } = await search({ marked: true })
        await add(['order_a', 'order_b'], 1)
        const rest = await search({ page: 1, asOf: mark })
        expect(rest.count).toBe(3)
        const names = [...namesOf(first), ...namesOf(rest)]
        expect(names.toSorted()).toEqual(['order_c', 'order_d', 'order_e'])
      })
  })
}
