import { beforeEach, describe, expect, it } from 'vitest'
import { type Documents, documentPut } from '../port.ts'
import { all, type DocumentsUnderTest, internal, invalid, namesIn } from './asking.ts'
import { awkwardTexts, bareNotes, notePut, notes, storedText, thing, thingPut, things } from './collections.ts'

/** Puts, reads and removals, and puts with a lower revision. */
export function writingFeatures(open: () => DocumentsUnderTest): void {
  let documents: Documents
  beforeEach(() => {
    documents = open().documents
  })
  const names = namesIn(() => documents)

  describe('putting and getting', () => {
    it('given an empty store, when a document is read, then there is none', async () => {
      expect(await documents.get(things, 't', 1)).toBeUndefined()
      expect(await documents.getJsonWithRelated(things, 't', 1, [])).toBeUndefined()
      expect(await documents.find(things, 't', { size: 10 })).toEqual({ documents: [], count: 0 })
    })

    it('given a completed put, when the document is read, then it has its source', async () => {
      await documents.put([documentPut(things, 't', 7, thing({ size: 3 }), { revision: 4, position: 'p9' })])
      expect(await documents.get(things, 't', 7)).toEqual({
        id: 7,
        document: thing({ size: 3 }),
        source: { revision: 4, position: 'p9' },
      })
    })

    it('given related documents, when a document is read with them, then the existing ones are returned', async () => {
      const note = { text: 'of it' }
      await documents.put([
        documentPut(things, 't', 7, thing({ size: 9, name: 'x' }), { revision: 4, position: 'p9' }),
        documentPut(things, 't', 9, thing({ size: null }), { revision: 1, position: 'p1' }),
        documentPut(notes, 't', 'x', note, { revision: 1, position: 'p2' }),
        documentPut(notes, 'other', 'y', note, { revision: 1, position: 'p3' }),
      ])
      const related = [
        { collection: things, by: 'size' },
        { collection: notes, by: 'name' },
        { collection: things, by: 'id' },
      ]
      const seven = await storedText(documents, things, 't', 7)
      expect(await documents.getJsonWithRelated(things, 't', 7, related)).toEqual({
        text: seven,
        source: { revision: 4, position: 'p9' },
        related: [await storedText(documents, things, 't', 9), JSON.stringify(note), seven],
      })
      await documents.put([
        documentPut(things, 't', 9, null, { revision: 2, position: 'p4' }),
        documentPut(things, 't', 7, thing({ size: 9, name: 'y' }), { revision: 5, position: 'p5' }),
      ])
      expect(await documents.getJsonWithRelated(things, 't', 7, related)).toMatchObject({
        source: { revision: 5, position: 'p5' },
        related: [undefined, undefined, expect.any(String)],
      })
      expect(await documents.getJsonWithRelated(things, 't', 9, related)).toBeUndefined()
      expect(await documents.getJsonWithRelated(things, 'other', 7, related)).toBeUndefined()
    })

    it('given a related field whose type is not that of ids, when read, then it is refused', async () => {
      await expect(documents.getJsonWithRelated(things, 't', 7, [{ collection: notes, by: 'size' }])).rejects.toEqual(
        internal,
      )
      await expect(documents.getJsonWithRelated(things, 't', 7, [{ collection: notes, by: 'none' }])).rejects.toEqual(
        internal,
      )
    })

    it('given a document, when its text is read, then it is the JSON of the checked document', async () => {
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

    it('given awkward text ids, when put, then each is a document of its own', async () => {
      await documents.put(awkwardTexts.map((text) => notePut('t', text, `of ${text}`)))
      for (const text of awkwardTexts) {
        const found = await documents.get(notes, 't', text)
        expect(found).toMatchObject({ id: text, document: { text: `of ${text}` } })
      }
    })

    it('given the least and greatest safe integer, when put as ids and values, then they are read unchanged', async () => {
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

    it('given one invalid document, when put with others, then none is put and the error names the path', async () => {
      const odd: unknown = { ...thing(), open: 'yes' }
      const put = documents.put([thingPut('t', 1), { ...thingPut('t', 2), document: odd }])
      await expect(put).rejects.toEqual(internal)
      await expect(put).rejects.toThrow(/things.*open/)
      expect(await documents.get(things, 't', 1)).toBeUndefined()
    })

    it('given a document without a required field, when put, then it is refused and the error names the field', async () => {
      const { title } = things.fields
      if (title === undefined) throw new Error('Things have titles.')
      const titled = { ...things, fields: { ...things.fields, title: { ...title, required: true } } }
      const put = documents.put([documentPut(titled, 't', 1, thing(), { revision: 0, position: '1' })])
      await expect(put).rejects.toEqual(internal)
      await expect(put).rejects.toThrow(/things.*title/)
    })

    it('given an empty list of puts, then nothing happens', async () => {
      await documents.put([])
      expect(await documents.find(things, 't', { size: 0 })).toEqual({ documents: [], count: 0 })
    })

    it('given a put, when the store is opened again, then the document is still stored', async () => {
      await documents.put([thingPut('t', 1, { name: 'kept' })])
      const again = await open().reopen()
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

    it('given a collection without fields, when a higher revision is put, then the document is the new one', async () => {
      const put = (text: string, revision: number) =>
        documents.put([documentPut(bareNotes, 't', 1, { text }, { revision, position: String(revision) })])
      await put('old', 0)
      await put('new', 1)
      expect((await documents.get(bareNotes, 't', 1))?.document.text).toBe('new')
    })

    it('given several revisions of one document in one call in any order, when put, then the highest stays', async () => {
      const puts = [3, 1, 5, 2, 4].map((revision) => thingPut('t', 1, { name: `r${revision}` }, revision))
      await documents.put(puts)
      expect((await documents.get(things, 't', 1))?.document.name).toBe('r5')
    })

    it('given 100 concurrent puts of one document, then the highest revision stays', async () => {
      const revisions = Array.from({ length: 100 }, (_, index) => (index * 37) % 100)
      await Promise.all(revisions.map((revision) => documents.put([thingPut('t', 1, { size: revision }, revision)])))
      const found = await documents.get(things, 't', 1)
      expect([found?.source.revision, found?.document.size]).toEqual([99, 99])
    })

    it('given 100 concurrent puts of different documents, then all are stored', async () => {
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
      expect(await documents.getJsonWithRelated(things, 't', 1, [])).toBeUndefined()
      expect(await documents.find(things, 't', { size: 10 })).toMatchObject({ documents: [{ name: 'b' }], count: 1 })
      expect(await names([{ field: 'title', is: null }])).toEqual(['b'])
      expect((await all(documents.scan(things))).map(({ id }) => id)).toEqual([2])
    })

    it('given a removed document, when an older put arrives late, then the document stays removed', async () => {
      for (const revision of [5, Number.MAX_SAFE_INTEGER]) {
        await documents.put([thingPut('t', revision), removal(revision, revision)])
        await documents.put([thingPut('t', revision, {}, revision - 1)])
        expect(await documents.get(things, 't', revision)).toBeUndefined()
      }
    })

    it('given a removed document, when a newer revision is put, then the document exists again', async () => {
      await documents.put([thingPut('t', 1), removal(1, 5), thingPut('t', 1, { name: 'back' }, 6)])
      expect((await documents.get(things, 't', 1))?.document.name).toBe('back')
    })

    it('given a stored revision, when an older removal arrives late, then the document stays', async () => {
      await documents.put([thingPut('t', 1, {}, 5)])
      await documents.put([removal(1, 4)])
      expect(await documents.get(things, 't', 1)).toBeDefined()
    })
  })
}
