import { describe, expect, it } from 'vitest'
import type { DocumentPut, Documents } from '../port.ts'
import { storedText, thingPut, things } from './collections.ts'

/** Adapters that can be rebuilt while they are used. */
interface Rebuildable extends Documents {
  rebuildTarget(): { begin(): Promise<void>; put(puts: readonly DocumentPut[]): Promise<void>; commit(): Promise<void> }
}

/**
 * The guarantees of a rebuild, for every adapter and every process. `open` returns two documents over the same store,
 * by two clients if the adapter supports several.
 */
export function rebuildFeatures(open: () => Promise<[Rebuildable, Rebuildable]>): void {
  describe('a rebuild', () => {
    it('given a rebuild in progress, then readers see the old documents until the switch and the new ones after', async () => {
      const [documents, other] = await open()
      await documents.put([thingPut('t', 1, { name: 'old' }, 1), thingPut('t', 2, { name: 'stale' }, 1)])
      const target = documents.rebuildTarget()
      await target.begin()
      await target.put([thingPut('t', 1, { name: 'new' }, 1)])
      for (const reader of [documents, other]) expect((await reader.get(things, 't', 1))?.document.name).toBe('old')
      await target.commit()
      for (const reader of [documents, other]) {
        expect((await reader.get(things, 't', 1))?.document.name).toBe('new')
        expect(await reader.get(things, 't', 2)).toBeUndefined()
        const found = await reader.find(things, 't', { where: [{ field: 'name', is: 'new' }], size: 1 })
        expect(found.count).toBe(1)
      }
    })

    it('given live puts during a rebuild, when it is committed, then the higher revision of each document remains', async () => {
      const [documents, other] = await open()
      const target = documents.rebuildTarget()
      await target.begin()
      await other.put([thingPut('t', 1, { name: 'live' }, 5), thingPut('t', 2, { name: 'live' }, 1)])
      await target.put([thingPut('t', 1, { name: 'log' }, 4), thingPut('t', 2, { name: 'log' }, 2)])
      await target.commit()
      expect((await documents.get(things, 't', 1))?.document.name).toBe('live')
      expect((await documents.get(things, 't', 2))?.document.name).toBe('log')
    })

    it('given the same puts in two orders, then the rebuilds store byte-equal texts', async () => {
      const [documents] = await open()
      const puts = Array.from({ length: 50 }, (_, id) => thingPut('t', id % 10, { size: id, score: id / 3 }, id))
      const texts: (string | undefined)[][] = []
      for (const order of [puts, puts.toReversed()]) {
        const target = documents.rebuildTarget()
        await target.begin()
        await target.put(order)
        await target.commit()
        texts.push(await Promise.all(Array.from({ length: 10 }, (_, id) => storedText(documents, things, 't', id))))
      }
      expect(texts[1]).toEqual(texts[0])
      expect(texts[0]).not.toContain(undefined)
    })
  })
}
