import { expect, it, vi } from 'vitest'
import type { ParkedEntry } from '../parked-messages.ts'
import { done } from '../port.ts'
import { testMessage, testRetry } from '../testing/index.ts'
import { parkedInMemory } from './parked-in-memory.fixture.ts'
import { createParkingWriter } from './parking-writer.ts'
import { createPartition } from './partition.ts'
import { encodedRecord, textsOf } from './record.ts'
import { createSlots } from './slots.ts'

const where = { group: 'g', topic: 'a', partition: 0 }
const timers = { sleep: async () => undefined, every: () => ({ stop: () => undefined }) }

function entry(order: number, isReleased: boolean, key = 'k'): ParkedEntry {
  const { data: _, ...message } = testMessage(key, String(order))
  return { id: String(order), revision: 0, ...where, key, order, reason: 'odd', isReleased, message }
}

/** A member that takes over a partition whose store has these entries. */
async function takenOver(entries: readonly ParkedEntry[]) {
  const store = parkedInMemory()
  for (const each of entries) {
    const { value, headers } = encodedRecord('/assay', testMessage(each.key, each.message.id))
    await store.write([{ entry: each, body: { value, headers: textsOf(headers) } }])
  }
  const onError = () => undefined
  const handled: string[] = []
  const slots = createSlots({ concurrency: 2, maxPausing: 1, begin: () => partition.begin() })
  const partition = createPartition({
    ...where,
    handled: { offset: 0, beyond: [] },
    entries: await store.ofPartition(where),
    store,
    writer: createParkingWriter({ store, timers, isConfirmed: () => true, onError }),
    async handle({ message }) {
      handled.push(message.id)
      return done
    },
    retry: testRetry,
    timers,
    slots,
    onError,
    onHandled: onError,
  })
  slots.wake()
  return { store, partition, handled }
}

it('given an interrupted release, when a member takes over, then all messages of the key are handled in order', async () => {
  const { store, handled } = await takenOver([entry(1, true), entry(2, false)])
  await vi.waitFor(async () => expect(await store.ofPartition(where)).toEqual([]))
  expect(handled).toEqual(['1', '2'])
})

it('given interrupted parking, when a member takes over, then all messages of the key are parked', async () => {
  const { store, partition, handled } = await takenOver([entry(1, false), entry(2, true)])
  await vi.waitFor(async () => expect(await store.parkedCount('g')).toBe(2))
  expect([handled, partition.hasParked()]).toEqual([[], true])
})

it('given many parked keys, when they are released, then the partition is read once, and each key is handled in order', async () => {
  const keys = Array.from({ length: 50 }, (_, at) => `k${at}`)
  const { store, partition, handled } = await takenOver(
    keys.flatMap((key, at) => [entry(at, false, key), entry(100 + at, false, key)]),
  )
  await store.replayParked('g', keys)
  const readings = vi.spyOn(store, 'ofPartition')
  await partition.replay(keys)
  expect(readings).toHaveBeenCalledTimes(1)
  readings.mockRestore()
  await vi.waitFor(async () => expect(await store.ofPartition(where)).toEqual([]))
  for (const at of keys.keys()) expect(handled.indexOf(String(at))).toBeLessThan(handled.indexOf(String(100 + at)))
  expect([handled.length, partition.hasParked()]).toEqual([100, false])
})
