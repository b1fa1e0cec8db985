import { expect, it } from 'vitest'
import type { ParkedChange } from '../parked-messages.ts'
import { testMessage } from '../testing/index.ts'
import { createParkingWriter } from './parking-writer.ts'

const timers = { sleep: async () => undefined, every: () => ({ stop: () => undefined }) }

function change(order: number): ParkedChange {
  const { data: _, ...message } = testMessage('k', String(order))
  const where = { group: 'g', topic: 'a', partition: 0, key: 'k' }
  return { entry: { id: String(order), revision: 0, ...where, order, reason: 'odd', isReleased: false, message } }
}

it('given changes that never stop, when it is flushed, then it waits only for those given before', async () => {
  const written: string[] = []
  let writes = 0
  const writer = createParkingWriter({
    store: {
      async write(changes) {
        // While each write is under way, the next change comes.
        if (++writes < 100) void writer.writeWhileHeld([change(1000 + writes)])
        for (let turn = 0; turn < 5; turn++) await Promise.resolve()
        written.push(...changes.map(({ entry }) => entry.id))
      },
    },
    timers,
    onError: () => undefined,
  })
  void writer.writeWhileHeld([change(1)])
  void writer.write([change(2)])
  await writer.flushed()
  expect(written).toEqual(expect.arrayContaining(['1', '2']))
  expect(writes).toBeLessThanOrEqual(2)
})

it('given a lost partition, when it is flushed, then only what counts for any owner is written', async () => {
  const written: string[] = []
  const writer = createParkingWriter({
    store: {
      async write(changes) {
        written.push(...changes.map(({ entry }) => entry.id))
      },
    },
    timers,
    onError: () => undefined,
  })
  const parked = writer.writeWhileHeld([change(1)])
  const handled = writer.write([change(2)])
  writer.lose()
  await writer.flushed()
  expect([await parked, await handled, written]).toEqual([false, true, ['2']])
})
