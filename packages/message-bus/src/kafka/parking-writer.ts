import type { Timers } from '@assay/service-kit'
import type { ParkedChange, ParkedMessages } from '../parked-messages.ts'

/**
 * Batcher: writes what happens to the parked messages of one partition, in order; each write takes everything that
 * gathered during the previous one.
 */
export interface ParkingWriter {
  /** Retries until it is written; false if the writer was closed before. Never rejects. */
  write(changes: readonly ParkedChange[]): Promise<boolean>
  /** Like `write`, but given up, with false, when the partition is lost: the next owner decides. */
  writeWhileHeld(changes: readonly ParkedChange[]): Promise<boolean>
  /** Resolves when everything given to `write` is written, or the writer is closed. */
  flushed(): Promise<void>
  lose(): void
  /** Drops unwritten changes. */
  close(): void
}

const pauseAfterFault = 1000

export function createParkingWriter(options: {
  store: Pick<ParkedMessages, 'write'>
  timers: Timers
  onError: (error: unknown) => void
}): ParkingWriter {
  const { store, timers, onError } = options
  const closed = new AbortController()
  let gathered: { changes: readonly ParkedChange[]; whileHeld: boolean; settle: (written: boolean) => void }[] = []
  let isLost = false
  let writing: Promise<void> | undefined

  async function work(): Promise<void> {
    // A turn of the event loop, so that messages parked together are written together.
    await timers.sleep(0)
    while (!closed.signal.aborted) {
      if (isLost) giveUp(({ whileHeld }) => whileHeld)
      if (gathered.length === 0) break
      const batch = [...gathered]
      try {
        await store.write(batch.flatMap(({ changes }) => changes))
        gathered = gathered.slice(batch.length)
        for (const { settle } of batch) settle(true)
      } catch (error) {
        onError(error)
        await timers.sleep(pauseAfterFault, closed.signal)
      }
    }
    giveUp(() => true)
    writing = undefined
  }

  function giveUp(which: (item: (typeof gathered)[number]) => boolean): void {
    for (const item of gathered) if (which(item)) item.settle(false)
    gathered = gathered.filter((item) => !which(item))
  }

  function add(changes: readonly ParkedChange[], whileHeld: boolean): Promise<boolean> {
    return new Promise((settle) => {
      gathered.push({ changes, whileHeld, settle })
      writing ??= work()
    })
  }

  return {
    write: (changes) => add(changes, false),
    writeWhileHeld: (changes) => add(changes, true),
    async flushed() {
      await writing
    },
    lose() {
      isLost = true
    },
    close: () => closed.abort(),
  }
}
