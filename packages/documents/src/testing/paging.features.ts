import { beforeEach, describe, expect, it } from 'vitest'
import { type Bounds, findPage, findPageInParts } from '../page.ts'
import { type Condition, type Documents, documentPut, type Found, type Query } from '../port.ts'
import { type DocumentsUnderTest, namesIn } from './asking.ts'
import { bareNotes, thing, thingPut, things } from './collections.ts'

/** Order, pages and whole listings. */
export function pagingFeatures(open: () => DocumentsUnderTest): void {
  let documents: Documents
  beforeEach(() => {
    documents = open().documents
  })
  const names = namesIn(() => documents)

  describe('sorting and paging', () => {
    it('given no sort, then documents are sorted by id ascending', async () => {
      await documents.put([3, 1, 2].map((id) => thingPut('t', id, { name: `n${id}` })))
      expect(await names([])).toEqual(['n1', 'n2', 'n3'])
    })

    it('given equal values, then ties are broken by id in the direction of the last key', async () => {
      await documents.put([1, 2, 3, 4].map((id) => thingPut('t', id, { name: `n${id}`, size: id % 2 })))
      expect(await names([], { sort: [{ field: 'size', direction: 'asc' }] })).toEqual(['n2', 'n4', 'n1', 'n3'])
      expect(await names([], { sort: [{ field: 'size', direction: 'desc' }] })).toEqual(['n3', 'n1', 'n4', 'n2'])
      const both: Query['sort'] = [
        { field: 'size', direction: 'desc' },
        { field: 'id', direction: 'asc' },
      ]
      expect(await names([], { sort: both })).toEqual(['n1', 'n3', 'n2', 'n4'])
    })

    it('given nulls, then they are sorted last ascending and first descending', async () => {
      const sizes = [5, null, -1, null, 0]
      await documents.put(sizes.map((size, id) => thingPut('t', id, { name: String(size), size })))
      const sorted = (direction: 'asc' | 'desc') => names([], { sort: [{ field: 'size', direction }] })
      expect(await sorted('asc')).toEqual(['-1', '0', '5', 'null', 'null'])
      expect(await sorted('desc')).toEqual(['null', 'null', '5', '0', '-1'])
    })

    it('given text, then it is sorted by code points', async () => {
      const texts = ['z', 'Z', 'é', 'a', '', '10', '9', '日', '😀', '\uffee']
      await documents.put(texts.map((name, id) => thingPut('t', id, { name })))
      const expected = ['', '10', '9', 'Z', 'a', 'z', 'é', '日', '\uffee', '😀']
      expect(await names([], { sort: [{ field: 'name', direction: 'asc' }] })).toEqual(expected)
    })

    it('given documents whose total exceeds the size limit, when queried, then the error names a size that fits', async () => {
      await documents.put([1, 2, 3, 4].map((id) => thingPut('t', id, { name: `n${id}`.padEnd(1000, 'x') })))
      const page = (size: number, maxBytes?: number) =>
        documents.find(things, 't', { size, ...(maxBytes === undefined ? {} : { maxBytes }) })
      await expect(page(4, 3000)).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('size=2') })
      expect((await page(2, 3000)).documents).toHaveLength(2)
      expect((await page(4)).documents).toHaveLength(4)
      expect((await page(1, 10)).documents).toHaveLength(1)
    })

    it('given documents of more than 4 MiB, when a page is read in parts, then it has all of them, in order, of one snapshot', async () => {
      const put = (ids: readonly number[], text: string) =>
        documents.put(ids.map((id) => documentPut(bareNotes, 't', id, { text }, { revision: 0, position: '1' })))
      await put([1, 2, 3, 4, 5, 6, 7], 'x'.repeat(1_000_000))
      let asOf: string | undefined
      const listing: Bounds = {
        get asOf() {
          return asOf
        },
        bind: (token) => {
          asOf ??= token
        },
      }
      const query = { tenant: 't', page: 1, size: 6 }
      await expect(findPage(documents, { listing }, bareNotes, { ...query, page: 0 })).rejects.toThrow('size=4')
      const ofPage = async (page: number) => {
        const parts: Found<unknown>[] = []
        for await (const part of findPageInParts(documents, { listing }, bareNotes, { ...query, page })) {
          parts.push(part)
          // It is not in the snapshot.
          await put([8], 'late')
        }
        return parts.map(({ documents: found, count }) => [found.length, count])
      }
      asOf = undefined
      expect(await ofPage(0)).toEqual(Array.from({ length: 6 }, () => [1, 7]))
      expect(await ofPage(1)).toEqual([[1, 7]])
    })

    it('given 1,050 documents, when all pages are read, then each document appears once, in order, and the count stays the same', async () => {
      const total = 1050
      const puts = Array.from({ length: total }, (_, id) => thingPut('t', id, { name: String(id), size: id % 7 }))
      await documents.put(puts)
      const sort: Query['sort'] = [{ field: 'size', direction: 'desc' }]
      const seen: { name: string; size: number | null }[] = []
      for (let page = 0; page <= 11; page++) {
        const found = await documents.find(things, 't', { sort, page, size: 100 })
        expect(found.count).toBe(total)
        seen.push(...found.documents)
      }
      expect(new Set(seen.map((found) => found.name)).size).toBe(total)
      const key = (found: { name: string; size: number | null }) => (found.size ?? 0) * 10_000 + Number(found.name)
      expect(seen.map(key)).toEqual(seen.map(key).toSorted((a, b) => b - a))
      expect(await documents.find(things, 't', { page: 99, size: 100 })).toEqual({ documents: [], count: total })
      const whole = await documents.find(things, 't', { size: 1000 })
      expect([whole.documents.length, whole.count]).toEqual([1000, total])
    })

    it('given a filter, when a page is read, then the count includes all matches', async () => {
      await documents.put(Array.from({ length: 30 }, (_, id) => thingPut('t', id, { open: id % 3 === 0 })))
      const where: Condition[] = [{ field: 'open', is: true }]
      const found = await documents.find(things, 't', { where, page: 1, size: 4 })
      expect([found.documents.length, found.count]).toEqual([4, 10])
      const last = await documents.find(things, 't', { where, page: 2, size: 4 })
      expect([last.documents.length, last.count]).toEqual([2, 10])
    })
  })

  describe('listing', () => {
    const total = 2400
    const all = Array.from({ length: total }, (_, id) =>
      thing({
        name: id % 600 === 0 ? 'rare' : `n${id % 2}`,
        size: id % 5 === 0 ? null : id % 11,
        score: (id * 7919) % total,
        open: id % 300 === 0,
      }),
    )
    const rare: Condition = { field: 'name', is: 'rare' }
    const cases: [what: string, where: Condition[], fits: (one: (typeof all)[number]) => boolean][] = [
      ['few by one field', [rare], ({ name }) => name === 'rare'],
      ['many by one field', [{ field: 'name', is: 'n1' }], ({ name }) => name === 'n1'],
      ['few by two fields', [rare, { field: 'open', is: true }], ({ name, open }) => name === 'rare' && open],
      ['few by a list', [{ field: 'name', in: ['rare', 'other'] }], ({ name }) => name === 'rare'],
      ['many by a list', [{ field: 'name', in: ['rare', 'n0'] }], ({ name }) => name !== 'n1'],
      ['few by null', [{ field: 'size', is: null }, rare], ({ name, size }) => size === null && name === 'rare'],
      ['none', [{ field: 'name', is: 'none' }], () => false],
      ['many listed together', [{ field: 'open', is: false }], ({ open }) => !open],
    ]

    it('given conditions that few, many or no documents match, when pages are read in any order, then they have the matching documents in that order, and the count', async () => {
      await documents.put(all.map((one, id) => thingPut('t', id, one)))
      await documents.put([thingPut('u', 1, all[0])])
      for (const [what, where, fits] of cases)
        for (const direction of ['asc', 'desc'] as const)
          for (const sort of [['score'], ['size', 'name', 'score'], ['size', 'score']]) {
            const keys = sort.map((field) => ({ field, direction }))
            const compared = (a: (typeof all)[number], b: (typeof all)[number]): number => {
              // Null is the greatest value.
              const size = (a.size ?? 99) - (b.size ?? 99)
              const name = a.name < b.name ? -1 : Number(a.name > b.name)
              const score = (a.score ?? 0) - (b.score ?? 0)
              const by: Record<string, number> = { size, name, score }
              return sort.map((field) => by[field] ?? 0).find((order) => order !== 0) ?? 0
            }
            const fitting = all.filter(fits).toSorted((a, b) => (direction === 'asc' ? compared(a, b) : compared(b, a)))
            for (const page of [0, 1, 70]) {
              const found = await documents.find(things, 't', { where, sort: keys, page, size: 3 })
              expect([what, keys, page, found]).toEqual([
                what,
                keys,
                page,
                { documents: fitting.slice(page * 3, page * 3 + 3), count: fitting.length },
              ])
            }
          }
    }, 300_000)
  })
}
