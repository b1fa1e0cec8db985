import type { Timers } from '@assay/service-kit'
import type { ParkedChange, ParkedMessages } from '../parked-messages.ts'

/**
 * A batcher that writes changes of the parked messages of one partition, in order. Each write contains the changes that
 * were added during the previous write.
 */
export interface ParkingWriter {
  /** Retries until the changes are written; false if the writer was closed first. Never rejects. */
  write(changes: readonly ParkedChange[]): Promise<boolean>
  /**
   * Like `write`, but returns false when the partition is lost, because its next owner decides what happens to the
   * message.
   */
  writeWhileHeld(changes: readonly ParkedChange[]): Promise<boolean>
  /** Resolves when all changes so far are written or dropped. Later changes do not delay it. */
  flushed(): Promise<void>
  lose(): void
  /** Drops unwritten changes. */
  close(): void
}

const pauseAfterFault = 1000
const pauseInDoubt = 100

export function createParkingWriter(options: {
  store: Pick<ParkedMessages, 'write'>
  timers: Timers
  /** Whether it is certain that no other member has the partition. Changes wait until it is. */
  isConfirmed: () => boolean
  onError: (error: unknown) => void
}): ParkingWriter {
  const { store, timers, isConfirmed, onError } = options
  const closed = new AbortController()
  let gathered: (PromiseWithResolvers<boolean> & { changes: readonly ParkedChange[]; whileHeld: boolean })[] = []
  let isLost = false
  let isWriting = false

  async function work(): Promise<void> {
    isWriting = true
    // Yields to the event loop once, so that messages parked together are written together.
    await timers.sleep(0)
    while (!closed.signal.aborted) {
      if (isLost) giveUp(({ whileHeld }) => whileHeld)
      if (gathered.length === 0) break
      // After a long pause, the next owner may have handled these messages. If they were parked now, nobody would
      // release them.
      if (!isLost && !isConfirmed()) {
        await timers.sleep(pauseInDoubt, closed.signal)
        continue
      }
      const batch = [...gathered]
      try {
        await store.write(batch.flatMap(({ changes }) => changes))
        gathered = gathered.slice(batch.length)
        for (const { resolve } of batch) resolve(true)
      } catch (error) {
        onError(error)
        await timers.sleep(pauseAfterFault, closed.signal)
      }
    }
    giveUp(() => true)
    isWriting = false
  }

  function giveUp(which: (item: (typeof gathered)[number]) => boolean): void {
    for (const item of gathered) if (which(item)) item.resolve(false)
    gathered = gathered.filter((item) => !which(item))
  }

  function add(changes: readonly ParkedChange[], whileHeld: boolean): Promise<boolean> {
    const item = { changes, whileHeld, ...Promise.withResolvers<boolean>() }
    gathered.push(item)
    if (!isWriting) void work()
    return item.promise
  }

  return {
    write: (changes) => add(changes, false),
    writeWhileHeld: (changes) => add(changes, true),
    async flushed() {
      await Promise.all(gathered.map(({ promise }) => promise))
    },
    lose() {
      isLost = true
    },
    close: () => closed.abort(),
  }
}
