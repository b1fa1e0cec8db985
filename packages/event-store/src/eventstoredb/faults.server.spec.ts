import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withKnownOutcomes } from '../append-again.ts'
import { comparePositions, type EventStore, type Position, type RecordedEvent } from '../port.ts'
import { type GrpcServer, startGrpcServer } from '../testing/grpc-server/index.ts'
import { freshStream, newEvent, newEvents } from '../testing/new-events.ts'
import { createEventStoreDb } from './event-store.ts'

/** Long, for effects in the background on a busy machine. */
const retryUntil = { timeout: 40_000 }

let server: GrpcServer
let store: EventStore

beforeEach(async () => {
  server = await startGrpcServer()
  store = createEventStoreDb({
    connectionString: server.connectionString,
    deadlines: { append: 500, read: 500, resubscribe: 20_000 },
  })
})

afterEach(async () => {
  await store.close()
  await server.stop()
})

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => (isAssayError(error) ? error.code : String(error)),
  )
}

describe('appends', () => {
  it.each(['cut', 'silence'] as const)(
    'given an answer that is lost after the commit (%s), when the append is repeated, then the event is stored once',
    async (by) => {
      const { stream } = freshStream()
      const events = newEvents(3)
      server.faults.unanswered = { count: 1, by }
      expect(await codeOf(store.append(stream, events, 'none'))).toBe('unknown-outcome')
      const appended = await store.append(stream, events, 'none')
      const read = await store.read(stream)
      expect(read.events.map((event) => event.id)).toEqual(events.map((event) => event.id))
      expect(appended).toEqual({ revision: 2, position: read.events[2]?.position })
    },
  )

  it('given an append whose answer is delayed, when the append is repeated meanwhile, then both succeed', async () => {
    const { stream } = freshStream()
    const events = newEvents(2)
    const held = Promise.withResolvers<void>()
    server.faults.heldAnswers = held.promise
    // Its deadline must not end before the repetition of the second append.
    const retrying = createEventStoreDb({ connectionString: server.connectionString })
    const first = retrying.append(stream, events, 'none')
    await expect.poll(async () => (await retrying.read(stream)).revision, retryUntil).toBe(1)
    const second = retrying.append(stream, events, 'none')
    // The server refuses the second append, and the adapter repeats it, before the first is answered.
    const appends = () => server.calls.filter((call) => call === 'append').length
    await expect.poll(appends, retryUntil).toBeGreaterThan(2)
    held.resolve()
    expect(await second).toEqual(await first)
    expect((await retrying.read(stream)).events.map(({ id }) => id)).toEqual(events.map(({ id }) => id))
    await retrying.close()
  })

  it('given an equal append that never ends, then the outcome is unknown within the deadline', async () => {
    const { stream } = freshStream()
    const events = newEvents(1)
    const held = Promise.withResolvers<void>()
    server.faults.heldAnswers = held.promise
    const outcomes = [store.append(stream, events, 'none'), store.append(stream, events, 'none')].map(codeOf)
    expect(await Promise.all(outcomes)).toEqual(['unknown-outcome', 'unknown-outcome'])
    held.resolve()
  })

  describe('appends that are repeated while their outcome is unknown', () => {
    const retrying = (time = { now: () => 0 }): EventStore =>
      withKnownOutcomes(store, { clock: time, timers: { sleep: async () => undefined } })

    it.each(['cut', 'silence'] as const)(
      'given three answers that are lost (%s), then the events are stored once, and the retry succeeds',
      async (by) => {
        const { stream } = freshStream()
        const events = newEvents(2)
        server.faults.unanswered = { count: 3, by }
        const appended = await retrying().append(stream, events, 'none')
        const read = await store.read(stream)
        expect(read.events.map(({ id }) => id)).toEqual(events.map(({ id }) => id))
        expect(appended).toEqual({ revision: 1, position: read.events[1]?.position })
      },
    )

    it('given answers that are always lost, then the outcome is unknown after ten attempts, and the event is stored once', async () => {
      const { stream } = freshStream()
      server.faults.unanswered = { count: 1000, by: 'cut' }
      expect(await codeOf(retrying().append(stream, [newEvent()], 'none'))).toBe('unknown-outcome')
      expect(server.calls.filter((call) => call === 'append')).toHaveLength(10)
      server.faults.unanswered.count = 0
      expect((await store.read(stream)).events).toHaveLength(1)
    })

    it('given no time left, then the outcome is unknown without a retry', async () => {
      let now = 0
      server.faults.unanswered = { count: 1000, by: 'cut' }
      const time = { now: () => (now += 20_000) }
      expect(await codeOf(retrying(time).append(freshStream().stream, [newEvent()], 'none'))).toBe('unknown-outcome')
      expect(server.calls.filter((call) => call === 'append')).toHaveLength(1)
    })

    it('given a lost answer of a server that is then down, then the outcome is unknown and not unavailable', async () => {
      const { stream } = freshStream()
      server.faults.unanswered = { count: 1, by: 'cut' }
      const leaving = withKnownOutcomes(store, { clock: { now: () => 0 }, timers: { sleep: () => server.kill() } })
      expect(await codeOf(leaving.append(stream, [newEvent()], 'none'))).toBe('unknown-outcome')
      await server.restart()
      expect((await store.read(stream)).events).toHaveLength(1)
    })

    it('given an append that did not happen, and another writer that was first, then the append is a conflict', async () => {
      const { stream } = freshStream()
      let isFirst = true
      const losing: EventStore = {
        ...store,
        async append(...values) {
          if (!isFirst) return store.append(...values)
          isFirst = false
          await store.append(stream, [newEvent()], 'none')
          throw new AssayError('unknown-outcome', 'The request was lost.')
        },
      }
      const sent = withKnownOutcomes(losing, { clock: { now: () => 0 }, timers: { sleep: async () => undefined } })
      expect(await codeOf(sent.append(stream, [newEvent()], 'none'))).toBe('conflict')
    })

    it('given a server that no longer recognises the repeated ids, then the stream is read to resolve the conflict', async () => {
      const { stream } = freshStream()
      const event = newEvent()
      let tries = 0
      const forgetful: EventStore = {
        ...store,
        async append(...values) {
          if (++tries === 1) await store.append(...values)
          throw new AssayError(tries === 1 ? 'unknown-outcome' : 'conflict', 'No.')
        },
      }
      const sent = withKnownOutcomes(forgetful, { clock: { now: () => 0 }, timers: { sleep: async () => undefined } })
      expect(await sent.append(stream, [event], 'none')).toMatchObject({ revision: 0 })
      const unreadable = withKnownOutcomes(
        { ...forgetful, read: () => Promise.reject(new AssayError('unavailable', 'The server is gone.')) },
        { clock: { now: () => 0 }, timers: { sleep: async () => undefined } },
      )
      tries = 0
      expect(await codeOf(unreadable.append(freshStream().stream, [newEvent()], 'none'))).toBe('unknown-outcome')
    })
  })

  it('given a server that offers batch appends, then each append is still a separate call', async () => {
    await store.append(freshStream().stream, newEvents(2), 'none')
    expect(server.calls.filter((call) => call !== 'read')).toEqual(['append'])
  })

  it('given a server that accepts only smaller batches, then the append throws too-large', async () => {
    const small = await startGrpcServer({ maxAppendBytes: 1000 })
    const other = createEventStoreDb({ connectionString: small.connectionString })
    expect(await codeOf(other.append(freshStream().stream, [newEvent({ text: 'x'.repeat(1000) })], 'none'))).toBe(
      'too-large',
    )
    await other.close()
    await small.stop()
  })

  it('given an id that is not a UUID, or a name that the server reserves, then the append is refused', async () => {
    expect(await codeOf(store.append(freshStream().stream, [{ ...newEvent(), id: 'one' }], 'any'))).toBe('invalid')
    expect(await codeOf(store.append('$acme/policy-1', [newEvent()], 'any'))).toBe('invalid')
  })
})

describe('given a server that is down', () => {
  it('then all calls soon throw unavailable, and work again once the server runs', async () => {
    const { stream } = freshStream()
    await store.append(stream, newEvents(1), 'none')
    await server.kill()
    const before = performance.now()
    for (let n = 0; n < 3; n++) {
      // The first append may have been in flight when the connection was cut.
      expect(['unavailable', 'unknown-outcome']).toContain(await codeOf(store.append(stream, [newEvent()], 0)))
      expect(await codeOf(store.read(stream))).toBe('unavailable')
      expect(await codeOf(store.readAll())).toBe('unavailable')
    }
    expect(await codeOf(store.append(stream, [newEvent()], 0))).toBe('unavailable')
    expect(performance.now() - before).toBeLessThan(5000)
    await server.restart()
    expect((await store.append(stream, [newEvent()], 0)).revision).toBe(1)
  })

  it('given a server that is not ready, then appends are unavailable', async () => {
    server.faults.busy = true
    expect(await codeOf(store.append(freshStream().stream, [newEvent()], 'none'))).toBe('unavailable')
    expect(await codeOf(store.readAll())).toBe('unavailable')
  })

  it('given a connection that hangs, then the outcome of an append is unknown and a read times out', async () => {
    const { stream } = freshStream()
    await store.append(stream, newEvents(1), 'none')
    server.hold()
    expect(await codeOf(store.append(stream, [newEvent()], 0))).toBe('unknown-outcome')
    expect(await codeOf(store.read(stream))).toBe('timeout')
    server.release()
  })
})

describe('subscriptions', () => {
  async function follow(category: string, count: number, after?: Position): Promise<RecordedEvent[]> {
    const stop = new AbortController()
    const events: RecordedEvent[] = []
    for await (const slice of store.subscribe({ categories: [category], after, signal: stop.signal })) {
      events.push(...slice.events)
      if (events.length >= count) stop.abort()
    }
    return events
  }

  it.each([true, false])(
    'given writers and a server that is killed, restarted and disconnected (reports the end: %s), then each event arrives once, in order',
    async (reportsEnd) => {
      server.faults.reportsCaughtUp = reportsEnd
      const { category, other } = freshStream()
      const written: string[] = []
      const write = async (name: string): Promise<void> => {
        for (let n = 0; n < 60; n++) {
          const event = newEvent()
          // Retries while the server is down, with the same event.
          while ((await codeOf(store.append(other(name), [event], n === 0 ? 'none' : n - 1))) !== 'done') {}
          written.push(event.id)
        }
      }
      const following = follow(category, 180)
      const writing = Promise.all(['a', 'b', 'c'].map(write))
      await expect.poll(() => written.length, retryUntil).toBeGreaterThan(30)
      await server.restart()
      await expect.poll(() => written.length, retryUntil).toBeGreaterThan(90)
      server.cut()
      await writing
      const events = await following
      expect(events.map((event) => event.id).sort()).toEqual([...written].sort())
      for (const [n, event] of events.entries()) {
        const before = events[n - 1]
        if (before) expect(comparePositions(before.position, event.position)).toBeLessThan(0)
      }
    },
  )

  it('given a server that stays down, then the reader gets an error', async () => {
    const { category } = freshStream()
    const impatient = createEventStoreDb({
      connectionString: server.connectionString,
      deadlines: { read: 300, resubscribe: 200 },
    })
    const reading = (async () => {
      for await (const slice of impatient.subscribe({ categories: [category], signal: new AbortController().signal })) {
        if (slice.atEnd) void server.kill()
      }
    })()
    expect(await codeOf(reading)).toBe('unavailable')
    await impatient.close()
  })

  it('given many events of other categories, then the position advances without an event', async () => {
    const { category, other } = freshStream()
    const wanted = freshStream().category
    const stop = new AbortController()
    let last: Position | undefined
    const following = (async () => {
      for await (const slice of store.subscribe({ categories: [wanted], signal: stop.signal })) last = slice.position
    })()
    await expect.poll(() => last, retryUntil).toBeDefined()
    const writer = createEventStoreDb({ connectionString: server.connectionString })
    const { position: first } = await writer.append(other(`${category}1`), newEvents(300), 'none')
    await writer.append(other(`${category}2`), newEvents(300), 'none')
    await writer.close()
    await expect.poll(() => comparePositions(last ?? '', first), retryUntil).toBeGreaterThan(0)
    stop.abort()
    await following
  })
})
