import type { Timers } from '@assay/service-kit'
import type { Publisher, Sized } from './publisher.ts'

/** Writes into the journal of one partition, in order, as much at once as has gathered while the write before ran. */
export interface JournalWriter {
  /** Tries until it is written; false when the writer was closed before. Never rejects. */
  write(records: readonly Sized[]): Promise<boolean>
  /** As `write`, but given up, with false, when the partition is lost: it is the next holder's to say. */
  writeWhileHeld(records: readonly Sized[]): Promise<boolean>
  /** Behind all that was given to `write`, once. Throws what the publisher throws. */
  writeNow(records: readonly Sized[]): Promise<void>
  /** Resolves when all that was given to `write` is written, or the writer is closed. */
  flushed(): Promise<void>
  lose(): void
  /** What is not written yet is given up. */
  close(): void
}

const pauseAfterFault = 1000

export function createJournalWriter(options: {
  publisher: Publisher
  name: string
  /** Makes the journal's topic if need be. */
  ensure: () => Promise<void>
  timers: Timers
  onError: (error: unknown) => void
}): JournalWriter {
  const { publisher, name, ensure, timers, onError } = options
  const closed = new AbortController()
  let gathered: { records: readonly Sized[]; whileHeld: boolean; settle: (written: boolean) => void }[] = []
  let isLost = false
  let writing: Promise<void> | undefined

  async function send(records: readonly Sized[]): Promise<void> {
    await ensure()
    await publisher.send(name, records)
  }

  async function work(): Promise<void> {
    // A turn of the event loop, so that what is parked together is written together.
    await timers.sleep(0)
    while (!closed.signal.aborted) {
      if (isLost) giveUp(({ whileHeld }) => whileHeld)
      if (gathered.length === 0) break
      const batch = [...gathered]
      try {
        await send(batch.flatMap(({ records }) => records))
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

  function add(records: readonly Sized[], whileHeld: boolean): Promise<boolean> {
    return new Promise((settle) => {
      gathered.push({ records, whileHeld, settle })
      writing ??= work()
    })
  }

  return {
    write: (records) => add(records, false),
    writeWhileHeld: (records) => add(records, true),
    async writeNow(records) {
      await writing
      await send(records)
    },
    async flushed() {
      await writing
    },
    lose() {
      isLost = true
    },
    close: () => closed.abort(),
  }
}
