import type { Artifacts } from '@assay/artifacts'
import { type Checkpoints, checkpointCollections, type EventStore } from '@assay/event-store'
import type { Timers } from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'

/** Timeout after which a store counts as not answering. */
const timeoutMs = 2_000
/** A stream that nobody writes to: reading it is only a check. */
const asked = 'system/readiness-none'

async function within(timers: Timers, work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const late = timers.sleep(timeoutMs, over.signal).then(() => {
    if (!over.signal.aborted) throw new AssayError('timeout', `It did not answer within ${timeoutMs / 1000} s.`)
  })
  // The loser of the race must not become an unhandled rejection.
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

/** A sentence for each store that does not answer. */
export async function storeProblems(
  { store, checkpoints }: { store: Pick<EventStore, 'read'>; checkpoints: Pick<Checkpoints, 'get'> },
  timers: Timers,
): Promise<string[]> {
  const looks: [string, () => Promise<unknown>][] = [
    ['The event store does not answer', () => store.read(asked, { limit: 1 })],
    [`The read models do not answer (${checkpointCollections[0].name})`, () => checkpoints.get('readiness')],
  ]
  const problems = await Promise.all(looks.map(([sentence, look]) => problemsOf(timers, sentence, look)))
  return problems.flat()
}

/** Checks whether the store of results answers; a sentence if it does not. Concurrent checks share one request. */
export function createResultsLook(artifacts: Pick<Artifacts, 'check'>, timers: Timers): () => Promise<string[]> {
  let look: Promise<void> | undefined
  const looking = () => {
    // A hanging volume blocks each call: do not call it again before it has answered.
    look ??= artifacts.check().finally(() => {
      look = undefined
    })
    return look
  }
  return () => problemsOf(timers, 'The results do not answer', looking)
}
