import type { Clock, Timers } from '@assay/service-kit'
import { AssayError, isAssayError, isTransient } from '@assay/service-kit/errors'
import type { Append, Commit } from './commit.ts'
import type { Appended, EventStore } from './port.ts'

const tries = 10
/**
 * No retry begins later than this after the first attempt. With the deadline of the last attempt, the total stays
 * within a request's 30 s.
 */
const timeoutMs = 15_000
const firstPauseMs = 50
const longestPauseMs = 2_000

interface Deps {
  store: Pick<EventStore, 'read'>
  clock: Clock
  timers: Pick<Timers, 'sleep'>
}

function stillUnknown(cause: unknown): AssayError {
  const text = 'The event store did not confirm this change, which may have happened. Read again before repeating it.'
  return new AssayError('unknown-outcome', text, { cause })
}

/**
 * The result of an append whose answer was lost and whose retry met a `conflict`; `undefined` if the stream has other
 * events at that revision.
 */
async function found({ store }: Deps, { stream, events, expected }: Append): Promise<Appended | undefined> {
  if (expected === 'any' || expected === 'exists') return undefined
  const from = expected === 'none' ? 0 : expected + 1
  const read = await store.read(stream, { from, limit: events.length })
  const isOurs = events.every(({ id }, index) => read.events[index]?.id === id)
  const last = read.events.at(-1)
  return isOurs && last !== undefined ? { revision: last.revision, position: last.position } : undefined
}

/**
 * Runs an append, and retries it with pauses while its outcome is unknown. Retries are safe, because they have the same
 * ids and the same expected revision. Makes at most ten attempts and starts none later than 15 s after the first. Once
 * an outcome is unknown it stays unknown, even if a later attempt fails with another error: an unreachable server, for
 * example, says nothing about the first attempt. Throws the errors of `attempt`, and `unknown-outcome`.
 */
export async function appendAgain(deps: Deps, append: Append, attempt: () => Promise<Appended>): Promise<Appended> {
  const { clock, timers } = deps
  const until = clock.now() + timeoutMs
  let unknown = false
  for (let count = 1; ; count++) {
    let trouble: unknown
    try {
      return await attempt()
    } catch (error) {
      unknown ||= isAssayError(error, 'unknown-outcome')
      if (!unknown) throw error
      trouble = error
    }
    if (isAssayError(trouble, 'conflict')) {
      const happened = await found(deps, append).catch((error: unknown) => {
        throw stillUnknown(error)
      })
      if (happened === undefined) throw trouble
      return happened
    }
    const pauseMs = Math.min(firstPauseMs * 2 ** (count - 1), longestPauseMs)
    if (!isTransient(trouble) || count === tries || clock.now() + pauseMs > until) throw stillUnknown(trouble)
    await timers.sleep(pauseMs)
  }
}

/** `store`, with retries of appends whose outcome is unknown (`appendAgain`). */
export function withKnownOutcomes(store: EventStore, ambient: Omit<Deps, 'store'>): EventStore {
  const deps = { ...ambient, store }
  return {
    ...store,
    append: (stream, events, expected) =>
      appendAgain(deps, { stream, events, expected }, () => store.append(stream, events, expected)),
  }
}

/**
 * Like `withKnownOutcomes`, for a `commit` that does not append through an `EventStore`, such as one that writes events
 * and documents in one transaction.
 */
export function withKnownOutcomesOf(commit: Commit, deps: Deps): Commit {
  return (append, puts) => appendAgain(deps, append, () => commit(append, puts))
}
