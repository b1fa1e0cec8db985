import { createBusInMemory } from '@assay/message-bus/testing'
import { createLogger } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { expect, test } from 'vitest'
import { retryingBus } from './retrying-bus.ts'

const clock = { now: () => 0 }
const timers = { sleep: async () => undefined, every: () => ({ stop: () => undefined }) }
const logger = createLogger({ level: 'silent' })
const wanted = { topics: ['a'], group: 'g', handle: async () => ({ kind: 'done' as const }) }

function failing(error: AssayError, times: number) {
  const bus = createBusInMemory()
  let tries = 0
  return {
    ...bus,
    subscribe: async (options: Parameters<typeof bus.subscribe>[0]) => {
      tries += 1
      if (tries <= times) throw error
      return bus.subscribe(options)
    },
    tries: () => tries,
  }
}

test('given a cluster that is down briefly, when a group is joined, then the join is retried until it succeeds', async () => {
  const bus = failing(new AssayError('unavailable', 'Kafka is away.'), 3)
  const subscription = await retryingBus(bus, { clock, timers, logger }).subscribe(wanted)
  expect(bus.tries()).toBe(4)
  await subscription.close()
})
test('given a permanent error, when a group is joined, then the join rejects with that error', async () => {
  const bus = failing(new AssayError('taken', 'The group follows already.'), 3)
  await expect(retryingBus(bus, { clock, timers, logger }).subscribe(wanted)).rejects.toThrow('follows already')
  expect(bus.tries()).toBe(1)
})
test('given a bus that is closed during the retries, then the join is not retried', async () => {
  const bus = failing(new AssayError('unavailable', 'Kafka is away.'), 3)
  const retrying = retryingBus(bus, { clock, timers: { ...timers, sleep: () => retrying.close() }, logger })
  const unavailable = expect.toSatisfy((error: unknown) => isAssayError(error, 'unavailable'), 'unavailable')
  await expect(retrying.subscribe(wanted)).rejects.toEqual(unavailable)
  expect(bus.tries()).toBe(1)
})
