import type { Collection, Documents } from '@assay/documents'
import type { Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { comparePositions, type Position } from './port.ts'
import { positionsThere } from './positions-there.ts'

/** How long a request waits for positions that its caller has seen at the owning service. */
const timeoutMs = 2_000
/**
 * The same if later messages have arrived: the missing one can only be late by the difference between two partitions.
 */
const passedTimeoutMs = 250
/** The same for positions that are known to have a message, which may be at the end of a long queue. */
const publishedTimeoutMs = 10_000
const lookMs = 25
/**
 * After this many quick checks, a request checks only every `slowLookMs`: many waiting requests must not overload the
 * store.
 */
const quickLooks = 20
const slowLookMs = 250
/** Positions that were waited for in vain; no other request waits for them. */
const remembered = 10_000
/** How long a redelivery of a failed message is expected: longer than the bus pauses between two attempts. */
const failedMs = 60_000
/** Maximum number of failed messages remembered. */
const failedRemembered = 1_000

/** The positions that a request needs in the local read model. */
export interface Wanted {
  tenant: string
  /** Positions in the owner's log that its caller has recently seen. None: no wait. */
  seen: readonly Position[] | undefined
  /** The `position` of the document that the request needs; `undefined` while there is none. */
  look: () => Promise<Position | undefined>
  signal: AbortSignal
  /** Each of these positions has a message, so later messages are no reason to give up. */
  isPublished?: boolean
}

/** Read-your-writes across services: waits until a local read model has reached a position in the owner's log. */
export interface ReadYourWrites {
  /**
   * Runs the work of a message. Messages of different keys may overtake each other, so one in progress, or one that has
   * failed and will be redelivered, does not count as reached. One that has failed and does not come again within a
   * minute was parked or went to another replica, and is no longer waited for.
   */
  follow(tenant: string, position: Position, work: () => Promise<void>): Promise<void>
  /**
   * Resolves when the document includes everything that its caller has seen, or when waiting longer is useless; the
   * caller then continues with the document as it is. A position is reached if the document is at or after it, or
   * another document is exactly at it, because then the caller saw that one. Otherwise its message is still to come, or
   * its event has none: one request waits for it on behalf of all, up to 2 s, or up to 250 ms if later messages have
   * arrived. With `isPublished` it waits up to 10 s. A check is one query for all positions.
   */
  waitForPosition(wanted: Wanted): Promise<void>
  /**
   * Throws `unavailable` if the read model lacks what the caller has seen, because something that was not found may
   * still arrive. Call it after `waitForPosition`, if nothing was found. A position that later messages have passed
   * counts as reached.
   */
  assertReached(wanted: Wanted): Promise<void>
}

/**
 * `collection` is the local read model; its field `position` has the position of each document. The documents are
 * checked, not only this process, because another replica may handle messages of other keys.
 */
export function createReadYourWrites<T>(deps: {
  documents: Pick<Documents, 'find'>
  timers: Pick<Timers, 'sleep'>
  collection: Collection<T>
  /** The positions that another collection, fed from the same log, has reached exactly. */
  reachedElsewhere?: (tenant: string, positions: readonly Position[]) => Promise<ReadonlySet<Position>>
}): ReadYourWrites {
  const { documents, timers, collection, reachedElsewhere } = deps
  /** The latest position handled here, per tenant. */
  const reached = new Map<string, Position>()
  const underWay = new Map<string, { tenant: string; position: Position }>()
  /** Failed messages, oldest first, each with the timer that forgets it. */
  const failed = new Map<string, AbortController>()
  const waitedOut = new Set<string>()
  const waiting = new Set<(tenant: string, position: Position) => void>()
  const markKey = (tenant: string, position: Position) => JSON.stringify([tenant, position])
  // A request with the shorter time limit has not waited as long as one that knows that there is a message.
  const waitKey = ({ tenant, isPublished = false }: Wanted, position: Position) =>
    JSON.stringify([tenant, position, isPublished])

  function isPassed(tenant: string, position: Position): boolean {
    const known = reached.get(tenant)
    if (known === undefined || comparePositions(known, position) < 0) return false
    const marks = [...underWay.values()]
    return !marks.some((mark) => mark.tenant === tenant && comparePositions(mark.position, position) <= 0)
  }

  /** The positions in `seen` that no document has reached. */
  async function missing({ tenant, look }: Wanted, seen: readonly Position[]): Promise<Position[]> {
    const copy = await look()
    const later = seen.filter((position) => copy === undefined || comparePositions(copy, position) < 0)
    const here = await positionsThere(documents, collection, tenant, later)
    const left = later.filter((position) => !here.has(position))
    if (left.length === 0 || reachedElsewhere === undefined) return left
    const there = await reachedElsewhere(tenant, left)
    return left.filter((position) => !there.has(position))
  }

  /** Remembers a failed message for a while, until it comes again. */
  function keepMark(key: string): void {
    const over = new AbortController()
    failed.set(key, over)
    const forget = (oldest: string) => {
      failed.get(oldest)?.abort()
      failed.delete(oldest)
      underWay.delete(oldest)
    }
    void timers.sleep(failedMs, over.signal).then(() => {
      if (!over.signal.aborted) forget(key)
    })
    const [oldest] = failed.keys()
    if (failed.size > failedRemembered && oldest !== undefined) forget(oldest)
  }

  function waitOut(wanted: Wanted, positions: readonly Position[]): void {
    for (const position of positions) waitedOut.add(waitKey(wanted, position))
    for (const oldest of waitedOut) {
      if (waitedOut.size <= remembered) return
      waitedOut.delete(oldest)
    }
  }

  /**
   * Until a message for which `concerns` is true was handled here, or it is time to check what other replicas have
   * handled.
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

  /** Checks repeatedly until nothing is missing. Answers what is still missing when waiting longer is useless. */
  async function wait(wanted: Wanted, first: readonly Position[], signal: AbortSignal): Promise<readonly Position[]> {
    const passed = { short: false, long: false }
    const { isPublished = false } = wanted
    void timers.sleep(passedTimeoutMs, signal).then(() => {
      passed.short = !isPublished
    })
    void timers.sleep(isPublished ? publishedTimeoutMs : timeoutMs, signal).then(() => {
      passed.long = true
    })
    let left = first
    for (let looks = 0; left.length > 0 && !signal.aborted && !passed.long; looks++) {
      if (passed.short && left.every((position) => isPassed(wanted.tenant, position))) break
      const isQuick = looks < quickLooks
      const missed = left
      await pause(isQuick ? lookMs : slowLookMs, signal, (tenant, position) => {
        // A later message of the same key may bring the document past a missing position.
        return tenant === wanted.tenant && (isQuick || missed.includes(position))
      })
      left = await missing(wanted, left)
    }
    return left
  }

  return {
    async follow(tenant, position, work) {
      const key = markKey(tenant, position)
      failed.get(key)?.abort()
      failed.delete(key)
      underWay.set(key, { tenant, position })
      try {
        await work()
      } catch (error) {
        // The bus redelivers the message.
        keepMark(key)
        throw error
      }
      const known = reached.get(tenant)
      if (known === undefined || comparePositions(position, known) > 0) reached.set(tenant, position)
      underWay.delete(key)
      for (const wake of [...waiting]) wake(tenant, position)
    },
    async assertReached(wanted) {
      const { tenant, seen = [] } = wanted
      const left = seen.length === 0 ? [] : await missing(wanted, seen)
      if (left.every((position) => isPassed(tenant, position))) return
      const message = 'A recent write has not reached this service yet. Try again in a moment.'
      throw new AssayError('unavailable', message, { retryAfterSeconds: 1 })
    },
    async waitForPosition(wanted) {
      const { seen = [], signal } = wanted
      const open = seen.filter((position) => !waitedOut.has(waitKey(wanted, position)))
      if (open.length === 0) return
      const first = await missing(wanted, open)
      if (first.length === 0) return
      const over = new AbortController()
      const left = await wait(wanted, first, AbortSignal.any([over.signal, signal])).finally(() => over.abort())
      if (!signal.aborted) waitOut(wanted, left)
    },
  }
}
