import { describe, expect, it } from 'vitest'
import type { Entry } from './catalog.ts'
import { layoutOf } from './layout.ts'
import { createPointers } from './pointers.ts'

const layout = layoutOf({ name: 'things', version: 1, idType: 'integer', fields: {} })
const maxAge = 500

/** Pointers to an entry in a store. Only the test moves their clock. */
function openPointers() {
  let time = 0
  let queries = 0
  let answered: Promise<void> = Promise.resolve()
  const { name, version, signature, entryId: _id } = layout
  let entry: Entry = { _id, name, version, signature, epoch: 1, live: 'a', also: null, built: true, retired: false }
  const pointers = createPointers({
    async readEntries() {
      queries += 1
      const asked = entry
      await answered
      // Entries of other versions, which this process does not use.
      return [{ ...asked, _id: 'things@0', built: false }, asked]
    },
    layouts: new Map([[layout.name, layout]]),
    maxAge,
    now: () => time,
  })
  return {
    queries: () => queries,
    pass(ms: number) {
      time += ms
    },
    /** Delays the answers of later queries until the returned function is called. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      answered = promise
      return resolve
    },
    change(live: string) {
      entry = { ...entry, epoch: entry.epoch + 1, live }
    },
    refreshed: pointers.refreshed,
    during: (work: (live: string) => Promise<string>) => pointers.during(layout.name, ({ live }) => work(live)),
  }
}

describe('pointers to live collections', () => {
  it('given calls within the maximum age, then they share one query', async () => {
    const { during, queries } = openPointers()
    const calls = Array.from({ length: 50 }, () => during(async (live) => live))
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['a']))
    expect(queries()).toBe(1)
  })

  it('given entries of other versions, then only those of the declared collections are known', async () => {
    expect([...(await openPointers().refreshed()).keys()]).toEqual([layout.entryId])
  })

  it('given a slow server, when many calls outlive their entry, then they share one more query', async () => {
    const { during, queries, pass } = openPointers()
    const ended = Promise.withResolvers<void>()
    const calls = Array.from({ length: 50 }, () => during((live) => ended.promise.then(() => live)))
    await during(async (live) => live)
    pass(maxAge)
    ended.resolve()
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['a']))
    expect(queries()).toBe(2)
  })

  it('given a query that was sent long before a call ends, then its answer does not serve that call', async () => {
    const { during, change, hold, pass } = openPointers()
    const ended = Promise.withResolvers<void>()
    const worked: string[] = []
    const call = during(async (live) => {
      worked.push(live)
      await ended.promise
      return live
    })
    await during(async (live) => live)
    pass(maxAge / 2)
    const answer = hold()
    const other = during(async (live) => live)
    change('b')
    pass(maxAge)
    ended.resolve()
    await new Promise((resolve) => setImmediate(resolve))
    answer()
    expect([await call, await other, worked]).toEqual(['b', 'b', ['a', 'b']])
  })

  it('given an entry that changes during a call that outlives it, then the call is repeated with the new entry', async () => {
    const { during, change, pass } = openPointers()
    const worked: string[] = []
    const last = await during(async (live) => {
      if (worked.length === 0) {
        change('b')
        pass(maxAge)
      }
      worked.push(live)
      return live
    })
    expect([worked, last]).toEqual([['a', 'b'], 'b'])
  })
})
