import { collectWrites } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withKnownOutcomesOf } from './append-again.ts'
import { type CommandHandler, createCommandHandler } from './command-handler.ts'
import { type Commit, createCommit } from './commit.ts'
import { createSqliteCommit } from './sqlite/commit.ts'
import { counter, counters } from './testing/counter.ts'
import { createDocumentsInMemory, type DocumentsInMemory } from './testing/documents-in-memory.ts'
import { newEvent } from './testing/new-events.ts'
import { fastTimers, openTemporaryStore, type TemporaryStore } from './testing/temporary-store.ts'

let on: TemporaryStore
let documents: DocumentsInMemory
let commit: Commit
let handler: CommandHandler
const context = { actor: 'ann', accessKey: 'key', correlationId: 'c1' }

beforeEach(() => {
  on = openTemporaryStore()
  documents = createDocumentsInMemory()
  commit = createSqliteCommit({ database: on.database, store: on.store, documents })
  handler = createCommandHandler({ ...on, commit })
})
afterEach(() => on.close())

const add = (amount: number, id: string | number = 1) =>
  handler.handle(counter, { tenant: 'acme', id, command: { add: amount }, context })

describe('given a command handler', () => {
  it('when a command is handled, then events, state and documents follow from the decision', async () => {
    const handled = await add(3)
    expect(handled).toMatchObject({ state: { total: 3 }, events: [{ type: 'Counted', data: { by: 3 } }], revision: 0 })
    const { events } = await on.store.read('acme/counter-1')
    const occurredAt = '2026-01-02T03:04:05.678Z'
    expect(events[0]?.metadata).toEqual({ ...context, tenant: 'acme', schemaVersion: 2, occurredAt })
    const stored = await documents.get(counters, 'acme', '1')
    expect(stored).toMatchObject({ document: { total: 3 }, source: { revision: 0, position: handled.position } })
  })

  it('when the decision has no events, then the handler writes nothing and returns the position of the last event', async () => {
    const first = await add(3)
    expect(await add(0)).toEqual({ ...first, events: [] })
    expect(await add(0, 'new')).toEqual({ state: { total: 0 }, events: [], revision: -1, position: undefined })
  })

  it('when a request has commands, then the handler reports their streams, even if there was nothing to do', async () => {
    await add(3, 'before')
    const { states } = await collectWrites(async () => {
      await add(1)
      await add(1)
      await add(0, 'before')
      await add(0, 'none')
    })
    expect(states).toEqual(['counter-1@0', 'counter-1@1', 'counter-before@0'])
  })

  it('when `decide` throws, then the handler throws the same error', async () => {
    await expect(add(-1)).rejects.toMatchObject({ code: 'unprocessable' })
  })

  it('when a hundred commands run concurrently on one stream then all of them take effect', async () => {
    await Promise.all(Array.from({ length: 100 }, () => add(1)))
    expect(await handler.load(counter, 'acme', 1)).toMatchObject({ state: { total: 100 }, revision: 99 })
    expect((await documents.get(counters, 'acme', '1'))?.document).toEqual({ total: 100 })
  })

  it('when handlers of two processes write to one stream then all commands take effect', async () => {
    const other = createCommandHandler({ ...on, commit })
    const both = [handler, other].flatMap((each) =>
      Array.from({ length: 20 }, () => each.handle(counter, { tenant: 'acme', id: 1, command: { add: 1 }, context })),
    )
    await Promise.all(both)
    expect((await handler.load(counter, 'acme', 1)).state).toEqual({ total: 40 })
  })

  it('when the outcome of an append is unknown, then the append is repeated and takes effect once', async () => {
    let lost = 2
    const losing: Commit = async (append, puts) => {
      const appended = await commit(append, puts)
      if (lost-- > 0) throw new AssayError('unknown-outcome', 'No answer came.')
      return appended
    }
    handler = createCommandHandler({ ...on, commit: withKnownOutcomesOf(losing, { ...on, timers: fastTimers }) })
    expect(await add(5)).toMatchObject({ state: { total: 5 }, revision: 0 })
    expect((await on.store.read('acme/counter-1')).revision).toBe(0)
  })

  it('when the outcome of an append stays unknown, then the command is not decided again', async () => {
    await add(1)
    const unknown: Commit = async (append, puts) => {
      await commit(append, puts)
      throw new AssayError('unknown-outcome', 'No answer came.')
    }
    const lossy = createCommandHandler({ ...on, commit: unknown })
    const once = () => lossy.handle(counter, { tenant: 'acme', id: 1, command: { add: 1 }, context })
    for (const total of [2, 3]) {
      await expect(once()).rejects.toMatchObject({ code: 'unknown-outcome' })
      expect((await handler.load(counter, 'acme', 1)).state).toEqual({ total })
    }
  })

  it('when another writer was first, then a caller with the right expectation is not refused', async () => {
    const other = createCommandHandler({ ...on, commit })
    await add(1)
    await other.handle(counter, { tenant: 'acme', id: 1, command: { add: 1 }, context })
    const expecting = (expected: 'exists' | number) =>
      handler.handle(counter, { tenant: 'acme', id: 1, command: { add: 1 }, context, expected })
    expect(await expecting('exists')).toMatchObject({ state: { total: 3 } })
    await other.handle(counter, { tenant: 'acme', id: 1, command: { add: 1 }, context })
    expect(await expecting(3)).toMatchObject({ state: { total: 5 } })
    await other.handle(counter, { tenant: 'acme', id: 1, command: { add: 1 }, context })
    await expect(expecting(4)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('when another writer has changed the stream, then the handler decides on the current state', async () => {
    const other = createCommandHandler({ ...on, commit })
    const elsewhere = (add: number) => other.handle(counter, { tenant: 'acme', id: 1, command: { add }, context })
    await add(1)
    await elsewhere(4)
    expect(await add(-5)).toMatchObject({ state: { total: 0 }, revision: 2 })
    const position = (await elsewhere(7)).position
    expect(await add(0)).toEqual({ state: { total: 7 }, events: [], revision: 3, position })
    await elsewhere(-7)
    await expect(add(-1)).rejects.toMatchObject({ code: 'unprocessable' })
  })

  it('when a stream is said to be new, then it is not read, unless it exists', async () => {
    let reads = 0
    const store: typeof on.store = {
      ...on.store,
      read(...args) {
        reads += 1
        return on.store.read(...args)
      },
    }
    const addNew = (amount: number) =>
      createCommandHandler({ ...on, store, commit }).handle(counter, {
        tenant: 'acme',
        id: 1,
        command: { add: amount },
        context,
        isNew: true,
      })
    expect(await addNew(1)).toMatchObject({ state: { total: 1 }, revision: 0 })
    expect(reads).toBe(0)
    expect(await addNew(2)).toMatchObject({ state: { total: 3 }, revision: 1 })
    expect(await addNew(-3)).toMatchObject({ state: { total: 0 }, revision: 2 })
  })

  it('when the caller expects another revision, then the handler throws a conflict without a retry', async () => {
    await add(1)
    const expecting = (expected: 'none' | 'exists' | number, id: number) =>
      handler.handle(counter, { tenant: 'acme', id, command: { add: 1 }, context, expected })
    await expect(expecting('none', 1)).rejects.toMatchObject({ code: 'conflict' })
    await expect(expecting(7, 1)).rejects.toMatchObject({ code: 'conflict' })
    await expect(expecting('exists', 2)).rejects.toMatchObject({ code: 'conflict' })
    expect(await expecting(0, 1)).toMatchObject({ revision: 1 })
  })
})

describe('given a commit of events and documents', () => {
  const append = { stream: 'acme/counter-1', events: [newEvent()], expected: 'none' } as const

  it('when the documents of a shared transaction fail, then the event is not written either', async () => {
    const failing = createSqliteCommit({
      ...on,
      documents: {
        putNow() {
          throw new AssayError('invalid', 'No such document.')
        },
      },
    })
    await expect(failing(append, () => [])).rejects.toMatchObject({ code: 'invalid' })
    expect((await on.store.read(append.stream)).revision).toBe(-1)
  })

  it('when many commits run concurrently, then each event is stored with its documents', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, n) => add(n + 1, n)))
    expect(Object.keys(documents.all())).toHaveLength(100)
  })

  it('when documents without a shared transaction fail, then the commit succeeds and the failure is reported', async () => {
    const failures: string[] = []
    const put = () => Promise.reject(new AssayError('unavailable', 'Gone.'))
    const separate = createCommit(on.store, { put }, (_error, stream) => failures.push(stream))
    const source = { revision: 0, position: '0' }
    const appended = await separate(append, () => counter.documents({ total: 1 }, { tenant: 'acme', id: '1' }, source))
    expect([appended.revision, failures]).toEqual([0, ['acme/counter-1']])
  })
})
