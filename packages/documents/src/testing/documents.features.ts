import { isAssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Condition, type Documents, documentPut, type Query } from '../port.ts'
import { awkwardTexts, notePut, notes, storedText, thing, thingPut, things } from './collections.ts'
import { marksFeatures } from './marks.features.ts'
import { searchFeatures } from './search.features.ts'

/** A store of its own for one test, with `testCollections` declared. */
export interface DocumentsUnderTest {
  documents: Documents
  /** Another store over the same data, as another process would open it. */
  reopen(): Promise<Documents>
  /** Removes everything. */
  end(): Promise<void>
}

const invalid = expect.toSatisfy((error: unknown) => isAssayError(error, 'invalid'), 'invalid')
const internal = expect.toSatisfy((error: unknown) => isAssayError(error, 'internal'), 'internal')

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = []
  for await (const item of items) seen.push(item)
  return seen
}

/** Asks every promise of the port of one adapter. */
export function documentsFeatures(name: string, make: () => Promise<DocumentsUnderTest>): void {
  describe(`documents of ${name}`, () => {
    let world: DocumentsUnderTest
    let documents: Documents

    beforeEach(async () => {
      world = await make()
      documents = world.documents
    })
    afterEach(() => world.end())

    async function names(where: readonly Condition[], rest: Partial<Query> = {}, tenant = 't'): Promise<string[]> {
      const found = await documents.find(things, tenant, { where, size: 1000, ...rest })
      return found.documents.map((found) => found.name)
    }

    searchFeatures(() => documents)
    marksFeatures(() => world)

    describe('putting and getting', () => {
      it('given nothing, when a document is asked for, then there is none', async () => {
        expect(await documents.get(things, 't', 1)).toBeUndefined()
        expect(await documents.getTextBeside(things, 't', 1, [])).toBeUndefined()
        expect(await documents.find(things, 't', { size: 10 })).toEqual({ documents: [], count: 0 })
      })

      it('given a put that has answered, when it is read, then it is there with its source', async () => {
        await documents.put([documentPut(things, 't', 7, thing({ size: 3 }), { revision: 4, position: 'p9' })])
        expect(await documents.get(things, 't', 7)).toEqual({
          id: 7,
          document: thing({ size: 3 }),
          source: { revision: 4, position: 'p9' },
        })
      })

      it('given documents that one names, when it is read with them, then all texts are there that are', async () => {
        const note = { text: 'of it' }
        await documents.put([
          documentPut(things, 't', 7, thing({ size: 9, name: 'x' }), { revision: 4, position: 'p9' }),
          documentPut(things, 't', 9, thing({ size: null }), { revision: 1, position: 'p1' }),
          documentPut(notes, 't', 'x', note, { revision: 1, position: 'p2' }),
          documentPut(notes, 'other', 'y', note, { revision: 1, position: 'p3' }),
        ])
        const beside = [
          { collection: things, by: 'size' },
          { collection: notes, by: 'name' },
          { collection: things, by: 'id' },
        ]
        const seven = await storedText(documents, things, 't', 7)
        expect(await documents.getTextBeside(things, 't', 7, beside)).toEqual({
          text: seven,
          source: { revision: 4, position: 'p9' },
          beside: [await storedText(documents, things, 't', 9), JSON.stringify(note), seven],
        })
        await documents.put([
          documentPut(things, 't', 9, null, { revision: 2, position: 'p4' }),
          documentPut(things, 't', 7, thing({ size: 9, name: 'y' }), { revision: 5, position: 'p5' }),
        ])
        expect(await documents.getTextBeside(things, 't', 7, beside)).toMatchObject({
          source: { revision: 5, position: 'p5' },
          beside: [undefined, undefined, expect.any(String)],
        })
        expect(await documents.getTextBeside(things, 't', 9, beside)).toBeUndefined()
        expect(await documents.getTextBeside(things, 'other', 7, beside)).toBeUndefined()
      })

      it('given a field whose values are no ids of the other, when it is read with it, then it is refused', async () => {
        await expect(documents.getTextBeside(things, 't', 7, [{ collection: notes, by: 'size' }])).rejects.toEqual(
          internal,
        )
        await expect(documents.getTextBeside(things, 't', 7, [{ collection: notes, by: 'none' }])).rejects.toEqual(
          internal,
        )
      })

      it('given a document, when its text is asked for, then it is the JSON of the checked document', async () => {
        const put = thingPut('t', 1, { name: 'ü😀\n"', score: 1.5 })
        await documents.put([put])
        const text = await storedText(documents, things, 't', 1)
        expect(text).toBe(JSON.stringify(things.schema.parse(put.document)))
      })

      it('given keys that the schema does not know, when put, then they are not stored', async () => {
        const odd: unknown = { ...thing(), secret: 'x' }
        await documents.put([{ ...thingPut('t', 1), document: odd }])
        expect(await storedText(documents, things, 't', 1)).not.toContain('secret')
      })

      it('given an undefined property, when put, then it is left out', async () => {
        await documents.put([thingPut('t', 1, { title: undefined })])
        expect(await storedText(documents, things, 't', 1)).not.toContain('title')
        expect(await names([{ field: 'title', is: null }])).toEqual(['a'])
      })

      it('given ids of text that are awkward, when put, then each is a document of its own', async () => {
        await documents.put(awkwardTexts.map((text) => notePut('t', text, `of ${text}`)))
        for (const text of awkwardTexts) {
          const found = await documents.get(notes, 't', text)
          expect(found).toMatchObject({ id: text, document: { text: `of ${text}` } })
        }
      })

      it('given the least and greatest safe integer, when put as ids and values, then they come back', async () => {
        const ids = [Number.MIN_SAFE_INTEGER, -1, 0, Number.MAX_SAFE_INTEGER]
        await documents.put(ids.map((id) => thingPut('t', id, { name: String(id), size: id })))
        for (const id of ids) expect((await documents.get(things, 't', id))?.document.size).toBe(id)
        expect(await names([])).toEqual(ids.map(String))
        expect(await names([{ field: 'size', is: Number.MAX_SAFE_INTEGER }])).toEqual([String(Number.MAX_SAFE_INTEGER)])
      })

      it('given an id of the wrong kind, when read or put, then it is refused', async () => {
        await expect(documents.get(things, 't', '1')).rejects.toEqual(invalid)
        await expect(documents.get(things, 't', 1.5)).rejects.toEqual(invalid)
        await expect(documents.get(notes, 't', 1)).rejects.toEqual(invalid)
        await expect(documents.put([{ ...thingPut('t', 1), id: '1' }])).rejects.toEqual(invalid)
      })

      it('given one document that does not fit, when put with others, then none is put and the path is named', async () => {
        const odd: unknown = { ...thing(), open: 'yes' }
        const put = documents.put([thingPut('t', 1), { ...thingPut('t', 2), document: odd }])
        await expect(put).rejects.toEqual(internal)
        await expect(put).rejects.toThrow(/things.*open/)
        expect(await documents.get(things, 't', 1)).toBeUndefined()
      })

      it('given a document without a field that is never null, when put, then it is refused and the field is named', async () => {
        const { title } = things.fields
        if (title === undefined) throw new Error('Things have titles.')
        const titled = { ...things, fields: { ...things.fields, title: { ...title, required: true } } }
        const put = documents.put([documentPut(titled, 't', 1, thing(), { revision: 0, position: '1' })])
        await expect(put).rejects.toEqual(internal)
        await expect(put).rejects.toThrow(/things.*title/)
      })

      it('given no puts, when put, then nothing happens', async () => {
        await documents.put([])
        expect(await documents.find(things, 't', { size: 0 })).toEqual({ documents: [], count: 0 })
      })

      it('given what was put, when the store is opened again, then it is still there', async () => {
        await documents.put([thingPut('t', 1, { name: 'kept' })])
        const again = await world.reopen()
        expect((await again.get(things, 't', 1))?.document.name).toBe('kept')
        await again.close()
      })
    })

    describe('revisions', () => {
      it('given a stored revision, when a lower or equal one is put, then nothing changes and nothing fails', async () => {
        await documents.put([thingPut('t', 1, { name: 'new' }, 5)])
        await documents.put([thingPut('t', 1, { name: 'same' }, 5)])
        await documents.put([thingPut('t', 1, { name: 'old' }, 4)])
        expect((await documents.get(things, 't', 1))?.document.name).toBe('new')
        expect(await names([{ field: 'name', in: ['same', 'old'] }])).toEqual([])
      })

      it('given a stored revision, when a higher one is put, then document and fields are the new ones', async () => {
        await documents.put([thingPut('t', 1, { name: 'old', title: 'x' }, 0)])
        await documents.put([thingPut('t', 1, { name: 'new' }, 9)])
        expect(await names([])).toEqual(['new'])
        expect(await names([{ field: 'title', is: 'x' }])).toEqual([])
      })

      it('given several revisions of one document in one call in any order, when put, then the highest stays', async () => {
        const puts = [3, 1, 5, 2, 4].map((revision) => thingPut('t', 1, { name: `r${revision}` }, revision))
        await documents.put(puts)
        expect((await documents.get(things, 't', 1))?.document.name).toBe('r5')
      })

      it('given 100 puts of one document at once, when all have answered, then the highest revision stays', async () => {
        const revisions = Array.from({ length: 100 }, (_, index) => (index * 37) % 100)
        await Promise.all(revisions.map((revision) => documents.put([thingPut('t', 1, { size: revision }, revision)])))
        const found = await documents.get(things, 't', 1)
        expect([found?.source.revision, found?.document.size]).toEqual([99, 99])
      })

      it('given 100 puts of different documents at once, when all have answered, then all are there', async () => {
        const ids = Array.from({ length: 100 }, (_, index) => index)
        await Promise.all(ids.map((id) => documents.put([thingPut('t', id)])))
        expect((await documents.find(things, 't', { size: 0 })).count).toBe(100)
      })
    })

    describe('removing', () => {
      const removal = (id: number, revision: number) =>
        documentPut(things, 't', id, null, { revision, position: String(revision) })

      it('given a document, when it is removed, then no read finds it', async () => {
        await documents.put([thingPut('t', 1), thingPut('t', 2, { name: 'b' })])
        await documents.put([removal(1, 1)])
        expect(await documents.get(things, 't', 1)).toBeUndefined()
        expect(await documents.getTextBeside(things, 't', 1, [])).toBeUndefined()
        expect(await documents.find(things, 't', { size: 10 })).toMatchObject({ documents: [{ name: 'b' }], count: 1 })
        expect(await names([{ field: 'title', is: null }])).toEqual(['b'])
        expect((await all(documents.scan(things))).map(({ id }) => id)).toEqual([2])
      })

      it('given a removed document, when an older put comes late, then it does not come back', async () => {
        await documents.put([removal(1, 5)])
        await documents.put([thingPut('t', 1, {}, 4)])
        expect(await documents.get(things, 't', 1)).toBeUndefined()
      })

      it('given a removed document, when a newer put comes, then it is back', async () => {
        await documents.put([thingPut('t', 1), removal(1, 5), thingPut('t', 1, { name: 'back' }, 6)])
        expect((await documents.get(things, 't', 1))?.document.name).toBe('back')
      })

      it('given a stored revision, when an older removal comes late, then the document stays', async () => {
        await documents.put([thingPut('t', 1, {}, 5)])
        await documents.put([removal(1, 4)])
        expect(await documents.get(things, 't', 1)).toBeDefined()
      })
    })

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

      it('given tenants with awkward names, when one finds, then it finds none of another', async () => {
        await documents.put(awkwardTexts.map((tenant) => thingPut(tenant, 1, { name: tenant })))
        for (const tenant of awkwardTexts) expect(await names([], {}, tenant)).toEqual([tenant])
      })
    })

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
        it(`given four documents, when ${JSON.stringify(condition)} is asked, then ${expected.length} are found`, async () => {
          await put()
          expect(await names([condition])).toEqual(expected)
          const counted = await documents.find(things, 't', { where: [condition], size: 0 })
          expect(counted).toEqual({ documents: [], count: expected.length })
        })
      }

      it('given several conditions, when asked together, then all have to hold', async () => {
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

      it('given text in many scripts, when contains is asked in another case, then it is found', async () => {
        const pairs = [
          ['ÄRGER im Büro', 'ärger im bü'],
          ['ДАННЫЕ', 'данные'],
          ['Ödeme Günü', 'ÖDEME'],
          ['cafe\u0301', 'CAFÉ'],
          ['ΟΔΟΣ ΑΘΗΝΩΝ', 'οδος'],
          ['Größe', 'RÖSS'],
          ['HAUPTSTRASSE', 'straße'],
          ['日本語テキスト', '本語'],
          ['Report 😀', 'REPORT 😀'],
        ]
        await documents.put(pairs.map(([name], index) => thingPut('t', index, { name: name ?? '' })))
        for (const [name, part] of pairs) expect(await names([{ field: 'name', contains: part ?? '' }])).toEqual([name])
      })

      it('given awkward texts, when each is asked for, then exactly what fits is found', async () => {
        await documents.put(awkwardTexts.map((name, id) => thingPut('t', id, { name })))
        const folded = (text: string) => text.normalize('NFC').toLowerCase()
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

      it('given awkward ids, when filtered by id, then exactly what fits is found', async () => {
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

      it('given a list of 3,000 values, when asked for, then all of them are found', async () => {
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
        ['a part of a number', { where: [{ field: 'id', contains: '1' }], size: 1 }],
        ['too long a list', { where: [{ field: 'id', in: Array.from({ length: 10_001 }, () => 1) }], size: 1 }],
        ['sorting by an unknown field', { sort: [{ field: 'nope', direction: 'asc' }], size: 1 }],
        ['a negative size', { size: -1 }],
        ['a broken size', { size: 1.5 }],
        ['too large a size', { size: 1001 }],
        ['a negative page', { page: -1, size: 1 }],
        ['an endless page', { page: Number.MAX_VALUE, size: 10 }],
      ]
      for (const [what, query] of refused) {
        it(`given ${what}, when asked, then it is refused as invalid`, async () => {
          await expect(documents.find(things, 't', query)).rejects.toEqual(invalid)
        })
      }
    })

    describe('sorting and paging', () => {
      it('given no sort, when found, then by id ascending', async () => {
        await documents.put([3, 1, 2].map((id) => thingPut('t', id, { name: `n${id}` })))
        expect(await names([])).toEqual(['n1', 'n2', 'n3'])
      })

      it('given equal values, when sorted, then ties go by id in the direction of the last key', async () => {
        await documents.put([1, 2, 3, 4].map((id) => thingPut('t', id, { name: `n${id}`, size: id % 2 })))
        expect(await names([], { sort: [{ field: 'size', direction: 'asc' }] })).toEqual(['n2', 'n4', 'n1', 'n3'])
        expect(await names([], { sort: [{ field: 'size', direction: 'desc' }] })).toEqual(['n3', 'n1', 'n4', 'n2'])
        const both: Query['sort'] = [
          { field: 'size', direction: 'desc' },
          { field: 'id', direction: 'asc' },
        ]
        expect(await names([], { sort: both })).toEqual(['n1', 'n3', 'n2', 'n4'])
      })

      it('given nulls, when sorted, then they are last ascending and first descending', async () => {
        const sizes = [5, null, -1, null, 0]
        await documents.put(sizes.map((size, id) => thingPut('t', id, { name: String(size), size })))
        const sorted = (direction: 'asc' | 'desc') => names([], { sort: [{ field: 'size', direction }] })
        expect(await sorted('asc')).toEqual(['-1', '0', '5', 'null', 'null'])
        expect(await sorted('desc')).toEqual(['null', 'null', '5', '0', '-1'])
      })

      it('given text, when sorted, then by code points', async () => {
        const texts = ['z', 'Z', 'é', 'a', '', '10', '9', '日', '😀', '\uffee']
        await documents.put(texts.map((name, id) => thingPut('t', id, { name })))
        const expected = ['', '10', '9', 'Z', 'a', 'z', 'é', '日', '\uffee', '😀']
        expect(await names([], { sort: [{ field: 'name', direction: 'asc' }] })).toEqual(expected)
      })

      it('given 1,050 documents, when all pages are read, then each is seen once, in order, with the same count', async () => {
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

      it('given a filter, when a page is read, then the count is of all that match', async () => {
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

      for (const [what, where, fits] of cases)
        it(`given ${what}, when pages are read in any order, then they are those that fit, in order, counted`, async () => {
          await documents.put(all.map((one, id) => thingPut('t', id, one)))
          await documents.put([thingPut('u', 1, all[0])])
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
              const fitting = all
                .filter(fits)
                .toSorted((a, b) => (direction === 'asc' ? compared(a, b) : compared(b, a)))
              for (const page of [0, 1, 70]) {
                const found = await documents.find(things, 't', { where, sort: keys, page, size: 3 })
                expect(found.count).toBe(fitting.length)
                expect(found.documents).toEqual(fitting.slice(page * 3, page * 3 + 3))
              }
            }
        })
    })

    describe('scanning', () => {
      it('given many tenants, when scanned in small pages, then all come by tenant and id, once', async () => {
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

      it('given a scan, when the reader stops early or writes meanwhile, then nothing is held', async () => {
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
