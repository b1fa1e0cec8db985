import { createSqliteDocuments } from '@assay/documents/sqlite'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkpointCollections, createDocumentCheckpoints } from './document-checkpoints.ts'
import type { RecordedEvent } from './port.ts'
import { createProcessor, type Processor, type ProcessorOptions } from './processor.ts'
import { newEvent, newEvents } from './testing/new-events.ts'
import { fastTimers, openTemporaryStore, type TemporaryStore } from './testing/temporary-store.ts'

let on: TemporaryStore
let handled: string[]
let processors: Processor[]
const nameOf = (event: RecordedEvent): string => `${event.stream.replace('acme/thing-', '')}${event.revision}`

beforeEach(() => {
  on = openTemporaryStore()
  handled = []
  processors = []
})
afterEach(async () => {
  for (const processor of processors) await processor.stop()
  await on.close()
})

function make(options: Partial<ProcessorOptions> = {}): Processor {
  const processor = createProcessor({
    ...on,
    name: 'test',
    categories: ['thing'],
    timers: fastTimers,
    handle: async (events) => {
      handled.push(...events.map(nameOf))
    },
    onError() {},
    ...options,
  })
  processors.push(processor)
  return processor
}

async function append(name: string, count = 1): Promise<string> {
  return (await on.store.append(`acme/thing-${name}`, newEvents(count), 'any')).position
}

/** Resolves when all events of the log were handled or parked. */
const caughtUp = (processor: Processor) => vi.waitFor(async () => expect(await processor.lag()).toBe(0), 20_000)

describe('given a processor', () => {
  it('when it starts, then it handles earlier and later events, and reports its lag', async () => {
    await append('a', 3)
    const processor = make()
    await processor.start()
    await append('b', 2)
    await caughtUp(processor)
    expect(handled).toEqual(['a0', 'a1', 'a2', 'b0', 'b1'])
  })

  it('when events of other categories are appended, then its checkpoint advances past them', async () => {
    const processor = make()
    await processor.start()
    const { position } = await on.store.append('acme/other-1', newEvents(1), 'none')
    await vi.waitFor(async () => {
      on.clock.time += 5_000
      await on.store.append('acme/other-1', newEvents(1), 'any')
      expect(Number(await on.checkpoints.get('test'))).toBeGreaterThanOrEqual(Number(position))
    }, 20_000)
    expect(handled).toEqual([])
  })

  it('when it is stopped, then another one with its name continues after the checkpoint', async () => {
    const first = make()
    await first.start()
    await append('a', 2)
    await caughtUp(first)
    await first.stop()
    await append('a', 2)
    expect(await first.lag()).toBe(2)
    const second = make()
    await second.start()
    await caughtUp(second)
    expect(handled).toEqual(['a0', 'a1', 'a2', 'a3'])
  })

  it('when errors are transient, then it retries until they end, and parks nothing', async () => {
    let failures = 12
    const processor = make({
      handle: async (events) => {
        if (failures-- > 0) throw new AssayError('unavailable', 'Gone for a while.')
        handled.push(...events.map(nameOf))
      },
    })
    await processor.start()
    await append('a', 2)
    await caughtUp(processor)
    expect(handled).toEqual(['a0', 'a1'])
    expect(await processor.parked()).toEqual([])
  })

  it('when the checkpoint cannot be saved, then events are repeated rather than lost', async () => {
    let failures = 2
    const checkpoints = {
      ...on.checkpoints,
      async set(name: string, position: string, fence: number) {
        if (failures-- > 0) throw new AssayError('unavailable', 'Gone for a while.')
        await on.checkpoints.set(name, position, fence)
      },
    }
    const processor = make({ checkpoints })
    await processor.start()
    const position = await append('a')
    await caughtUp(processor)
    expect(await on.checkpoints.get('test')).toBe(position)
  })

  it('when it is stopped while an event fails, then that event is handled after the next start', async () => {
    const failing = make({ handle: () => Promise.reject(new AssayError('unavailable', 'Gone.')) })
    await failing.start()
    await append('a')
    await failing.stop()
    const next = make()
    await next.start()
    await caughtUp(next)
    expect(handled).toEqual(['a0'])
  })
})

describe('given a poison event', () => {
  let poisonous = true
  const errors: string[] = []
  const options: Partial<ProcessorOptions> = {
    handle: async (events) => {
      for (const event of events) {
        if (poisonous && event.data.poison === true) throw new TypeError('cannot be read')
      }
      handled.push(...events.map(nameOf))
    },
    onError: (_error, { event, parked }) => {
      if (parked && event) errors.push(nameOf(event))
    },
  }

  async function start(): Promise<Processor> {
    poisonous = true
    errors.length = 0
    const processor = make(options)
    await append('a')
    await on.store.append('acme/thing-bad', [newEvent(), newEvent({ poison: true }), newEvent()], 'none')
    await append('b')
    await processor.start()
    await caughtUp(processor)
    return processor
  }

  it('then its stream is parked from that event on, once, and other streams continue', async () => {
    const processor = await start()
    await append('bad')
    await caughtUp(processor)
    await append('a')
    await caughtUp(processor)
    expect(handled).toEqual(['a0', 'bad0', 'b0', 'a1'])
    expect(errors).toEqual(['bad1'])
    const parkedAt = '2026-01-02T03:04:05.678Z'
    const entry = { stream: 'acme/thing-bad', fromRevision: 1, reason: 'cannot be read', parkedAt }
    expect(await processor.parked()).toEqual([entry])
  })

  it('when the processor is started again, then the stream is still parked', async () => {
    await (await start()).stop()
    const next = make(options)
    await next.start()
    await append('bad')
    await caughtUp(next)
    expect(handled).toEqual(['a0', 'bad0', 'b0'])
  })

  it('when the processor is started again after the fix, then the events are handled in order and the stream is resumed', async () => {
    const processor = await start()
    await append('bad')
    await caughtUp(processor)
    await processor.stop()
    poisonous = false
    const resumed: unknown[] = []
    const next = make({ ...options, onResumed: (...about) => resumed.push(about) })
    await next.start()
    await vi.waitFor(() => expect(resumed).toEqual([['acme/thing-bad', 3]]), 20_000)
    await append('bad')
    await caughtUp(next)
    expect(handled).toEqual(['a0', 'bad0', 'b0', 'bad1', 'bad2', 'bad3', 'bad4'])
    expect(await next.parked()).toEqual([])
  })

  it('when a retry is requested without a fix, then the stream stays parked with the new reason, and the request is done', async () => {
    const processor = await start()
    expect(await on.checkpoints.requestRetry('test', 'acme/thing-unknown')).toBe(false)
    expect(await on.checkpoints.requestRetry('test', 'acme/thing-bad')).toBe(true)
    await vi.waitFor(() => expect(errors).toEqual(['bad1', 'bad1']), 20_000)
    await vi.waitFor(async () => expect((await processor.parked())[0]?.isRetryRequested).toBeUndefined(), 20_000)
    expect(await processor.parked()).toHaveLength(1)
  })

  it('when a retry is requested after the fix, then the stream is resumed while others continue', async () => {
    const processor = await start()
    poisonous = false
    expect(await on.checkpoints.requestRetry('test', 'acme/thing-bad')).toBe(true)
    await vi.waitFor(async () => expect(await processor.parked()).toEqual([]), 20_000)
    await append('bad')
    await caughtUp(processor)
    expect(handled).toEqual(['a0', 'bad0', 'b0', 'bad1', 'bad2', 'bad3'])
  })

  it('when errors are transient during the retry, then the request remains until they end', async () => {
    const processor = await start()
    let failures = 3
    poisonous = false
    const handle: ProcessorOptions['handle'] = async (events) => {
      if (failures-- > 0) throw new AssayError('unavailable', 'Gone for a while.')
      handled.push(...events.map(nameOf))
    }
    await processor.stop()
    const next = make({ ...options, handle })
    await next.start()
    await vi.waitFor(async () => expect(await next.parked()).toEqual([]), 20_000)
    expect(handled.slice(-2)).toEqual(['bad1', 'bad2'])
  })

  it('when a long stream is retried, then other streams continue meanwhile', async () => {
    const processor = await start()
    await append('bad', 250)
    await caughtUp(processor)
    poisonous = false
    let hasOther = false
    const later = make({
      ...options,
      handle: async (events) => {
        handled.push(...events.map(nameOf))
        if (!hasOther && handled.includes('bad5')) {
          hasOther = true
          await append('a')
        }
        // Slow, so that an event of the other stream is handled before the last one.
        await new Promise((resolve) => setTimeout(resolve, 1))
      },
    })
    await processor.stop()
    await later.start()
    await vi.waitFor(async () => expect(await later.parked()).toEqual([]), 20_000)
    await vi.waitFor(() => expect(handled).toContain('a1'), 20_000)
    expect(handled.indexOf('a1')).toBeLessThan(handled.indexOf('bad252'))
    const ofBad = handled.filter((name) => name.startsWith('bad'))
    expect(ofBad).toEqual(Array.from({ length: 253 }, (_, revision) => `bad${revision}`))
  })

  it('when a former holder parks a stream late, then the current holder takes the stream over and resumes it', async () => {
    const processor = make()
    await processor.start()
    await append('late', 3)
    await caughtUp(processor)
    const parkedAt = '2026-01-02T03:04:05.678Z'
    await on.checkpoints.park('test', { stream: 'acme/thing-late', fromRevision: 1, reason: 'gone', parkedAt }, 0)
    await vi.waitFor(async () => expect(await processor.parked()).toEqual([]), 20_000)
    await append('late')
    await caughtUp(processor)
    expect(handled).toEqual(['late0', 'late1', 'late2', 'late1', 'late2', 'late3'])
  })

  it('when the next holder has parked the stream too, then the former holder neither resumes it nor moves the checkpoint', async () => {
    const documents = createSqliteDocuments({ database: on.database, collections: checkpointCollections })
    const checkpoints = createDocumentCheckpoints(documents)
    poisonous = true
    const failures: string[] = []
    const former = make({
      ...options,
      checkpoints,
      fence: () => 1,
      onError: (error) => failures.push(String(error)),
    })
    await on.store.append('acme/thing-bad', [newEvent(), newEvent({ poison: true }), newEvent()], 'none')
    await former.start()
    await vi.waitFor(async () => expect(await former.parked()).toHaveLength(1), 20_000)
    const position = await checkpoints.begin('test', 2)
    await checkpoints.park('test', { stream: 'acme/thing-bad', fromRevision: 1, reason: 'bad', parkedAt: '' }, 2)
    poisonous = false
    expect(await checkpoints.requestRetry('test', 'acme/thing-bad')).toBe(true)
    await vi.waitFor(() => expect(failures.join()).toContain('Another process has taken over test'), 20_000)
    await append('a')
    await caughtUp(former)
    await former.stop()
    expect([await checkpoints.get('test'), (await former.parked()).length]).toEqual([position, 1])
    const next = make({ ...options, checkpoints, fence: () => 2 })
    await next.start()
    await vi.waitFor(async () => expect(await next.parked()).toEqual([]), 20_000)
    await append('bad')
    await caughtUp(next)
    expect(handled.filter((name) => name.startsWith('bad'))).toEqual(['bad0', 'bad1', 'bad2', 'bad1', 'bad2', 'bad3'])
  })
})
