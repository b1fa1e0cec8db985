import type { Timers } from '@assay/service-kit'
import type { TopicPartitionOffsetAndMetadata } from 'kafkajs'
import { encodedBeyond, type Handled } from './handled.ts'

export interface Committable {
  topic: string
  partition: number
  handled(): Handled
}

/** Commits what is handled, a little after it was, one commit at a time. */
export interface Commits {
  soon(of: Committable): void
  /** Commits what waits. Resolves also when that failed. */
  now(): Promise<void>
  forget(of: Committable): void
  close(): void
}

const pauseAfterFault = 1000

export function createCommits(options: {
  everyMs: number
  timers: Timers
  commit: (offsets: TopicPartitionOffsetAndMetadata[]) => Promise<void>
  onError: (error: unknown) => void
}): Commits {
  const { everyMs, timers, commit, onError } = options
  const dirty = new Set<Committable>()
  const closed = new AbortController()
  let waiting = false
  let last: Promise<unknown> = Promise.resolve()

  /** Answers false when it failed. */
  async function write(): Promise<boolean> {
    const batch = [...dirty]
    dirty.clear()
    if (batch.length === 0) return true
    try {
      await commit(
        batch.map(({ topic, partition, handled }) => {
          const done = handled()
          return { topic, partition, offset: String(done.offset), metadata: encodedBeyond(done) }
        }),
      )
      return true
    } catch (error) {
      for (const each of batch) dirty.add(each)
      onError(error)
      return false
    }
  }

  function now(): Promise<boolean> {
    const writing = last.then(write)
    last = writing
    return writing
  }

  async function later(): Promise<void> {
    await timers.sleep(everyMs, closed.signal)
    waiting = false
    if (closed.signal.aborted || (await now())) return
    await timers.sleep(pauseAfterFault, closed.signal)
    start()
  }

  function start(): void {
    if (waiting || dirty.size === 0 || closed.signal.aborted) return
    waiting = true
    void later()
  }

  return {
    soon(of) {
      dirty.add(of)
      start()
    },
    async now() {
      await now()
    },
    forget(of) {
      dirty.delete(of)
    },
    close: () => closed.abort(),
  }
}
