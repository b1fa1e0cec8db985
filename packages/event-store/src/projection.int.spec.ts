import type { DocumentPut } from '@assay/documents'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCommandHandler } from './command-handler.ts'
import type { AnyAggregate } from './decider.ts'
import { rebuild } from './rebuild.ts'
import { createRepair } from './repair.ts'
import { createSqliteCommit } from './sqlite/commit.ts'
import { counter, counters } from './testing/counter.ts'
import { createDocumentsInMemory } from './testing/documents-in-memory.ts'
import { newEvent, newEvents } from './testing/new-events.ts'
import { openTemporaryStore, type TemporaryStore } from './testing/temporary-store.ts'

let on: TemporaryStore
const aggregates: AnyAggregate[] = [counter]
beforeEach(() => {
  on = openTemporaryStore()
})
afterEach(() => on.close())

const counted = (by: number) => ({
  ...newEvent({ by }, 'Counted'),
  metadata: { ...newEvent().metadata, schemaVersion: 2 },
})

describe('given documents that their writer missed', () => {
  it('when the repair handles the events, then the documents derive from the whole stream', async () => {
    const documents = createDocumentsInMemory()
    const repair = createRepair({ store: on.store, documents, aggregates })
    expect(repair.categories).toEqual(['counter'])
    await on.store.append('acme/counter-a', [counted(1), counted(2)], 'none')
    const { position } = await on.store.append('acme/counter-a', [counted(3)], 1)
    const { events } = await on.store.readAll()
    await repair.handle(events.slice(1, 2))
    const stored = await documents.get(counters, 'acme', 'a')
    expect(stored).toMatchObject({ document: { total: 6 }, source: { revision: 2, position } })
  })

  it('when the repair handles a stream from its first event on, then it does not read the stream', async () => {
    const documents = createDocumentsInMemory()
    let reads = 0
    const store: Pick<typeof on.store, 'read'> = {
      read(...asked) {
        reads += 1
        return on.store.read(...asked)
      },
    }
    const repair = createRepair({ store, documents, aggregates })
    await on.store.append('acme/counter-a', [counted(1), counted(2), counted(3)], 'none')
    const { events } = await on.store.readAll()
    await repair.handle(events.slice(0, 2))
    expect(await documents.get(counters, 'acme', 'a')).toMatchObject({
      document: { total: 3 },
      source: { revision: 1 },
    })
    expect(reads).toBe(0)
    await repair.handle(events.slice(2))
    expect(await documents.get(counters, 'acme', 'a')).toMatchObject({
      document: { total: 6 },
      source: { revision: 2 },
    })
  })

  it('when the documents are up to date, then the repair puts nothing', async () => {
    const documents = createDocumentsInMemory()
    const commit = createSqliteCommit({ ...on, documents })
    const handler = createCommandHandler({ ...on, commit })
    await handler.handle(counter, { tenant: 'acme', id: 'a', command: { add: 1 }, context: { actor: 'ann' } })
    const repair = createRepair({ store: on.store, documents, aggregates })
    await repair.handle((await on.store.readAll()).events)
    expect(documents.writes()).toBe(1)
  })
})

describe('given a log', () => {
  it('when the documents are rebuilt twice, then they equal the live ones byte for byte', async () => {
    const live = createDocumentsInMemory()
    const handler = createCommandHandler({ ...on, commit: createSqliteCommit({ ...on, documents: live }) })
    const add = (id: number) =>
      handler.handle(counter, { tenant: 'acme', id, command: { add: id + 1 }, context: { actor: 'ann' } })
    await Promise.all(Array.from({ length: 300 }, (_, n) => add(n % 40)))
    await on.store.append('acme/other-1', newEvents(1), 'none')
    for (const _ of [1, 2]) {
      const rebuilt = createDocumentsInMemory()
      const steps: string[] = []
      const target = {
        begin: async (collections: readonly string[]) => void steps.push(`begin ${collections}`),
        put: (puts: readonly DocumentPut[]) => rebuilt.put(puts),
        commit: async () => void steps.push('commit'),
      }
      const answer = await rebuild({ store: on.store, aggregates, collections: ['counters'], target })
      expect(answer).toMatchObject({ events: 300, streams: 40 })
      expect(steps).toEqual(['begin counters', 'commit'])
      expect(rebuilt.all()).toEqual(live.all())
    }
  })

  it('when an event cannot be folded, then the rebuild fails, names the position, and does not switch', async () => {
    const { position } = await on.store.append('acme/counter-a', [counted(1)], 'none')
    const broken: AnyAggregate = {
      ...counter,
      decider: {
        ...counter.decider,
        evolve() {
          throw new TypeError('unknown event')
        },
      },
    }
    let committed = false
    const target = {
      begin: async () => {},
      put: async () => {},
      commit: async () => {
        committed = true
      },
    }
    const rebuilding = rebuild({ store: on.store, aggregates: [broken], collections: [], target })
    await expect(rebuilding).rejects.toMatchObject({
      code: 'internal',
      details: { stream: 'acme/counter-a', position },
    })
    expect(committed).toBe(false)
  })

  it('when there are more streams than cached states, then the documents are still correct', async () => {
    const count = 20_050
    for (let n = 0; n < count; n += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, k) => on.store.append(`acme/counter-${n + k}`, [counted(1)], 'none')),
      )
    }
    await on.store.append('acme/counter-0', [counted(5), counted(5)], 0)
    const rebuilt = createDocumentsInMemory()
    const target = { begin: async () => {}, put: rebuilt.put, commit: async () => {} }
    const answer = await rebuild({ store: on.store, aggregates, collections: [], target })
    expect(answer).toMatchObject({ events: count + 2, streams: count })
    expect((await rebuilt.get(counters, 'acme', '0'))?.document).toEqual({ total: 11 })
    expect(Object.keys(rebuilt.all())).toHaveLength(count)
  })
})
