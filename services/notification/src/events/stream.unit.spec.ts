import { describe, expect, test } from 'vitest'
import type { KeptEvent } from './collection.ts'
import { eventStream } from './stream.ts'

function event(number: number): KeptEvent {
  const common = { type: 't', subject: 'asset/1' }
  const cloud = {
    specversion: '1.0',
    source: 's',
    time: 'now',
    datacontenttype: 'application/json',
    tenant: 'x',
  } as const
  const id = String(number)
  return {
    eventId: id,
    storedAt: number,
    writer: 'w',
    topic: 'assay.catalog.assets',
    ...common,
    event: { ...cloud, ...common, id, data: 'x'.repeat(10_000) },
  }
}

/** Timers whose sleeps end when the test passes their milliseconds to `pass`. */
function manualTimers() {
  const waiting = new Set<{ milliseconds: number; end: () => void }>()
  return {
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted) return resolve()
        const one = { milliseconds, end: resolve }
        waiting.add(one)
        signal?.addEventListener('abort', () => {
          waiting.delete(one)
          resolve()
        })
      }),
    pass(milliseconds: number) {
      for (const one of [...waiting]) {
        if (one.milliseconds !== milliseconds) continue
        waiting.delete(one)
        one.end()
      }
    },
  }
}

async function turns() {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('given a stream of events', () => {
  test('when nobody reads, then little is read ahead, and after half a minute the stream ends after a whole event', async () => {
    let reads = 0
    const timers = manualTimers()
    const stream = eventStream({
      reader: { hasCaughtUp: () => false, next: async () => [event(reads++), event(reads++)] },
      isShown: () => true,
      timers,
      clock: { now: () => 0 },
      onMore: () => () => undefined,
      signal: new AbortController().signal,
      onError: () => undefined,
    })
    stream.read(0)
    await turns()
    expect(reads).toBeLessThan(20)
    timers.pass(30_000)
    await turns()
    expect((await stream.toArray()).join('')).toMatch(/^retry: 2000\n: events follow\n\n(id: \d+\n.*\n.*\n\n)+$/)
  })

  test('when more than 1 MiB waits for a reader that takes nothing for a second, then the stream ends after a whole event', async () => {
    const timers = manualTimers()
    let isRead = false
    const stream = eventStream({
      reader: {
        hasCaughtUp: () => false,
        next: async () => {
          const events = isRead ? [] : Array.from({ length: 150 }, (_, index) => event(index))
          isRead = true
          return events
        },
      },
      isShown: () => true,
      timers,
      clock: { now: () => 0 },
      onMore: () => () => undefined,
      signal: new AbortController().signal,
      onError: () => undefined,
    })
    stream.read(0)
    await turns()
    timers.pass(1_000)
    await turns()
    const text = (await stream.toArray()).join('')
    expect(text).toMatch(/\n\n$/)
    expect(text.length).toBeLessThan(200_000)
  })

  test('when a reader that was up to date gets an event half a minute late, then the stream ends, so that it resumes', async () => {
    const timers = manualTimers()
    const time = { now: 0 }
    const batches = [[event(1)], [], [event(2), event(3)]]
    const stream = eventStream({
      reader: { hasCaughtUp: () => batches.length < 2, next: async () => batches.shift() ?? [] },
      isShown: () => true,
      timers,
      clock: { now: () => time.now },
      onMore: () => () => undefined,
      signal: new AbortController().signal,
      onError: () => undefined,
    })
    const parts: string[] = []
    stream.on('data', (part) => parts.push(String(part)))
    await turns()
    time.now = 40_000
    timers.pass(500)
    await turns()
    expect(stream.readableEnded).toBe(true)
    expect(parts.join('').match(/^id: .*$/gm)).toEqual(['id: 1', 'id: 2'])
  })

  test('when there are no events, then comments keep it alive', async () => {
    const timers = manualTimers()
    const left = new AbortController()
    const stream = eventStream({
      reader: { hasCaughtUp: () => true, next: async () => [] },
      isShown: () => true,
      timers,
      clock: { now: () => 0 },
      onMore: () => () => undefined,
      signal: left.signal,
      onError: () => undefined,
    })
    let text = ''
    stream.on('data', (part) => {
      text += part
    })
    for (let poll = 0; poll < 21; poll++) {
      await turns()
      timers.pass(500)
    }
    await turns()
    expect(text).toContain(': still here\n\n')
    left.abort()
    await turns()
    expect(stream.destroyed).toBe(true)
  })
})
