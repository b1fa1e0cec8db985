import type { Collection, Documents } from '@assay/documents'
import type { Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { comparePositions, type Position } from './port.ts'
import { reachedPositions } from './reached-positions.ts'
import { isLogPosition, type WaitForStreams } from './written-stream.ts'

/** How long a request waits for positions that its caller has seen at the owning service. */
const timeoutMs = 2_000
/** Timeout if later messages have arrived. A missing message can be late only by the lag between two partitions. */
const passedTimeoutMs = 250
/** Timeout for positions that are known to have a message, which may be at the end of a long queue. */
const publishedTimeoutMs = 10_000
const checkMs = 25
/**
 * After this many quick checks, a request checks only every `slowCheckMs`, so that many waiting requests do not
 * overload the store.
 */
const quickChecks = 20
const slowCheckMs = 250
/**
 * Maximum number of remembered positions that never arrived. Once a wait for a position timed out, no request waits for
 * it.
 */
const maxTimedOut = 10_000
/** How long a redelivery of a failed message is awaited: longer than the bus pauses between two attempts. */
const failedMs = 60_000
/** Maximum number of remembered failed messages. */
const maxFailed = 1_000

/** The positions that a request needs in the local read model. */
export interface PositionWait {
  tenant: string
  /**
   * What the caller has recently seen of the owner: positions in its log, and streams with their revisions (`tag-12@3`).
   * If there are none, the request does not wait.
   */
  seen: readonly string[] | undefined
  /** The `position` of the document that the request needs, if there is one. Omitted if it needs no single document. */
  readPosition?: () => Promise<Position | undefined>
  signal: AbortSignal
  /** Each of these positions has a message, so the wait continues even if later messages have arrived. */
  isPublished?: boolean
}

/** Read-your-writes across services: waits until a local read model has reached a position in the owner's log. */
export interface ReadYourWrites {
  /**
   * Runs `work` for a message. Messages of different keys may overtake each other, so a position does not count as
   * passed while an earlier message is in progress, or has failed and will be redelivered. A failed message that is not
   * redelivered within a minute was parked or went to another replica, so requests no longer wait for it.
   */
  follow(tenant: string, position: Position, work: () => Promise<void>): Promise<void>
  /**
   * Resolves when the document includes everything that its caller has seen, or after a timeout; the caller then
   * continues with the document as it is. A position is reached if the document is at or after it. It is also reached
   * if another document is exactly at it, because then the caller saw the other document. Otherwise its message is
   * still to come, or its event has no message. A request waits up to 2 s, or up to 250 ms if later messages have
   * arrived; with `isPublished`, up to 10 s. After a timeout, no other request waits for that position. A check is one
   * query for all positions. Streams are awaited by `waitForStreams`.
   */
  waitForPosition(wanted: PositionWait): Promise<void>
  /**
   * Throws `unavailable` if the read model has not reached the positions that the caller has seen. A position that
   * later messages have passed counts as reached. Call it if nothing was found after `waitForPosition`, because the
   * document may still arrive.
   */
  assertReached(wanted: PositionWait): Promise<void>
}

/**
 * `collection` is the local read model; its field `position` has the position of each document. Documents are queried
 * as well, because another replica may have handled the message.
 */
export function createReadYourWrites<T>(deps: {
  documents: Pick<Documents, 'find'>
  timers: Pick<Timers, 'sleep'>
  collection: Collection<T>
  /** The positions that another collection, fed from the same log, has reached exactly. */
  reachedElsewhere?: (tenant: string, positions: readonly Position[]) => Promise<ReadonlySet<Position>>
  /** Waits for the copies of the owner's streams that are not in `collection`. */
  waitForStreams?: WaitForStreams
}): ReadYourWrites {
  const { documents, timers, collection, reachedElsewhere, waitForStreams } = deps
  /** The latest position handled here, per tenant. */
  const reached = new Map<string, Position>()
  const inProgress = new Map<string, { tenant: string; position: Position }>()
  /** Failed messages, oldest first, each with the controller that stops its timer. */
  const failed = new Map<string, AbortController>()
  const timedOut = new Set<string>()
  const waiting = new Set<(tenant: string, position: Position) => void>()
  const messageKey = (tenant: string, position: Position) => JSON.stringify([tenant, position])
  // Requests with and without `isPublished` wait for different times.
  const waitKey = ({ tenant, isPublished = false }: PositionWait, position: Position) =>
    JSON.stringify([tenant, position, isPublished])

  function isPassed(tenant: string, position: Position): boolean {
    const known = reached.get(tenant)
    if (known === undefined || comparePositions(known, position) < 0) return false
    const earlier = [...inProgress.values()]
    return !earlier.some((message) => message.tenant === tenant && comparePositions(message.position, position) <= 0)
  }

  /** The positions in `seen` that no document has reached. */
  async function missing({ tenant, readPosition }: PositionWait, seen: readonly Position[]): Promise<Position[]> {
    const copy = await readPosition?.()
    const later = seen.filter((position) => copy === undefined || comparePositions(copy, position) < 0)
    const here = await reachedPositions(documents, collection, tenant, later)
    const left = later.filter((position) => !here.has(position))
    if (left.length === 0 || reachedElsewhere === undefined) return left
    const there = await reachedElsewhere(tenant, left)
    return left.filter((position) => !there.has(position))
  }

  /** Remembers a failed message until it is redelivered, for a minute at most. */
  function rememberFailure(key: string): void {
    const over = new AbortController()
    failed.set(key, over)
    const forget = (oldest: string) => {
      failed.get(oldest)?.abort()
      failed.delete(oldest)
      inProgress.delete(oldest)
    }
    void timers.sleep(failedMs, over.signal).then(() => {
      if (!over.signal.aborted) forget(key)
    })
    const [oldest] = failed.keys()
    if (failed.size > maxFailed && oldest !== undefined) forget(oldest)
  }

  function rememberTimeout(wanted: PositionWait, positions: readonly Position[]): void {
    for (const position of positions) timedOut.add(waitKey(wanted, position))
    for (const oldest of timedOut) {
      if (timedOut.size <= maxTimedOut) return
      timedOut.delete(oldest)
    }
  }

  /**
   * Resolves once a message for which `concerns` is true was handled here, or after `milliseconds`: another replica may
   * handle the message.
   */
  async function pause(
    milliseconds: number,
    signal: AbortSignal,
    concerns: (tenant: string, position: Position) => boolean,
  ): Promise<void> {
    const woken = new AbortController()
    const wake = (tenant: string, position: Position) => {
      if (concerns(tenant, position)) woken.abort()
    }
    waiting.add(wake)
    await timers.sleep(milliseconds, AbortSignal.any([woken.signal, signal]))
    waiting.delete(wake)
  }

  /** Checks repeatedly until no position is missing, or until a timeout. Returns the missing positions. */
  async function wait(
    wanted: PositionWait,
    first: readonly Position[],
    signal: AbortSignal,
  ): Promise<readonly Position[]> {
    const passed = { short: false, long: false }
    const { isPublished = false } = wanted
    void timers.sleep(passedTimeoutMs, signal).then(() => {
      passed.short = !isPublished
    })
    void timers.sleep(isPublished ? publishedTimeoutMs : timeoutMs, signal).then(() => {
      passed.long = true
    })
    let left = first
    for (let checks = 0; left.length > 0 && !signal.aborted && !passed.long; checks++) {
      if (passed.short && left.every((position) => isPassed(wanted.tenant, position))) break
      const isQuick = checks < quickChecks
      const missed = left
      await pause(isQuick ? checkMs : slowCheckMs, signal, (tenant, position) => {
        // A later message of the same key may bring the document past a missing position.
        return tenant === wanted.tenant && (isQuick || missed.includes(position))
      })
      left = await missing(wanted, left)
    }
    return left
  }

  async function waitForLog(wanted: PositionWait): Promise<void> {
    const { seen = [], signal } = wanted
    const open = seen.filter((position) => isLogPosition(position) && !timedOut.has(waitKey(wanted, position)))
    if (open.length === 0) return
    const first = await missing(wanted, open)
    if (first.length === 0) return
    const over = new AbortController()
    const left = await wait(wanted, first, AbortSignal.any([over.signal, signal])).finally(() => over.abort())
    if (!signal.aborted) rememberTimeout(wanted, left)
  }

  return {
    async follow(tenant, position, work) {
      const key = messageKey(tenant, position)
      failed.get(key)?.abort()
      failed.delete(key)
      inProgress.set(key, { tenant, position })
      try {
        await work()
      } catch (error) {
        // The bus redelivers the message.
        rememberFailure(key)
        throw error
      }
      const known = reached.get(tenant)
      if (known === undefined || comparePositions(position, known) > 0) reached.set(tenant, position)
      inProgress.delete(key)
      for (const wake of [...waiting]) wake(tenant, position)
    },
    async assertReached(wanted) {
      const { tenant } = wanted
      const seen = wanted.seen?.filter(isLogPosition) ?? []
      const left = seen.length === 0 ? [] : await missing(wanted, seen)
      if (left.every((position) => isPassed(tenant, position))) return
      const message = 'A recent write has not reached this service yet. Try again in a moment.'
      throw new AssayError('unavailable', message, { retryAfterSeconds: 1 })
    },
    async waitForPosition(wanted) {
      await Promise.all([waitForLog(wanted), waitForStreams?.(wanted)])
    },
  }
}
