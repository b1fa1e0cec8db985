import type { Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { StreamingRead } from '@eventstore/db-client'

/** An error listener for streams that may fail after nobody reads them: without one, the failure ends the process. */
export function ignore(): void {}

/**
 * The items of a read, until its end. Reads of the client have no deadline, and a cancelled one ends as if it were
 * complete: so a read that yields nothing for `idleMs` (up to twice as long) is ended here, with `timeout`. Slow
 * readers are not timed. Leaving the loop cancels the read.
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
