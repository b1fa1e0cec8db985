import type { Artifacts } from '@assay/artifacts'
import { type Checkpoints, checkpointCollections, type EventStore } from '@assay/event-store'
import type { Timers } from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'

/** Timeout after which a store counts as not answering. */
const timeoutMs = 2_000
/** A stream that nobody writes to, read only as a check. */
const asked = 'system/readiness-none'

async function within(timers: Timers, work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const late = timers.sleep(timeoutMs, over.signal).then(() => {
    if (!over.signal.aborted) throw new AssayError('timeout', `It did not answer within ${timeoutMs / 1000} s.`)
  })
  // If the work fails after the timeout, that must not become an unhandled rejection.
  work.catch(() => undefined)
  try {
    await Promise.race([work, late])
  } finally {
    over.abort()
  }
}

async function problemsOf(timers: Timers, sentence: string, look: () => Promise<unknown>): Promise<string[]> {
  try {
    await within(timers, look())
    return []
  } catch (error) {
    return [`${sentence}: ${messageOf(error)}`]
  }
}

/** A sentence if the read models do not answer: without them no request can be served. */
export function readModelProblems(checkpoints: Pick<Checkpoints, 'get'>, timers: Timers): Promise<string[]> {
  const sentence = `The read models do not answer (${checkpointCollections[0].name})`
  return problemsOf(timers, sentence, () => checkpoints.get('readiness'))
}

/**
 * A sentence, which everybody may read, if the event store does not answer. All replicas share it: if that made them
 * unready, a balancer would have none left, and the reads that still work would be refused as well.
 */
export async function eventStoreDelays(store: Pick<EventStore, 'read'>, timers: Timers): Promise<string[]> {
  const found = await problemsOf(timers, 'It', () => store.read(asked, { limit: 1 }))
  return found.map(() => 'The event store does not answer: reads are served, writes are refused.')
}

/** Checks whether the store of results answers; a sentence if it does not. Concurrent checks share one request. */
export function createResultsLook(artifacts: Pick<Artifacts, 'check'>, timers: Timers): () => Promise<string[]> {
  let look: Promise<void> | undefined
  const looking = () => {
    // A hanging volume blocks each call, so there must be only one at a time.
    look ??= artifacts.check().finally(() => {
      look = undefined
    })
    return look
  }
  return () => problemsOf(timers, 'The results do not answer', looking)
}
