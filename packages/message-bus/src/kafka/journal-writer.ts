import type { Timers } from '@assay/service-kit'
import type { Publisher, Sized } from './publisher.ts'

/**
 * Batcher: writes to the journal of one partition, in order; each write takes everything that gathered during the
 * previous one.
 */
export interface JournalWriter {
  /** Retries until it is written; false if the writer was closed before. Never rejects. */
  write(records: readonly Sized[]): Promise<boolean>
  /** Like `write`, but given up, with false, when the partition is lost: the next owner decides. */
  writeWhileHeld(records: readonly Sized[]): Promise<boolean>
  /** After everything given to `write`, without retries. Throws the publisher's error. */
  writeNow(records: readonly Sized[]): Promise<void>
  /** Resolves when everything given to `write` is written, or the writer is closed. */
  flushed(): Promise<void>
  lose(): void
  /** Drops unwritten records. */
  close(): void
}

const pauseAfterFault = 1000

export function createJournalWriter(options: {
  publisher: Publisher
  name: string
  /** Creates the journal's topic if needed. */
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
    // A turn of the event loop, so that messages parked together are written together.
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
