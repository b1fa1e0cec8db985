import type { MessageBus } from '@assay/message-bus'
import type { Clock, Logger, Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { retryUntil } from '../process/retry-until.ts'

const timeoutMs = 3_600_000

/**
 * The bus, with joins that are retried for an hour. If the cluster goes down after a service has joined only one of
 * several groups, the service cannot repeat its whole start.
 */
export function retryingBus(bus: MessageBus, ambient: { clock: Clock; timers: Timers; logger: Logger }): MessageBus {
  const closing = new AbortController()
  return {
    ...bus,
    async subscribe(options) {
      const subscription = await retryUntil(() => bus.subscribe(options), {
        ...ambient,
        timeoutMs,
        signal: closing.signal,
      })
      if (subscription === undefined) throw new AssayError('unavailable', 'The message bus is closed.')
      return subscription
    },
    close() {
      closing.abort()
      return bus.close()
    },
  }
}
