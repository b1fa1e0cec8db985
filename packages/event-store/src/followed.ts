import type { Collection, Documents } from '@assay/documents'
import type { Timers } from '@assay/service-kit'
import { comparePositions, type Position } from './port.ts'

/** How long a request waits for what its caller has already seen at the service that owns it. */
const patienceMs = 2_000
/** The same where later messages have come: what is missing is at most as far behind as one partition is to another. */
const shortPatienceMs = 250
/** Of what is surely told, and may stand behind a whole queue. */
const toldPatienceMs = 10_000
const lookMs = 25
/** Positions that were waited out, of which no other request waits. */
const remembered = 10_000

/** What a request needs of the copies. */
export interface Wanted {
  tenant: string
  /** Positions of the owner's log that its caller has seen lately. None: nobody waits. */
  seen: readonly Position[] | undefined
  /** `position` of the copy that the request is about; `undefined` while there is none. */
  look: () => Promise<Position | undefined>
  signal: AbortSignal
  /** Of each of these positions a message tells: that later ones have come is no reason to give up. */
  isTold?: boolean
}

/** How far copies fed by the bus have followed their owner's log. */
export interface Followed {
  /**
   * Does the work of a message. Messages of different keys may overtake each other, so what is under way, or has failed
   * and will come again, is not reached.
   */
  follow(tenant: string, position: Position, work: () => Promise<void>): Promise<void>
  /**
   * Resolves when the copy at hand holds all that its caller has seen, or when waiting longer is of no use: what is there
   * has to do. A position is done with when the copy at hand stands there or behind it, or when another copy stands
   * exactly there, so that it was the other one that was seen. Else it belongs to a message that is still to come, or
   * to an event of which no message tells: that is waited for up to 2 s, up to 250 ms where later messages have come, and
   * by one request for all. With `isTold` it is waited for up to 10 s.
   */
  reach(wanted: Wanted): Promise<void>
}

/**
 * `collection` holds the copies; its field `position` tells of which position each is. The copies are asked, not only
 * this process, because messages of other keys may come to another replica.
 */
export function createFollowed<T>(deps: {
  documents: Pick<Documents, 'find'>
  timers: Pick<Timers, 'sleep'>
  collection: Collection<T>
  /** Whether a copy in another collection, fed from the same log, stands exactly there. */
  standsElsewhere?: (tenant: string, position: Position) => Promise<boolean>
}): Followed {
  const { documents, timers, collection, standsElsewhere } = deps
  /** The latest position that was handled here, of each tenant. */
  const reached = new Map<string, Position>()
  const underWay = new Map<string, { tenant: string; position: Position }>()
  const waitedOut = new Set<string>()
  const waiting = new Set<() => void>()
  const markKey = (tenant: string, position: Position) => JSON.stringify([tenant, position])

  function isPassed(tenant: string, position: Position): boolean {
    const known = reached.get(tenant)
    if (known === undefined || comparePositions(known, position) < 0) return false
    const marks = [...underWay.values()]
    return !marks.some((mark) => mark.tenant === tenant && comparePositions(mark.position, position) <= 0)
  }

  async function standsAt(tenant: string, position: Position): Promise<boolean> {
    const found = await documents.find(collection, tenant, { where: [{ field: 'position', is: position }], size: 1 })
    return found.documents.length > 0 || (await standsElsewhere?.(tenant, position)) === true
  }

  /** Those of `seen` that neither the copy at hand nor another one has. */
  async function missing({ tenant, look }: Wanted, seen: readonly Position[]): Promise<Position[]> {
    const copy = await look()
    const later = seen.filter((position) => copy === undefined || comparePositions(copy, position) < 0)
    const isThere = await Promise.all(later.map((position) => standsAt(tenant, position)))
    return later.filter((_, index) => !isThere[index])
  }

  function waitOut(tenant: string, positions: readonly Position[]): void {
    for (const position of positions) waitedOut.add(markKey(tenant, position))
    for (const oldest of waitedOut) {
      if (waitedOut.size <= remembered) return
      waitedOut.delete(oldest)
    }
  }

  /** Until a message was handled here, or it is time to look what other replicas have handled. */
  async function pause(signal: AbortSignal): Promise<void> {
    const woken = new AbortController()
    const wake = () => woken.abort()
    waiting.add(wake)
    await timers.sleep(lookMs, AbortSignal.any([woken.signal, signal]))
    waiting.delete(wake)
  }

  /** Looks again and again until nothing is missing. Answers what still is when waiting longer is of no use. */
  async function wait(wanted: Wanted, first: readonly Position[], signal: AbortSignal): Promise<readonly Position[]> {
    const passed = { short: false, long: false }
    const { isTold = false } = wanted
    void timers.sleep(shortPatienceMs, signal).then(() => {
      passed.short = !isTold
    })
    void timers.sleep(isTold ? toldPatienceMs : patienceMs, signal).then(() => {
      passed.long = true
    })
    let left = first
    while (left.length > 0 && !signal.aborted && !passed.long) {
      if (passed.short && left.every((position) => isPassed(wanted.tenant, position))) break
      await pause(signal)
      left = await missing(wanted, left)
    }
    return left
  }

  return {
    async follow(tenant, position, work) {
      const key = markKey(tenant, position)
      underWay.set(key, { tenant, position })
      // A failure leaves the mark: the bus brings the message again.
      await work()
      const known = reached.get(tenant)
      if (known === undefined || comparePositions(position, known) > 0) reached.set(tenant, position)
      underWay.delete(key)
      for (const wake of [...waiting]) wake()
    },
    async reach(wanted) {
      const { tenant, seen = [], signal } = wanted
      const open = seen.filter((position) => !waitedOut.has(markKey(tenant, position)))
      if (open.length === 0) return
      const first = await missing(wanted, open)
      if (first.length === 0) return
      const over = new AbortController()
      const left = await wait(wanted, first, AbortSignal.any([over.signal, signal])).finally(() => over.abort())
      if (!signal.aborted) waitOut(tenant, left)
    },
  }
}
