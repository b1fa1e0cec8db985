import { expect, vi } from 'vitest'
import { type BusAdapter, type Delivery, done, type Outcome, type Subscription } from '../port.ts'
import type { Retry } from '../retry.ts'
import { testMessage } from './message.ts'

/** A separate bus for one test. */
export interface MessageBusUnderTest {
  bus: BusAdapter
  /** Closes the bus and opens another one over the same data, like a restart. */
  reopen(): Promise<BusAdapter>
  /** Until `resume`, the bus's store does not answer, but connections stay open. */
  hang(): void
  resume(): void
  end(): Promise<void>
}

/** The topics of the suite. They exist and are empty when `make` resolves. */
export const testTopics = ['orders', 'payments'] as const

/** The retry settings of the bus under test. */
export const testRetry: Retry = { attempts: 3, firstPauseMs: 20, factor: 2, maxPauseMs: 50 }

export const waitFor = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 40_000, interval: 5 })

export const messages = (key: string, ...ids: string[]) => ids.map((id) => testMessage(key, id))

export const handledAll = (subscription: Subscription) => waitFor(async () => expect(await subscription.lag()).toBe(0))

/** Subscribes to a bus and returns the growing list of deliveries. */
export const following =
  (bus: () => BusAdapter) =>
  async (options: {
    group?: string
    topics?: readonly string[]
    answer?: (delivery: Delivery) => Outcome | Promise<Outcome>
  }) => {
    const seen: Delivery[] = []
    const { group = 'g', topics = ['orders'], answer = () => done } = options
    const subscription = await bus().subscribe({
      topics,
      group,
      async handle(delivery) {
        seen.push(delivery)
        return await answer(delivery)
      },
    })
    return { seen, ids: () => seen.map(({ message }) => message.id), subscription }
  }
