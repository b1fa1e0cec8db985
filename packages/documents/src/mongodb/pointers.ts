import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { type Entry, usable } from './catalog.ts'
import type { Layout } from './layout.ts'

/**
 * The catalog entries that this process caches.
 * Several processes write one read model, and any of them can switch it to another MongoDB collection. No call may miss
 * a put or read a dropped collection. So a call that ends later than `maxAge` after its entry was requested needs an
 * entry that was requested later, and repeats its work if the entry has changed. A process that changes an entry waits
 * for `maxAge`; afterwards all calls use the new entry. Clocks of different machines are never compared.
 */
export interface Pointers {
  layout(name: string): Layout
  names(): string[]
  /**
   * Runs `work` with an entry that is still valid when `work` ends. `work` may be retried, so it must be idempotent.
   */
  during<T>(name: string, work: (entry: Entry, layout: Layout) => Promise<T>): Promise<T>
  /** The entries as they are now. */
  refreshed(): Promise<Map<string, Entry>>
  set(entry: Entry): void
}

interface Seen {
  entries: Map<string, Entry>
  askedAt: number
}

export function createPointers(options: {
  /** All entries of the catalog, as they are now. */
  readEntries: () => Promise<readonly Entry[]>
  layouts: ReadonlyMap<string, Layout>
  maxAge: number
  /** Monotonic milliseconds. */
  now: () => number
}): Pointers {
  const { readEntries, layouts, maxAge, now } = options
  const ids = new Set([...layouts.values()].map(({ entryId }) => entryId))
  let seen: Seen | undefined
  let asking: Promise<Seen> | undefined

  async function asked(): Promise<Seen> {
    const askedAt = now()
    const all = await readEntries()
    const entries = new Map(all.filter(({ _id }) => ids.has(_id)).map((entry) => [entry._id, entry]))
    seen = { entries, askedAt }
    return seen
  }

  /** Reads the entries. Concurrent callers share one query. */
  function shared(): Promise<Seen> {
    asking ??= asked().finally(() => {
      asking = undefined
    })
    return asking
  }

  function layout(name: string): Layout {
    const known = layouts.get(name)
    if (known === undefined) throw new AssayError('internal', `The collection ${name} was not declared to the store.`)
    return known
  }

  const isYoung = ({ askedAt }: Seen, age: number, time = now()): boolean => time - askedAt < age

  /**
   * Entries that are valid for a call that ends now. Calls share the query: on a slow server each of them outlives its
   * entry, and a query for each would slow the server down further.
   */
  async function validAtEnd(): Promise<Seen> {
    const end = now()
    let found = seen
    while (found === undefined || !isYoung(found, maxAge, end)) found = await shared()
    return found
  }

  async function during<T>(name: string, work: (entry: Entry, layout: Layout) => Promise<T>): Promise<T> {
    const of = layout(name)
    for (;;) {
      const by = seen !== undefined && isYoung(seen, maxAge / 2) ? seen : await shared()
      const entry = usable(by.entries.get(of.entryId), of)
      const changedMeanwhile = async () => (await validAtEnd()).entries.get(of.entryId)?.epoch !== entry.epoch
      try {
        const result = await work(entry, of)
        if (!(await changedMeanwhile())) return result
      } catch (error) {
        // `unavailable` and `timeout` are thrown immediately. Any other error may be caused by a collection that was
        // just dropped.
        if (!isAssayError(error, 'internal') || !(await changedMeanwhile())) throw error
      }
    }
  }

  return {
    layout,
    names: () => [...layouts.keys()],
    during,
    refreshed: async () => new Map((await asked()).entries),
    set(entry) {
      // Keeps `askedAt`, because the other entries were not refreshed.
      seen?.entries.set(entry._id, entry)
    },
  }
}
