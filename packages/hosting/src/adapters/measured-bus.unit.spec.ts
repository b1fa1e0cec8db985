import { createBusInMemory } from '@assay/message-bus/testing'
import { createLogger, createMetrics } from '@assay/service-kit'
import { expect, test, vi } from 'vitest'
import { measuredBus } from './measured-bus.ts'

test('given a group, then its lag and its parked messages are gauges, which are read until it is left', async () => {
  const bus = createBusInMemory()
  const metrics = createMetrics()
  const looks = new Set<() => void>()
  const timers = {
    sleep: async () => undefined,
    every(_milliseconds: number, work: () => void) {
      looks.add(work)
      return { stop: () => void looks.delete(work) }
    },
  }
  const found = { lag: 7 }
  const inner = {
    ...bus,
    parked: () => Promise.reject(new Error('Counting must not load the messages.')),
    parkedCount: async () => 3,
    subscribe: async (options: Parameters<typeof bus.subscribe>[0]) => ({
      ...(await bus.subscribe(options)),
      lag: async () => {
        if (found.lag < 0) throw new Error('away')
        return found.lag
      },
    }),
  }
  const measured = measuredBus(inner, { metrics, timers, logger: createLogger({ level: 'silent' }) })
  const subscription = await measured.subscribe({
    topics: ['a'],
    group: 'my-group',
    handle: async () => ({ kind: 'done' }),
  })
  const shows = (text: string) => vi.waitFor(async () => expect(await metrics.text()).toContain(text))
  await shows('assay_bus_lag{group="my-group"} 7')
  await shows('assay_bus_parked{group="my-group"} 3')
  found.lag = -1
  for (const look of looks) look()
  await shows('assay_bus_lag{group="my-group"} Nan')
  found.lag = 7
  for (const look of looks) look()
  await shows('assay_bus_lag{group="my-group"} 7')
  await subscription.close()
  expect(looks.size).toBe(0)
  await shows('assay_bus_lag{group="my-group"} Nan')
  await shows('assay_bus_parked{group="my-group"} Nan')
})
