import { beforeEach, describe, expect, it } from 'vitest'
import type { Condition, Documents, Query } from '../port.ts'
import { type DocumentsUnderTest, invalid, namesIn } from './asking.ts'
import { awkwardTexts, notePut, notes, thingPut, things } from './collections.ts'

/** Which documents match a condition. */
export function filteringFeatures(open: () => DocumentsUnderTest): void {
  let documents: Documents
  beforeEach(() => {
    documents = open().documents
  })
  const names = namesIn(() => documents)

  describe('filtering', () => {
    const put = () =>
      documents.put([
        thingPut('t', 1, { name: 'one', title: 'Alpha', size: 1, score: 0.5, open: true }),
        thingPut('t', 2, { name: 'two', title: 'beta', size: 2, score: -2.25 }),
        thingPut('t', 3, { name: 'three', title: 'ALPHABET', size: 3, score: 1e21, open: true }),
        thingPut('t', 4, { name: 'four' }),
      ])
    const cases: [Condition, string[]][] = [
      [{ field: 'name', is: 'two' }, ['two']],
      [{ field: 'name', is: 'TWO' }, []],
      [{ field: 'size', is: 3 }, ['three']],
      [{ field: 'size', is: 1.5 }, []],
      [{ field: 'score', is: -2.25 }, ['two']],
      [{ field: 'score', is: 1e21 }, ['three']],
      [{ field: 'open', is: true }, ['one', 'three']],
      [{ field: 'open', is: false }, ['two', 'four']],
      [{ field: 'title', is: null }, ['four']],
      [{ field: 'id', is: 2 }, ['two']],
      [{ field: 'id', is: null }, []],
      [{ field: 'name', not: 'two' }, ['one', 'three', 'four']],
      [{ field: 'title', not: 'beta' }, ['one', 'three', 'four']],
      [{ field: 'title', not: null }, ['one', 'two', 'three']],
      [{ field: 'open', not: true }, ['two', 'four']],
      [{ field: 'id', not: 1 }, ['two', 'three', 'four']],
      [{ field: 'name', in: ['one', 'four', 'five'] }, ['one', 'four']],
      [{ field: 'name', in: [] }, []],
      [{ field: 'title', in: [null, 'beta'] }, ['two', 'four']],
      [{ field: 'title', in: [null] }, ['four']],
      [{ field: 'size', in: [1, 1, 2, 9, 10] }, ['one', 'two']],
      [{ field: 'open', in: [true, false] }, ['one', 'two', 'three', 'four']],
      [{ field: 'id', in: [4, 1] }, ['one', 'four']],
      [{ field: 'size', from: 2 }, ['two', 'three']],
      [{ field: 'size', to: 2 }, ['one', 'two']],
      [{ field: 'size', from: 1.5, to: 2.5 }, ['two']],
      [{ field: 'size' }, ['one', 'two', 'three']],
      [{ field: 'score', from: -100, to: 0.5 }, ['one', 'two']],
      [{ field: 'name', from: 'o', to: 'three' }, ['one', 'three']],
      [{ field: 'id', from: 2, to: 3 }, ['two', 'three']],
      [{ field: 'name', prefix: 't' }, ['two', 'three']],
      [{ field: 'title', prefix: 'A' }, ['one', 'three']],
      [{ field: 'title', prefix: 'a' }, []],
      [{ field: 'title', prefix: '' }, ['one', 'two', 'three']],
      [{ field: 'title', contains: 'alpha' }, ['one', 'three']],
      [{ field: 'title', contains: 'ET' }, ['two', 'three']],
      [{ field: 'title', contains: '' }, ['one', 'two', 'three']],
      [{ field: 'name', contains: 'zzz' }, []],
    ]
    for (const [condition, expected] of cases) {
      it(`given four documents, when filtered by ${JSON.stringify(condition)}, then ${expected.length} are found`, async () => {
        await put()
        expect(await names([condition])).toEqual(expected)
        const counted = await documents.find(things, 't', { where: [condition], size: 0 })
        expect(counted).toEqual({ documents: [], count: expected.length })
      })
    }

    it('given several conditions, then documents must match all of them', async () => {
      await put()
      expect(
        await names([
          { field: 'open', is: true },
          { field: 'size', from: 2 },
        ]),
      ).toEqual(['three'])
      expect(
        await names([
          { field: 'size', from: 2 },
          { field: 'size', to: 1 },
        ]),
      ).toEqual([])
    })

    it('given text in many scripts, when `contains` has another case, then the text is found', async () => {
      const pairs = [
        ['ÄRGER im Büro', 'ärger im bü'],
        ['ДАННЫЕ', 'данные'],
        ['Ödeme Günü', 'ÖDEME'],
        ['cafe\u0301', 'CAFÉ'],
        ['Ünïcode', 'unicode'],
        ['ΟΔΟΣ ΑΘΗΝΩΝ', 'οδος'],
        ['Größe', 'RÖSS'],
        ['HAUPTSTRASSE', 'straße'],
        ['日本語テキスト', '本語'],
        ['Report 😀', 'REPORT 😀'],
      ]
      await documents.put(pairs.map(([name], index) => thingPut('t', index, { name: name ?? '' })))
      for (const [name, part] of pairs) expect(await names([{ field: 'name', contains: part ?? '' }])).toEqual([name])
    })

    it('given awkward texts, when each is a filter, then exactly the matching documents are found', async () => {
      await documents.put(awkwardTexts.map((name, id) => thingPut('t', id, { name })))
      const folded = (text: string) =>
        text
          .normalize('NFD')
          .replaceAll(/[\u0300-\u036f]/g, '')
          .toLowerCase()
      for (const text of awkwardTexts) {
        expect(await names([{ field: 'name', is: text }])).toEqual([text])
        expect(await names([{ field: 'name', in: [text, 'none'] }])).toEqual([text])
        expect(await names([{ field: 'name', not: text }])).toEqual(awkwardTexts.filter((other) => other !== text))
        expect(await names([{ field: 'name', from: text, to: text }])).toEqual([text])
        expect(await names([{ field: 'name', prefix: text }])).toEqual(
          awkwardTexts.filter((other) => other.startsWith(text)),
        )
        expect(await names([{ field: 'name', contains: text }])).toEqual(
          awkwardTexts.filter((other) => folded(other).includes(folded(text))),
        )
      }
      expect((await documents.find(things, 't', { size: 0 })).count).toBe(awkwardTexts.length)
    })

    it('given awkward ids, when filtered by id, then exactly the matching documents are found', async () => {
      await documents.put(awkwardTexts.map((id) => notePut('t', id, id)))
      for (const text of awkwardTexts) {
        const found = await documents.find(notes, 't', { where: [{ field: 'id', is: text }], size: 5 })
        expect(found.documents).toEqual([{ text }])
        const prefixed = await documents.find(notes, 't', { where: [{ field: 'id', prefix: text }], size: 0 })
        expect(prefixed.count).toBe(awkwardTexts.filter((other) => other.startsWith(text)).length)
      }
      const contained = await documents.find(notes, 't', { where: [{ field: 'id', contains: 'ÄRG' }], size: 5 })
      expect(contained.documents).toEqual([{ text: 'Ärger' }])
    })

    it('given a list of 3,000 values, then all matching documents are found', async () => {
      await documents.put([thingPut('t', 5, { size: 5 }), thingPut('t', 2999), thingPut('t', 3001)])
      const ids = Array.from({ length: 3000 }, (_, index) => index)
      expect((await documents.find(things, 't', { where: [{ field: 'id', in: ids }], size: 0 })).count).toBe(2)
    })

    const refused: [string, Query][] = [
      ['an unknown field', { where: [{ field: 'nope', is: 1 }], size: 1 }],
      ['a field of the prototype', { where: [{ field: 'constructor', is: 1 }], size: 1 }],
      ['a column that is not a field', { where: [{ field: 'tenant', is: 't' }], size: 1 }],
      ['SQL in place of a field', { where: [{ field: '1=1 OR name', is: 'a' }], size: 1 }],
      ['an operator in place of a field', { where: [{ field: '$where', is: 'a' }], size: 1 }],
      ['text for an integer', { where: [{ field: 'size', is: '5' }], size: 1 }],
      ['a number for text', { where: [{ field: 'name', in: ['a', 5] }], size: 1 }],
      ['a number for a boolean', { where: [{ field: 'open', not: 1 }], size: 1 }],
      ['not a number', { where: [{ field: 'size', is: Number.NaN }], size: 1 }],
      ['a range of booleans', { where: [{ field: 'open', from: 0 }], size: 1 }],
      ['a range with the wrong type', { where: [{ field: 'size', to: '9' }], size: 1 }],
      ['a prefix of a number', { where: [{ field: 'size', prefix: '1' }], size: 1 }],
      ['contains on a number', { where: [{ field: 'id', contains: '1' }], size: 1 }],
      ['a list that is too long', { where: [{ field: 'id', in: Array.from({ length: 10_001 }, () => 1) }], size: 1 }],
      ['sorting by an unknown field', { sort: [{ field: 'nope', direction: 'asc' }], size: 1 }],
      ['a negative size', { size: -1 }],
      ['a fractional size', { size: 1.5 }],
      ['a size that is too large', { size: 1001 }],
      ['a negative page', { page: -1, size: 1 }],
      ['a page number that is too large', { page: Number.MAX_VALUE, size: 10 }],
    ]
    for (const [what, query] of refused) {
      it(`given ${what}, when queried, then it throws invalid`, async () => {
        await expect(documents.find(things, 't', query)).rejects.toEqual(invalid)
      })
    }
  })
}
