import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { AssayError } from '@assay/service-kit/errors'
import type { TrinoSource } from '../dataset.ts'
import type { StartedStatement, StartedStatements } from '../started-statements.ts'
import type { TrinoClient } from './client.ts'

/** When a statement has run long enough to be noted. */
export interface Pace {
  /** Noted once, so that a worker that takes over can cancel it. */
  cancellableAfterMs: number
  /** Noted before each further request, so that a worker that takes over can continue it. */
  resumableAfterMs: number
}

export const usualPace: Pace = { cancellableAfterMs: 2_000, resumableAfterMs: 20_000 }

/** Pauses between requests, as a part of the time so far: each request of a resumable statement costs an event. */
const pauseShare = 0.05
const longestPauseMs = 15_000

/**
 * The address of the next part of a running statement. The server gives the current part again, and the next one, but no
 * others. Each address has a key of its own.
 */
const executing = /^\/v1\/statement\/executing\/\w+\/\w+\/\d+$/

/** One statement on its way to its rows. */
export interface Tracked {
  /**
   * Waits until the next part may be requested. `hasRows`: rows were given out, so that nobody else could continue the
   * statement. Rejects if another worker has taken over.
   */
  beforePart(nextUri: string, hasRows: boolean, signal: AbortSignal): Promise<void>
  /** Whether the statement may be cancelled: another worker that has taken over may be reading it. */
  mayCancel(): Promise<boolean>
}

/** The statements of a session that other workers may continue. */
export interface Started {
  /** A statement that an earlier worker began and left, and the address at which it continues. */
  left(statement: string): { address: string; tracked: Tracked } | undefined
  begun(statement: string): Tracked
  /** Cancels statements of an earlier worker at this server that were not continued. */
  cancelLeft(): Promise<void>
}

/** The statements of a session at a server. */
export function startedAt(
  { url, user }: Pick<TrinoSource, 'url' | 'user'>,
  client: Pick<TrinoClient, 'cancel'>,
  statements: StartedStatements,
  pace: Pace,
): Started {
  const { origin } = new URL(url)
  const digestOf = (statement: string) =>
    createHash('sha256')
      .update(JSON.stringify([origin, user, statement]))
      .digest('hex')
  const isHere = ({ reference }: StartedStatement) =>
    URL.canParse(reference) && new URL(reference).origin === origin && addressOf(reference) !== undefined

  /** The address at the configured server; `undefined` while the statement is queued. */
  function addressOf(nextUri: string): string | undefined {
    const { pathname, search } = new URL(nextUri)
    return executing.test(pathname) && search === '' ? `${origin}${pathname}` : undefined
  }

  async function cancelLeft(): Promise<void> {
    const left = statements.left().filter(isHere)
    if (left.length === 0 || !(await statements.isOurs())) return
    for (const one of left) statements.take(one)
    await Promise.all(left.map(({ reference }) => client.cancel(reference)))
  }

  /** `isNoted`: an earlier worker has begun it. */
  function tracked(digest: string, isNoted: boolean): Tracked {
    const beganAt = performance.now()
    let known = isNoted
    let isGivenOut = false
    return {
      async beforePart(nextUri, hasRows, signal) {
        if (hasRows) {
          // Two workers that both read the rows would each miss some.
          if (known && !isGivenOut && !(await statements.isOurs())) throw displaced()
          isGivenOut = true
          return
        }
        const reference = addressOf(nextUri)
        const hereMs = performance.now() - beganAt
        const ranMs = hereMs + (isNoted ? pace.resumableAfterMs : 0)
        const isResumable = ranMs >= pace.resumableAfterMs
        if (reference === undefined || (!isResumable && (known || ranMs < pace.cancellableAfterMs))) return
        // By now, all statements that run at the same time have begun.
        if (hereMs >= pace.resumableAfterMs) await cancelLeft()
        if (isResumable) await wait(Math.min(longestPauseMs, ranMs * pauseShare), undefined, { signal })
        await statements.note({ digest, reference })
        known = true
      },
      mayCancel: async () => !known || (await statements.isOurs()),
    }
  }

  return {
    left(statement) {
      const digest = digestOf(statement)
      const found = statements.left().find((one) => one.digest === digest && isHere(one))
      if (found === undefined) return undefined
      statements.take(found)
      return { address: found.reference, tracked: tracked(digest, true) }
    },
    begun: (statement) => tracked(digestOf(statement), false),
    cancelLeft,
  }
}

const displaced = () => new AssayError('unavailable', 'Another worker has taken over the work on this statement.')
