import { expect, it } from 'vitest'
import type { ParkedChange } from '../parked-messages.ts'
import { testMessage } from '../testing/index.ts'
import { createParkingWriter } from './parking-writer.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const timers = { sleep: turn, every: () => ({ stop: () => undefined }) }
const onError = () => undefined

function change(order: number): ParkedChange {
  const { data: _, ...message } = testMessage('k', String(order))
  const where = { group: 'g', topic: 'a', partition: 0, key: 'k' }
  return { entry: { id: String(order), revision: 0, ...where, order, reason: 'odd', isReleased: false, message } }
}

/** A writer of a member that is `confirmed`, and the ids that it has written. */
function begin(beforeWrite: () => void = () => undefined) {
  const written: string[] = []
  const group = { confirmed: true }
  const writer = createParkingWriter({
    store: {
      async write(changes) {
        beforeWrite()
        for (let count = 0; count < 5; count++) await turn()
        written.push(...changes.map(({ entry }) => entry.id))
      },
    },
    timers,
    isConfirmed: () => group.confirmed,
    onError,
  })
  return { writer, written, group }
}

it('given a constant stream of changes, then a flush waits only for earlier ones', async () => {
  let writes = 0
  const { writer, written } = begin(() => {
    // Each write adds another change.
    if (++writes < 100) void writer.writeWhileHeld([change(1000 + writes)])
  })
  void writer.writeWhileHeld([change(1)])
  void writer.write([change(2)])
  await writer.flushed()
  expect(written).toEqual(expect.arrayContaining(['1', '2']))
  expect(writes).toBeLessThanOrEqual(2)
})

it('given a lost partition, then a flush writes only changes that are valid for any owner', async () => {
  const { writer, written } = begin()
  const parked = writer.writeWhileHeld([change(1)])
  const handled = writer.write([change(2)])
  writer.lose()
  await writer.flushed()
  expect([await parked, await handled, written]).toEqual([false, true, ['2']])
})

it('given a member that its group has not confirmed, then a parked message is written after the confirmation, or dropped', async () => {
  const { writer, written, group } = begin()
  group.confirmed = false
  const first = writer.writeWhileHeld([change(1)])
  for (let count = 0; count < 20; count++) await turn()
  expect(written).toEqual([])
  group.confirmed = true
  expect([await first, written]).toEqual([true, ['1']])
  group.confirmed = false
  const second = writer.writeWhileHeld([change(2)])
  for (let count = 0; count < 20; count++) await turn()
  writer.lose()
  expect([await second, written]).toEqual([false, ['1']])
})
