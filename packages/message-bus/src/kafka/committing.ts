import type { Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { TopicPartitionOffsetAndMetadata } from 'kafkajs'
import { encodedBeyond, type Handled } from './handled.ts'
import { withTimeout } from './with-timeout.ts'

export interface Committable {
  topic: string
  partition: number
  handled(): Handled
}

/** A batcher that commits handled messages after a short delay. Only one commit is in progress at a time. */
export interface Commits {
  soon(of: Committable): void
  /** Commits what is pending. Also resolves on failure. */
  now(): Promise<void>
  forget(of: Committable): void
  close(): void
}

const pauseAfterFault = 1000

export function createCommits(options: {
  everyMs: number
  /** A commit without an answer for this long counts as failed, so that it does not block the next consumer. */
  timeoutMs: number
  timers: Timers
  commit: (offsets: TopicPartitionOffsetAndMetadata[]) => Promise<void>
  onError: (error: unknown) => void
}): Commits {
  const { everyMs, timeoutMs, timers, commit, onError } = options
  const dirty = new Set<Committable>()
  /** Messages in the current commit, except for those that `forget` has removed. */
  let inProgress = new Set<Committable>()
  const closed = new AbortController()
  let waiting = false
  let last: Promise<unknown> = Promise.resolve()

  /** Returns false on failure. */
  async function write(): Promise<boolean> {
    if (dirty.size === 0) return true
    inProgress = new Set(dirty)
    dirty.clear()
    try {
      const offsets = [...inProgress].map(({ topic, partition, handled }) => {
        const done = handled()
        return { topic, partition, offset: String(done.offset), metadata: encodedBeyond(done) }
      })
      await answered(commit(offsets))
      return true
    } catch (error) {
      for (const each of inProgress) dirty.add(each)
      onError(error)
      return false
    } finally {
      inProgress = new Set()
    }
  }

  async function answered(committing: Promise<void>): Promise<void> {
    let isAnswered = false
    const answering = committing.then(() => {
      isAnswered = true
    })
    await withTimeout(timers, timeoutMs, answering)
    if (!isAnswered) throw new AssayError('unavailable', 'Kafka did not answer a commit.')
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
      // Another member may now have the partition, so a failed commit must not be retried.
      inProgress.delete(of)
    },
    close: () => closed.abort(),
  }
}
