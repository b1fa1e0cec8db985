import type { Artifacts } from '@assay/artifacts'
import { type Checkpoints, checkpointCollections, type EventStore } from '@assay/event-store'
import type { Timers } from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'

/** A store that does not answer within this time counts as unavailable. */
const timeoutMs = 2_000
/** A stream without events. Reading it is a check of the store. */
const emptyStream = 'system/readiness-none'

async function inTime(timers: Timers, work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const late = timers.sleep(timeoutMs, over.signal).then(() => {
    if (!over.signal.aborted) throw new AssayError('timeout', `It did not answer within ${timeoutMs / 1000} s.`)
  })
  // Avoids an unhandled rejection if the work fails after the timeout.
  work.catch(() => undefined)
  try {
    await Promise.race([work, late])
  } finally {
    over.abort()
  }
}

async function problemsOf(timers: Timers, sentence: string, check: () => Promise<unknown>): Promise<string[]> {
  try {
    await inTime(timers, check())
    return []
  } catch (error) {
    return [`${sentence}: ${messageOf(error)}`]
  }
}

/** A sentence if the read models do not answer, because without them no request can be served. */
export function readModelProblems(checkpoints: Pick<Checkpoints, 'get'>, timers: Timers): Promise<string[]> {
  const sentence = `The read models do not answer (${checkpointCollections[0].name})`
  return problemsOf(timers, sentence, () => checkpoints.get('readiness'))
}

/**
 * A sentence without secrets if the event store does not answer. This does not make a replica unready. All replicas
 * share the event store, so a load balancer would have no replica left. Then reads, which still work, would fail, too.
 */
export async function eventStoreDelays(store: Pick<EventStore, 'read'>, timers: Timers): Promise<string[]> {
  const found = await problemsOf(timers, 'It', () => store.read(emptyStream, { limit: 1 }))
  return found.map(() => 'The event store does not answer: reads are served, writes are refused.')
}

/** Checks whether the store of results answers; returns a sentence if not. Concurrent checks share one request. */
export function createResultsCheck(artifacts: Pick<Artifacts, 'check'>, timers: Timers): () => Promise<string[]> {
  let checking: Promise<void> | undefined
  const check = () => {
    // A hanging volume blocks each call, so there must be only one at a time.
    checking ??= artifacts.check().finally(() => {
      checking = undefined
    })
    return checking
  }
  return () => problemsOf(timers, 'The results do not answer', check)
}
