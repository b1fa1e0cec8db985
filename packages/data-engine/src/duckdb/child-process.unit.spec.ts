import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { EngineChild } from './child-process.ts'
import type { ToChild } from './protocol.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('given a child that was killed because it was not idle in time, when it reports that it is, then it does not wait for more', async () => {
  const events = new EventEmitter()
  const killed = vi.fn(() => true)
  const child = new EngineChild(
    Object.assign(events, {
      connected: true,
      kill: killed,
      send: (message: ToChild) => message.kind === 'run' && events.emit('message', { kind: 'done', answer: null }),
    }),
  )
  await child.run({
    work: { kind: 'touches', texts: [] },
    limits: { memoryMb: 100, threads: 1, maxTempMb: 1 },
    ...{ tempFolder: '/tmp', access: undefined, brokers: null, stores: [], isLast: false },
    ...{ startedAt: 0, timeoutMs: 60_000, signal: new AbortController().signal },
  })
  vi.advanceTimersByTime(10_000)
  expect(killed).toHaveBeenCalledOnce()
  events.emit('message', { kind: 'idle' })
  expect(await child.waitsForMore()).toBe(false)
})
