import { isAssayError } from '@assay/service-kit/errors'
import { expect } from 'vitest'
import type { MessageBus } from '../port.ts'
import { testMessage } from '../testing/index.ts'

/** Messages over 10 keys. Their ids are the numbers from `from` up to but not including `to`. */
export const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => testMessage(`k${(from + index) % 10}`, String(from + index)))

/** Asserts that the numbered messages of each key are in order. */
export function expectOrdered(ids: readonly string[]): void {
  for (let key = 0; key < 10; key++) {
    const ofKey = ids.map(Number).filter((id) => id % 10 === key)
    expect(ofKey).toEqual(ofKey.toSorted((a, b) => a - b))
  }
}

/** Publishes numbered messages to `a`, one after the other, until `stop`; retries unknown outcomes. */
export function keepPublishing(bus: MessageBus) {
  const acknowledged: string[] = []
  let stopped = false
  async function publishUntilTaken(id: number): Promise<void> {
    for (;;) {
      try {
        return await bus.publish('a', numbered(id, id + 1))
      } catch (error) {
        if (!isAssayError(error, 'unknown-outcome') && !isAssayError(error, 'unavailable')) throw error
      }
    }
  }
  const run = (async () => {
    for (let id = 0; !stopped; id++) {
      await publishUntilTaken(id)
      acknowledged.push(String(id))
    }
  })()
  return {
    acknowledged,
    async stop() {
      stopped = true
      await run
    },
  }
}
