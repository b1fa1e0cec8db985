import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { systemClock, systemTimers } from '@assay/service-kit/node'
import { type Database, openDatabase } from '@assay/sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { done } from '../port.ts'
import { followingIds, messageBusFeatures, testMessage, testRetry } from '../testing/index.ts'
import { createEmbeddedBus, type EmbeddedBus } from './index.ts'

messageBusFeatures('SQLite', 500, async ({ retry, unhealthyAfterMs }) => {
  const folder = await mkdtemp(join(tmpdir(), 'bus-'))
  const path = join(folder, 'a.db')
  let database: Database
  let bus: EmbeddedBus
  let answers = Promise.resolve()
  let resume = () => {}
  const open = () => {
    database = openDatabase({ path, synchronous: 'NORMAL' })
    const { write } = database
    // Writes wait until the store answers.
    const waiting: Database = { ...database, write: (work) => answers.then(() => write(work)) }
    bus = createEmbeddedBus({ database: waiting, clock: systemClock, timers: systemTimers, retry, unhealthyAfterMs })
    return bus
  }
  const close = async () => {
    await bus.close()
    await database.close()
  }
  return {
    bus: open(),
    async reopen() {
      await close()
      return open()
    },
    hang() {
      answers = new Promise((resolve) => {
        resume = resolve
      })
    },
    resume: () => resume(),
    async end() {
      await close()
      await rm(folder, { recursive: true })
    },
  }
})

describe('message bus of SQLite: guarantees beyond the port', () => {
  const dayMs = 24 * 60 * 60 * 1000
  let folder: string
  let database: Database
  let now: number
  let buses: EmbeddedBus[]
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bus-'))
    database = openDatabase({ path: join(folder, 'a.db'), synchronous: 'NORMAL' })
    now = 1000
    buses = []
  })
  afterEach(async () => {
    for (const bus of buses) await bus.close()
    await database.close()
    await rm(folder, { recursive: true })
  })
  const open = (more: { concurrency?: number; maxPausing?: number; onError?: (error: unknown) => void } = {}) => {
    const bus = createEmbeddedBus({
      database,
      clock: { now: () => now },
      timers: systemTimers,
      retry: testRetry,
      ...more,
    })
    buses.push(bus)
    return bus
  }
  const kept = () =>
    database
      .prepare('SELECT id FROM bus_messages ORDER BY seq')
      .all()
      .map(({ id }) => id)
  const numbered = (count: number, key: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => testMessage(key(index), String(index)))

  it('given a write that throws after `publishNow`, then it is rolled back, and no group gets the message', async () => {
    const bus = open()
    const { ids: seen } = await followingIds(bus)
    const write = database.write(() => {
      bus.publishNow('a', [testMessage('k', 'undone')])
      throw new Error('the append failed')
    })
    await expect(write).rejects.toThrow('append')
    await database.write(() => bus.publishNow('a', [testMessage('k', 'kept')]))
    await vi.waitFor(() => expect(seen).toEqual(['kept']))
  })

  it('given 50 keys, when all are handled concurrently, then no more handlers run than allowed', async () => {
    const bus = open({ concurrency: 4 })
    let running = 0
    let most = 0
    const subscription = await bus.subscribe({
      topics: ['a'],
      group: 'g',
      async handle({ message, attempt }) {
        running++
        most = Math.max(most, running)
        await systemTimers.sleep(1)
        running--
        if (Number(message.id) % 3 === 0 && attempt === 1) throw new Error('again')
        return done
      },
    })
    await bus.publish('a', numbered(50, String))
    await vi.waitFor(async () => expect(await subscription.lag()).toBe(0))
    expect(most).toBe(4)
  })

  it('given more failing keys than may pause, then they are parked, and the other keys are handled', async () => {
    const bus = open({ concurrency: 2, maxPausing: 1 })
    const seen = new Set<string>()
    const subscription = await bus.subscribe({
      topics: ['a'],
      group: 'g',
      async handle({ message }) {
        seen.add(message.id)
        return message.key.startsWith('bad') ? { kind: 'retry', error: new Error('no') } : done
      },
    })
    await bus.publish(
      'a',
      numbered(20, (index) => (index % 2 === 0 ? `bad${index}` : 'good')),
    )
    await vi.waitFor(async () => expect(await subscription.lag()).toBe(0), { timeout: 5000 })
    expect(seen.size).toBe(20)
    await vi.waitFor(async () => expect(await bus.parked('g')).toHaveLength(10))
  })

  it('given messages older than a day, when the bus opens, then only those that every group has handled are removed', async () => {
    const bus = open()
    const handle = async ({ message }: { message: { id: string } }) =>
      message.id === '1' ? ({ kind: 'park', reason: 'odd' } as const) : done
    const first = await bus.subscribe({ topics: ['a'], group: 'g', handle })
    const slow = await bus.subscribe({ topics: ['b'], group: 'slow', handle })
    await slow.close()
    await bus.publish('a', numbered(4, String))
    await bus.publish('b', [testMessage('k', 'b0')])
    await vi.waitFor(async () => expect(await first.lag()).toBe(0))
    await bus.close()
    now += dayMs - 1
    await open().close()
    expect(kept()).toEqual(['0', '1', '2', '3', 'b0'])
    now += 2
    const last = open()
    await vi.waitFor(() => expect(kept()).toEqual(['1', 'b0']))
    await last.publish('a', [testMessage('k', 'young')])
    expect(kept()).toEqual(['1', 'b0', 'young'])
  })

  it('given a write that fails, when writes succeed again, then the handled messages are recorded and none is lost', async () => {
    const faults: unknown[] = []
    const bus = open({ onError: (error) => faults.push(error) })
    const { ids: seen, subscription } = await followingIds(bus)
    database.exec('ALTER TABLE bus_checkpoints RENAME TO hidden')
    await bus.publish(
      'a',
      numbered(1, () => 'k'),
    )
    await vi.waitFor(() => expect(faults.length).toBeGreaterThan(0))
    database.exec('ALTER TABLE hidden RENAME TO bus_checkpoints')
    await bus.publish('a', [testMessage('k', 'next')])
    await vi.waitFor(() => expect(seen).toEqual(['0', 'next']), { timeout: 5000 })
    await subscription.close()
    expect(database.prepare('SELECT seq FROM bus_checkpoints').all()).toEqual([{ seq: 2 }])
  })

  it('given a process that is killed while it handles messages, when another opens the log, then no message is lost and the order is kept', async () => {
    const path = join(folder, 'killed.db')
    const receiver = spawn(process.execPath, [join(import.meta.dirname, 'killed-receiver.fixture.ts'), path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const before: string[] = []
    for await (const id of createInterface(receiver.stdout)) {
      before.push(id)
      if (before.length === 100) receiver.kill('SIGKILL')
    }
    const again = openDatabase({ path, synchronous: 'NORMAL' })
    const bus = createEmbeddedBus({ database: again, clock: systemClock, timers: systemTimers })
    const { ids: after, subscription } = await followingIds(bus)
    await vi.waitFor(async () => expect(await subscription.lag()).toBe(0), { timeout: 10_000 })
    await bus.close()
    await again.close()
    expect(new Set([...before, ...after]).size).toBe(300)
    expect(after.length).toBeLessThan(300)
    for (let key = 0; key < 10; key++) {
      const ofKey = after.map(Number).filter((id) => id % 10 === key)
      expect(ofKey).toEqual(ofKey.toSorted((a, b) => a - b))
    }
  })

  it('given a group with a subscription, when it subscribes to the same topic again, then it is refused', async () => {
    const bus = open()
    const subscribe = () => bus.subscribe({ topics: ['a'], group: 'g', handle: async () => done })
    const first = await subscribe()
    await expect(subscribe()).rejects.toThrow('already subscribed')
    await first.close()
    await subscribe()
  })

  it('given a parked key of a group without a subscription, when it is replayed, then the next subscription handles it first', async () => {
    const bus = open()
    const parking = await bus.subscribe({
      topics: ['a'],
      group: 'g',
      handle: async () => ({ kind: 'park', reason: 'odd' }),
    })
    await bus.publish(
      'a',
      numbered(3, () => 'k'),
    )
    await vi.waitFor(async () => expect(await bus.parked('g')).toHaveLength(3))
    await parking.close()
    expect(await bus.replayParked('g', ['k'])).toBe(3)
    await bus.publish('a', [testMessage('k', 'later')])
    const { ids: seen, subscription } = await followingIds(bus)
    await vi.waitFor(() => expect(seen).toEqual(['0', '1', '2', 'later']))
    await subscription.close()
    expect(database.prepare('SELECT * FROM bus_parked').all()).toEqual([])
    expect(database.prepare('SELECT * FROM bus_handled').all()).toEqual([])
  })
})
