import { describe, expect, test } from 'vitest'
import type { KeptEvent } from './collection.ts'
import { framesOf } from './frames.ts'
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

const shown = (...events: KeptEvent[]) => framesOf(events, () => true)

async function turns() {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('given a stream of events', () => {
  test('when nobody reads, then little is read ahead, and after half a minute the stream ends after a whole event', async () => {
    let reads = 0
    let isEnded = false
    const timers = manualTimers()
    const stream = eventStream({
      reader: { hasCaughtUp: () => false, next: async () => shown(event(reads++), event(reads++)) },
      timers,
      clock: { now: () => 0 },
      random: () => 0.5,
      onMore: () => () => undefined,
      signal: new AbortController().signal,
      onEnd: () => {
        isEnded = true
      },
      onError: () => undefined,
    })
    stream.read(0)
    await turns()
    expect([reads < 20, isEnded]).toEqual([true, false])
    timers.pass(30_000)
    await turns()
    expect(isEnded).toBe(true)
    expect((await stream.toArray()).join('')).toMatch(/^retry: 2000\n: events follow\n\n(id: \d+\n.*\n.*\n\n)+$/)
  })

  test('when more than 1 MiB waits for a reader that takes nothing for a second, then the stream ends after a whole event', async () => {
    const timers = manualTimers()
    let isRead = false
    const stream = eventStream({
      reader: {
        hasCaughtUp: () => false,
        next: async () => {
          if (isRead) return undefined
          isRead = true
          return shown(...Array.from({ length: 150 }, (_, index) => event(index)))
        },
      },
      timers,
      clock: { now: () => 0 },
      random: () => 0.5,
      onMore: () => () => undefined,
      signal: new AbortController().signal,
      onEnd: () => undefined,
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
    const batches = [shown(event(1)), undefined, [...shown(event(2)), ...shown(event(3))]]
    const stream = eventStream({
      reader: { hasCaughtUp: () => batches.length < 2, next: async () => batches.shift() },
      timers,
      clock: { now: () => time.now },
      random: () => 0.5,
      onMore: () => () => undefined,
      signal: new AbortController().signal,
      onEnd: () => undefined,
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

  test.each([
    ['there are no events', undefined],
    ['there are only events that it does not show', []],
  ])('when %s, then comments keep it alive', async (_, frames) => {
    const timers = manualTimers()
    const time = { now: 0 }
    const left = new AbortController()
    const listeners = new Set<() => void>()
    const wakeAll = () => {
      for (const listener of listeners) listener()
    }
    let batches: (typeof frames)[] = []
    const stream = eventStream({
      reader: { hasCaughtUp: () => true, next: async () => batches.pop() },
      timers,
      clock: { now: () => time.now },
      random: () => 0.5,
      onMore: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      signal: left.signal,
      onEnd: () => undefined,
      onError: () => undefined,
    })
    let text = ''
    stream.on('data', (part) => {
      text += part
    })
    for (let second = 1; second <= 10; second += 1) {
      await turns()
      expect(text).not.toContain('still here')
      time.now = second * 1_000
      batches = [frames]
      wakeAll()
    }
    await turns()
    expect(text.match(/: still here\n\n/g)).toHaveLength(1)
    time.now = 20_000
    timers.pass(10_000)
    await turns()
    expect(text.match(/: still here\n\n/g)).toHaveLength(2)
    left.abort()
    await turns()
    expect(stream.destroyed).toBe(true)
  })
})
