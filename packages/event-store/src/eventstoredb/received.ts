import type { Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { StreamingRead } from '@eventstore/db-client'

/** An error listener for streams that are no longer read: without one, a failure would end the process. */
export function ignore(): void {}

/**
 * Yields the items of a read until its end. The client's reads have no deadline, and a cancelled read ends as if it
 * were complete. So this throws `timeout` if a read yields nothing for `idleMs` (up to twice as long). The time that
 * the caller spends on an item does not count. Leaving the loop cancels the read.
 */
export async function* received<T>(read: StreamingRead<T>, idleMs: number, timers: Timers): AsyncGenerator<T> {
  read.on('error', ignore)
  const iterator = read[Symbol.asyncIterator]()
  let waiting = false
  let waitedBefore = false
  const watch = timers.every(idleMs, () => {
    if (waiting && waitedBefore) {
      read.destroy(new AssayError('timeout', 'The event store did not answer in time. Try again.'))
    }
    waitedBefore = waiting
  })
  let whole = false
  try {
    for (;;) {
      waiting = true
      const next = await iterator.next()
      waiting = false
      waitedBefore = false
      if (next.done) {
        whole = true
        return
      }
      yield next.value
    }
  } finally {
    watch.stop()
    if (!whole) {
      read.destroy()
      // Not awaited: a hanging connection would block it.
      read.cancel().catch(ignore)
    }
  }
}
