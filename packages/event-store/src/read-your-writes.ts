import type { Collection, Documents } from '@assay/documents'
import type { Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { comparePositions, type Position } from './port.ts'
import { positionsThere } from './positions-there.ts'

/** How long a request waits for what its caller has already seen at the service that owns it. */
const timeoutMs = 2_000
/** The same where later messages have come: what is missing is at most as far behind as one partition is to another. */
const passedTimeoutMs = 250
/** Of what is surely told, and may stand behind a whole queue. */
const publishedTimeoutMs = 10_000
const lookMs = 25
/** Who has looked that often looks every `slowLookMs` only: many who wait long must not keep the store busy. */
const quickLooks = 20
const slowLookMs = 250
/** Positions that were waited out, of which no other request waits. */
const remembered = 10_000
/** How long a message that failed counts as one that comes again: longer than the bus pauses between two tries. */
const failedMs = 60_000
/** Messages that failed, of which that is remembered. */
const failedRemembered = 1_000

/** What a request needs of the copies. */
export interface Wanted {
  tenant: string
  /** Positions of the owner's log that its caller has seen lately. None: nobody waits. */
  seen: readonly Position[] | undefined
  /** `position` of the copy that the request is about; `undefined` while there is none. */
  look: () => Promise<Position | undefined>
  signal: AbortSignal
  /** Each of these positions has a message: later ones having come is no reason to give up. */
  isPublished?: boolean
}

/** How far copies fed by the bus have followed their owner's log. */
export interface ReadYourWrites {
  /**
   * Does the work of a message. Messages of different keys may overtake each other, so a message that is under way, or
   * has failed and will be delivered again, does not count as reached. One that has failed and does not come again within
   * a minute was parked or went to another replica, and is no longer waited for.
   */
  follow(tenant: string, position: Position, work: () => Promise<void>): Promise<void>
  /**
   * Resolves when the copy at hand holds all that its caller has seen, or when waiting longer is of no use; the caller
   * then goes on with the copy as it is. A position is settled when the copy at hand is at or beyond it, or when another
   * copy is exactly at it, so that the caller saw that one. Otherwise it belongs to a message that is still to come, or
   * to an event without a message: one request waits for it on behalf of all, up to 2 s, or up to 250 ms where later
   * messages have come. With `isPublished` it is waited for up to 10 s. A look is one find for all positions.
   */
  waitForPosition(wanted: Wanted): Promise<void>
  /**
   * Throws `unavailable` where the copies lack what the caller has seen: what is not found here may be there. Asked after
   * `waitForPosition`, when nothing was found. A position that later messages have passed counts as reached.
   */
  assertReached(wanted: Wanted): Promise<void>
}

/**
 * `collection` holds the copies; its field `position` tells of which position each is. The copies are asked, not only
 * this process, because messages of other keys may come to another replica.
 */
export function createReadYourWrites<T>(deps: {
  documents: Pick<Documents, 'find'>
  timers: Pick<Timers, 'sleep'>
  collection: Collection<T>
  /** At which of the positions a copy in another collection, fed from the same log, stands exactly. */
  reachedElsewhere?: (tenant: string, positions: readonly Position[]) => Promise<ReadonlySet<Position>>
}): ReadYourWrites {
  const { documents, timers, collection, reachedElsewhere } = deps
  /** The latest position that was handled here, of each tenant. */
  const reached = new Map<string, Position>()
  const underWay = new Map<string, { tenant: string; position: Position }>()
  /** Marks of what has failed, oldest first, each with the end of its time. */
  const failed = new Map<string, AbortController>()
  const waitedOut = new Set<string>()
  const waiting = new Set<(tenant: string, position: Position) => void>()
  const markKey = (tenant: string, position: Position) => JSON.stringify([tenant, position])
  // Who gave up early has not waited for one who knows that a message comes.
  const waitKey = ({ tenant, isPublished = false }: Wanted, position: Position) =>
    JSON.stringify([tenant, position, isPublished])

  function isPassed(tenant: string, position: Position): boolean {
    const known = reached.get(tenant)
    if (known === undefined || comparePositions(known, position) < 0) return false
    const marks = [...underWay.values()]
    return !marks.some((mark) => mark.tenant === tenant && comparePositions(mark.position, position) <= 0)
  }

  /** Those of `seen` that neither the copy at hand nor another one has. */
  async function missing({ tenant, look }: Wanted, seen: readonly Position[]): Promise<Position[]> {
    const copy = await look()
    const later = seen.filter((position) => copy === undefined || comparePositions(copy, position) < 0)
    const here = await positionsThere(documents, collection, tenant, later)
    const left = later.filter((position) => !here.has(position))
    if (left.length === 0 || reachedElsewhere === undefined) return left
    const there = await reachedElsewhere(tenant, left)
    return left.filter((position) => !there.has(position))
  }

  /** The mark of what has failed stands until the message comes again, for a while. */
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

  /** Until a message that `concerns` was handled here, or it is time to look what other replicas have handled. */
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

  /** Looks again and again until nothing is missing. Answers what still is when waiting longer is of no use. */
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
        // The copy at hand may come to stand behind what is missing, by a later message of its key.
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
        // The bus brings the message again.
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
      const message = 'What was written a moment ago has not reached this service yet. Try again in a moment.'
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
