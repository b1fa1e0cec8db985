import { afterAll, beforeAll, describe } from 'vitest'
import type { EventStore } from '../port.ts'
import { appendFeatures } from './append.features.ts'
import { contentFeatures } from './content.features.ts'
import { logFeatures } from './log.features.ts'
import { modelFeatures } from './model.features.ts'
import { subscriptionFeatures } from './subscription.features.ts'

/** The store of the suite. `reopen` closes it and opens another one on the same data. */
export interface StoreUnderTest {
  store: EventStore
  reopen(): Promise<EventStore>
  close(): Promise<void>
}

/** The current store: `reopen` replaces it. */
export interface StoreHandle {
  store(): EventStore
  reopen(): Promise<EventStore>
}

/**
 * The behaviour suite of `EventStore`. The store is created once; tests use separate stream and category names, so it
 * may be a shared server with other streams.
 */
export function eventStoreFeatures(name: string, makeStore: () => Promise<StoreUnderTest>): void {
  describe(`event store: ${name}`, () => {
    let made: StoreUnderTest
    let current: EventStore
    beforeAll(async () => {
      made = await makeStore()
      current = made.store
    })
    afterAll(() => made.close())
    const handle: StoreHandle = {
      store: () => current,
      async reopen() {
        current = await made.reopen()
        return current
      },
    }
    appendFeatures(handle)
    contentFeatures(handle)
    logFeatures(handle)
    subscriptionFeatures(handle)
    modelFeatures(handle)
  })
}
