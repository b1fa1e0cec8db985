import type { CollectionShape } from '@assay/documents'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandHandler, createCommandHandler } from './command-handler.ts'
import { createCommit } from './commit.ts'
import { fold } from './decider.ts'
import { createEventStoreDb } from './eventstoredb/event-store.ts'
import { rebuild } from './rebuild.ts'
import { createRepair } from './repair.ts'
import { streamSnapshots } from './snapshots.ts'
import { createSqliteCommit } from './sqlite/commit.ts'
import { startGrpcServer } from './testing/grpc-server/index.ts'
import { type LedgerState, ledger, ledgers, wholeLedger } from './testing/ledger.ts'
import { openTemporaryStore, type TemporaryStore } from './testing/temporary-store.ts'

const aggregates = [ledger, wholeLedger] as const
const collections: readonly CollectionShape[] = [ledgers, streamSnapshots]
const context = { actor: 'ann' }

let on: TemporaryStore
let documents: ReturnType<typeof createSqliteDocuments>
beforeAll(() => {
  on = openTemporaryStore()
  documents = createSqliteDocuments({ database: on.database, collections })
})
afterAll(() => on.close())

/** The store, with a record of how often and from where each stream was read. */
function counted(store: Pick<TemporaryStore['store'], 'read'>) {
  const reads: { from: number; events: number }[] = []
  return {
    reads,
    async read(...[stream, options]: Parameters<typeof store.read>) {
      const slice = await store.read(stream, options)
      reads.push({ from: options?.from ?? 0, events: slice.events.length })
      return slice
    },
  }
}

async function everyDocument(): Promise<string[]> {
  const all: string[] = []
  for (const collection of collections)
    for await (const { tenant, id, document, source } of documents.scan(collection))
      all.push(JSON.stringify([collection.name, tenant, id, document, source]))
  return all
}

async function rebuildAll(): Promise<void> {
  const target = documents.rebuildTarget(collections.map(({ name }) => name))
  await rebuild({ store: on.store, aggregates, collections, target })
}

type Step =
  | { kind: 'enter'; writer: number; amounts: readonly number[] }
  | { kind: 'both'; amounts: readonly number[] }
  | { kind: 'restart'; writer: number }
  | { kind: 'rebuild' | 'lose' | 'repair' }

const amount = fc.integer({ min: -5, max: 8 })
const amounts = fc.oneof(
  { weight: 4, arbitrary: fc.array(amount, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 620 }).map((count) => Array.from({ length: count }, () => 1)) },
)
const writer = fc.integer({ min: 0, max: 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('enter'), writer, amounts }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('both'), amounts: fc.array(fc.nat(5), { maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart'), writer }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('rebuild', 'lose', 'repair') }) },
)

describe.each(aggregates.map((aggregate) => [aggregate.category, aggregate] as const))('given %s', (_, aggregate) => {
  /** Writers of several processes. The second one caches almost nothing. */
  async function law(steps: readonly Step[]): Promise<void> {
    const id = on.newId()
    let isLosing = false
    const together = createSqliteCommit({ database: on.database, store: on.store, documents })
    const lossy = createCommit(
      on.store,
      { put: () => Promise.reject(new AssayError('unavailable', 'Gone.')) },
      () => {},
    )
    const open = (index: number): CommandHandler =>
      createCommandHandler({
        ...on,
        documents,
        commit: (append, puts) => (isLosing ? lossy : together)(append, puts),
        maxStateBytes: index === 0 ? 100_000 : 600,
      })
    const writers = [open(0), open(1)]
    const enter = (index: number, amounts: readonly number[]) =>
      writers[index]?.handle(aggregate, { tenant: 'acme', id, command: { amounts }, context })
    const repair = createRepair({ store: on.store, documents, aggregates })
    async function repairAll(): Promise<void> {
      const { events } = await on.store.read(`acme/${aggregate.category}-${id}`)
      for (let from = 0; from < events.length; from += 150) await repair.handle(events.slice(from, from + 150))
    }
    let total = 0
    let revision = -1

    for (const each of steps) {
      switch (each.kind) {
        case 'enter': {
          const sum = total + each.amounts.reduce((all, one) => all + one, 0)
          const handled = await enter(each.writer, each.amounts)?.catch((error: unknown) => error)
          if (sum < 0) {
            expect(isAssayError(handled, 'unprocessable')).toBe(true)
            break
          }
          total = sum
          revision += each.amounts.length
          expect(handled).toMatchObject({ state: { total }, revision })
          break
        }
        case 'both':
          await Promise.all([enter(0, each.amounts), enter(1, each.amounts), enter(0, [1])])
          total += 2 * each.amounts.reduce((all, one) => all + one, 0) + 1
          revision += 2 * each.amounts.length + 1
          break
        case 'restart':
          writers[each.writer] = open(each.writer)
          break
        case 'rebuild':
          await rebuildAll()
          break
        case 'lose':
          isLosing = true
          break
        case 'repair':
          isLosing = false
          await repairAll()
          break
        default:
          each satisfies never
      }
    }

    const { events } = await on.store.read(`acme/${aggregate.category}-${id}`)
    const state: LedgerState = fold(aggregate, aggregate.decider.initialState, events)
    expect(state.total).toBe(total)
    for (const handler of [...writers, open(0)]) {
      const loaded = await handler.load(aggregate, 'acme', id)
      expect(loaded).toStrictEqual({ state, revision, position: events.at(-1)?.position })
      expect((await handler.load(aggregate, 'other', id)).revision).toBe(-1)
    }
    await repairAll()
    const repaired = await everyDocument()
    await rebuildAll()
    expect(await everyDocument()).toEqual(repaired)
  }

  it(
    'law: cached, stale and cold states are equal, for any actions of several writers',
    () => fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), law), { numRuns: 12 }),
    60_000,
  )

  it('when its stream is long, then a cold load reads only the end, and a snapshot of another version is ignored', async () => {
    const id = on.newId()
    const commit = createSqliteCommit({ database: on.database, store: on.store, documents })
    const handler = createCommandHandler({ ...on, documents, commit })
    const command = { amounts: Array.from({ length: 1100 }, () => 1) }
    const handled = await handler.handle(aggregate, { tenant: 'acme', id, command, context })
    const { events: _, ...loaded } = handled
    const store = counted(on.store)
    const coldly = (of: typeof aggregate) =>
      createCommandHandler({ ...on, store, documents, commit }).load(of, 'acme', id)
    expect(await coldly(aggregate)).toEqual(loaded)
    const from = aggregate === ledger ? 999 : 1099
    expect(store.reads).toEqual([
      { from: 0, events: 64 },
      { from, events: 1100 - from },
    ])
    if (aggregate === wholeLedger) return
    expect(await coldly({ ...aggregate, schemaVersion: 2 })).toEqual(loaded)
    expect(store.reads.slice(2)).toEqual([
      { from: 0, events: 64 },
      { from: 64, events: 1036 },
    ])
  })
})

describe('given a document or a snapshot of a log that no longer exists', () => {
  it.each(aggregates)('when $category is loaded, then its state is that of the current log', async (aggregate) => {
    const id = on.newId()
    const commit = createSqliteCommit({ database: on.database, store: on.store, documents })
    const command = { amounts: Array.from({ length: 1000 }, () => 1) }
    const gone = openTemporaryStore()
    const there = createCommit(gone.store, documents, () => {})
    await createCommandHandler({ ...gone, documents, commit: there }).handle(aggregate, {
      ...{ tenant: 'acme', id, context },
      command: { amounts: [...command.amounts, 1, 1] },
    })
    await gone.close()
    const fresh = createCommandHandler({
      ...on,
      documents,
      commit: createCommit(on.store, { put: async () => {} }, () => {}),
    })
    await fresh.handle(aggregate, { tenant: 'acme', id, command, context })
    const loaded = await createCommandHandler({ ...on, documents, commit }).load(aggregate, 'acme', id)
    expect(loaded).toMatchObject({ state: { total: 1000 }, revision: 999 })
  })
})

describe('given a stream with many writes', () => {
  it('then its writer reads the stream once, and the repair never', async () => {
    const store = counted(on.store)
    const repairing = counted(on.store)
    const id = on.newId()
    const handler = createCommandHandler({
      ...on,
      store,
      documents,
      commit: createSqliteCommit({ database: on.database, store: on.store, documents }),
    })
    const repair = createRepair({ store: repairing, documents, aggregates })
    for (let n = 0; n < 600; n++) {
      await handler.handle(ledger, { tenant: 'acme', id, command: { amounts: [1] }, context })
      const { events } = await on.store.read(`acme/ledger-${id}`, { from: n })
      await repair.handle(events)
    }
    expect([store.reads.length, repairing.reads.length]).toEqual([1, 0])
    // A new handler starts from a document.
    const { events } = await on.store.read(`acme/ledger-${id}`, { from: 599 })
    const next = createRepair({ store: repairing, documents, aggregates })
    await next.handle(events)
    expect(repairing.reads).toEqual([{ from: 499, events: 101 }])
  })

  it('when the store is a server, then each write is one call', async () => {
    const server = await startGrpcServer()
    const store = createEventStoreDb({ connectionString: server.connectionString })
    try {
      const handler = createCommandHandler({
        ...on,
        store,
        documents,
        commit: createCommit(store, documents, () => {}),
      })
      const enter = () => handler.handle(ledger, { tenant: 'acme', id: 'called', command: { amounts: [1] }, context })
      await enter()
      const before = server.calls.length
      for (let n = 0; n < 20; n++) await enter()
      expect(server.calls.slice(before)).toEqual(Array.from({ length: 20 }, () => 'append'))
    } finally {
      await store.close()
      await server.stop()
    }
  })
})
