import { setTimeout as sleep } from 'node:timers/promises'
import { AssayError } from '@assay/service-kit/errors'
import type { Collection, Db } from 'mongodb'
import { type EncodedPut, encodedPut } from '../encoded-put.ts'
import type { DocumentPut } from '../port.ts'
import { changedEntry, type Entry, type EntryChange, usable } from './catalog.ts'
import { ensureIndexes } from './indexes.ts'
import type { Layout } from './layout.ts'
import { call, type Limits } from './limits.ts'
import { writeNames } from './names.ts'
import type { Pointers } from './pointers.ts'
import type { DocumentRecord } from './record.ts'
import type { WriteRecords } from './writer.ts'

/**
 * Fills MongoDB collections alongside the live ones from the log, then switches the entries to them. Readers see the
 * old documents until the switch. After `begin`, live puts of all processes go to both collections, so the switch loses
 * none. Each collection is switched separately, so for a moment one can be new while another is old.
 */
export interface RebuildTarget {
  begin(): Promise<void>
  put(puts: readonly DocumentPut[]): Promise<void>
  /** Can be retried after a failure. */
  commit(): Promise<void>
  /** Ends the rebuild without switching, even if another process has taken it over. */
  abandon(): Promise<void>
}

export function createRebuilds(options: {
  database: Db
  catalog: Collection<Entry>
  pointers: Pointers
  limits: Limits
  /** Epoch milliseconds. */
  now: () => number
  writeRecords: WriteRecords
}): (names: readonly string[]) => RebuildTarget {
  const { database, catalog, pointers, limits, now, writeRecords } = options
  /** The collection being filled by the current rebuild of this process, by name of the read model. */
  let running: Map<string, string> | undefined

  const records = (name: string) => database.collection<DocumentRecord>(name)

  async function entryNow(layout: Layout): Promise<Entry> {
    return usable((await pointers.refreshed()).get(layout.entryId), layout)
  }

  async function change(entry: Entry, to: EntryChange): Promise<Entry> {
    const after = await call(limits.operation, () => changedEntry(catalog, entry, to))
    if (after === undefined) throw takenOver()
    pointers.set(after)
    return after
  }

  const takenOver = () =>
    new AssayError('conflict', 'Another process has begun to rebuild the same read model. Wait until it finishes.')
  /** Resolves once all calls of all processes use the current entries. */
  const settled = () => sleep(limits.pointerAge)

  /** Drops collections without an entry: leftovers of interrupted rebuilds and of earlier formats of this version. */
  async function sweep(layouts: readonly Layout[]): Promise<void> {
    const list = () => database.listCollections({}, { nameOnly: true }).toArray()
    const there = await call(limits.operation, list)
    for (const layout of layouts) {
      const { live, also } = await entryNow(layout)
      for (const { name } of there)
        if (layout.isPhysical(name) && name !== live && name !== also)
          await call(limits.index, () => records(name).drop())
    }
  }

  /**
   * Retires the entries of other versions and returns their collections, which can be dropped once no process uses
   * them.
   */
  async function retireOthers({ name, version }: Layout): Promise<string[]> {
    const others = await call(limits.operation, () =>
      catalog.find({ name, version: { $ne: version }, retired: false }, { maxTimeMS: limits.operation }).toArray(),
    )
    for (const other of others) await call(limits.operation, () => changedEntry(catalog, other, { retired: true }))
    return others.flatMap(({ live, also }) => (also === null ? [live] : [live, also]))
  }

  /** Drops stored names that searches no longer use. They belong to retired versions and earlier formats. */
  async function sweepNames(layouts: readonly Layout[]): Promise<void> {
    const list = () => database.listCollections({}, { nameOnly: true }).toArray()
    const there = await call(limits.operation, list)
    for (const layout of layouts) {
      const others = there.filter(
        ({ name }) => layout.versionOfNames(name) !== undefined && name !== layout.names && name !== layout.words,
      )
      if (others.length === 0) continue
      // A process of another version may have started meanwhile, and may use its entry and its names again.
      const used = await call(limits.operation, () =>
        catalog.find({ name: layout.name, retired: false }, { maxTimeMS: limits.operation }).toArray(),
      )
      for (const { name } of others) {
        const version = layout.versionOfNames(name)
        if (version === layout.version || used.every((entry) => entry.version !== version))
          await call(limits.index, () => records(name).drop())
      }
    }
  }

  async function fill(shadow: string, layout: Layout, puts: readonly EncodedPut[]): Promise<void> {
    await call(limits.operation, () => writeNames(database, layout, puts, shadow))
    await call(limits.operation, () => writeRecords(records(shadow), layout, puts, { since: now(), mostlyNew: true }))
  }

  return (names) => {
    const layouts = names.map((name) => pointers.layout(name))
    let mine: Map<string, string> | undefined

    function begun(): Map<string, string> {
      if (mine === undefined || mine !== running)
        throw new AssayError('internal', 'This rebuild has not begun, or has ended.')
      return mine
    }

    /**
     * Runs `work` for each collection that is not switched yet. Throws `conflict` if another rebuild has taken one
     * over.
     */
    async function forEachOpen(work: (entry: Entry, shadow: string, layout: Layout) => Promise<void>): Promise<void> {
      const shadows = begun()
      for (const layout of layouts) {
        const shadow = shadows.get(layout.name)
        const entry = await entryNow(layout)
        if (shadow === undefined || entry.live === shadow) continue
        if (entry.also !== shadow) throw takenOver()
        await work(entry, shadow, layout)
      }
    }

    async function begin(): Promise<void> {
      if (running !== undefined)
        throw new AssayError('conflict', 'Another rebuild is already running. Wait until it finishes.')
      const shadows = new Map<string, string>()
      mine = shadows
      running = shadows
      try {
        for (const layout of layouts) {
          const entry = await entryNow(layout)
          const also = layout.physical(entry.epoch + 1)
          await change(entry, { also })
          shadows.set(layout.name, also)
        }
        await settled()
        await sweep(layouts)
      } catch (error) {
        running = undefined
        throw error
      }
    }

    async function put(puts: readonly DocumentPut[]): Promise<void> {
      const shadows = begun()
      const byName = Map.groupBy(puts.map(encodedPut), ({ collection }) => collection)
      for (const [name, some] of byName) {
        const shadow = shadows.get(name)
        if (shadow === undefined) continue
        await pointers.during(name, async (entry, layout) => {
          if (entry.also !== shadow) throw takenOver()
          await fill(shadow, layout, some)
        })
      }
    }

    async function commit(): Promise<void> {
      await forEachOpen((_, shadow, layout) => call(limits.index, () => ensureIndexes(records(shadow), layout.indexes)))
      await forEachOpen(async (entry, shadow) => {
        await change(entry, { live: shadow, also: entry.live, built: true })
      })
      // Until now, other processes may still have read the former collection, so writers have kept it up to date.
      await settled()
      const unused: string[] = []
      for (const layout of layouts) {
        const entry = await entryNow(layout)
        if (entry.also !== null) await change(entry, { also: null })
        unused.push(...(await retireOthers(layout)))
      }
      await settled()
      await sweep(layouts)
      for (const name of unused) await call(limits.index, () => records(name).drop())
      await sweepNames(layouts)
      running = undefined
    }

    async function abandon(): Promise<void> {
      if (mine === undefined || mine !== running) return
      for (const layout of layouts) {
        const entry = await entryNow(layout)
        if (entry.also === mine.get(layout.name)) await change(entry, { also: null })
      }
      running = undefined
      await settled()
      await sweep(layouts)
    }

    return { begin, put, commit, abandon }
  }
}
