import { describe, expect, it } from 'vitest'
import type { Documents, Query } from '../port.ts'
import { entries, entryPut, thingPut, things } from './collections.ts'

const newestFirst = [{ field: 'size', direction: 'desc' as const }]

/** Snapshot tokens, and pages with them. */
export function snapshotFeatures(open: () => { documents: Documents; reopen(): Promise<Documents> }): void {
  describe('snapshots', () => {
    const put = (ids: readonly number[]) =>
      open().documents.put(ids.map((id) => thingPut('t', id, { name: `n${id}`, size: id })))
    const find = (query: Partial<Query>) => open().documents.find(things, 't', { sort: newestFirst, size: 2, ...query })
    const findWithToken = async (query: Partial<Query> = {}) => {
      const { snapshotToken, ...found } = await find({ ...query, withSnapshotToken: true })
      expect(snapshotToken).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      return { ...found, snapshotToken: snapshotToken ?? '' }
    }
    const namesOf = ({ documents }: { documents: readonly { name: string }[] }) => documents.map(({ name }) => name)

    it('given a query without `withSnapshotToken`, then its answer has no token', async () => {
      expect(await find({})).not.toHaveProperty('snapshotToken')
    })

    it('given a token, when documents are added before the next page is read, then no document is repeated or missing', async () => {
      await put([10, 30, 20, 50, 40])
      const first = await findWithToken()
      await put([60, 35, 1, 70])
      const seen = [...namesOf(first)]
      for (const page of [1, 2, 3]) {
        const found = await find({ page, asOf: first.snapshotToken })
        expect(found.count).toBe(5)
        seen.push(...namesOf(found))
      }
      expect(seen).toEqual(['n50', 'n40', 'n30', 'n20', 'n10'])
      expect(namesOf(await find({ asOf: first.snapshotToken }))).toEqual(['n50', 'n40'])
      expect((await find({})).count).toBe(9)
    })

    it('given a token of an empty collection, when documents are added, then pages with it are empty', async () => {
      const { snapshotToken } = await findWithToken()
      await put([1, 2])
      expect(await find({ asOf: snapshotToken })).toEqual({ documents: [], count: 0 })
      expect(await find({ asOf: snapshotToken, size: 0 })).toEqual({ documents: [], count: 0 })
    })

    it('given a token and a filter, when documents are added, then only earlier matches are counted', async () => {
      await put([1, 2, 3, 4, 5])
      const where = [{ field: 'size', from: 2 }]
      const { snapshotToken, count } = await findWithToken({ where })
      await put([6, 7])
      expect([count, (await find({ where, asOf: snapshotToken })).count]).toEqual([4, 4])
      expect((await find({ where, asOf: snapshotToken, size: 0 })).count).toBe(4)
    })

    it('given a token, when an earlier document is changed or removed, then its current state is found', async () => {
      await put([1, 2, 3])
      const { snapshotToken } = await findWithToken({ size: 10 })
      await open().documents.put([thingPut('t', 2, { name: 'changed', size: 9 }, 1)])
      const removed = { ...thingPut('t', 1), document: null, source: { revision: 1, position: '9' } }
      await open().documents.put([removed])
      expect(namesOf(await find({ asOf: snapshotToken, size: 10 }))).toEqual(['changed', 'n3'])
    })

    it('given a token, when documents of another tenant are added, then it still excludes new documents of its own tenant', async () => {
      await put([1, 2])
      const { snapshotToken } = await findWithToken()
      await open().documents.put([thingPut('u', 1), thingPut('t', 3, { name: 'n3', size: 3 })])
      expect(namesOf(await find({ asOf: snapshotToken }))).toEqual(['n2', 'n1'])
      expect((await open().documents.find(things, 'u', { size: 5, asOf: snapshotToken })).count).toBe(0)
    })

    for (const [title, asOf] of [
      ['malformed', 'nonsense'],
      ['an empty text', ''],
      ['random text of the right length', 'AAAAAAAAAAAAAAAAAAAAAA'],
      ['an operator', '{"$gt":0}'],
    ] as const)
      it(`given a token that is ${title}, then the query ignores it`, async () => {
        await put([1, 2, 3])
        expect(await find({ asOf })).toMatchObject({ count: 3 })
      })

    it('given a token, when another process uses it on the same data, then it finds all of the documents', async () => {
      await put([1, 2, 3])
      const { snapshotToken } = await findWithToken()
      const other = await open().reopen()
      const found = await other.find(things, 't', { sort: newestFirst, size: 5, asOf: snapshotToken })
      expect(namesOf(found)).toEqual(['n3', 'n2', 'n1'])
    })

    for (const text of ['order', undefined])
      it(`given a token of a search ${text === undefined ? 'without' : 'with'} a text, when documents are added, then the next page has only earlier ones`, async () => {
        const add = (names: readonly string[], first: number) =>
          open().documents.put(names.map((name, at) => entryPut('t', first + at, name)))
        await add(['order_c', 'order_e', 'order_d'], 10)
        const search = (query: Partial<Query>) => open().documents.search(entries, 't', { size: 2, text, ...query })
        const { snapshotToken, ...first } = await search({ withSnapshotToken: true })
        await add(['order_a', 'order_b'], 1)
        const rest = await search({ page: 1, asOf: snapshotToken })
        expect(rest.count).toBe(3)
        const names = [...namesOf(first), ...namesOf(rest)]
        expect(names.toSorted()).toEqual(['order_c', 'order_d', 'order_e'])
      })
  })
}
