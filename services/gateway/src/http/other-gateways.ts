import { type Documents, defineCollection, documentPut } from '@assay/documents'
import { type Clock, type Logger, messageOf, type NewId, type Timers } from '@assay/service-kit'
import { z } from 'zod'
import { systemTenant } from '../dependencies.ts'
import { hashOf } from '../keys/key-text.ts'

const beatMs = 1_000
/** What was read of the others longer ago is not relied on. */
const reliedOnMs = 2_000
/** A gateway that has not beaten for so long is gone. Far more than a store is away for, and than clocks differ. */
const livingMs = 300_000
/** Of one that ends by itself: what it told last is kept no longer. */
const leavingMs = 15_000
/** Behind a gap of this, the others get the time of some beats before one believes that there are none. */
const gapMs = 60_000
/** More gateways than there are at once, with those that ended in the last minutes. */
const numbers = Array.from({ length: 32 }, (_, number) => number)

const beat = z.object({ owner: z.string(), at: z.int() })
type Beat = z.infer<typeof beat>

/** Which gateways live, by their numbers. No event tells of it: a rebuild leaves it as it is. */
export const gatewayBeats = defineCollection<Beat>({
  name: 'gateway_beats',
  version: 1,
  idType: 'text',
  schema: beat,
  fields: {},
})

/** Who else is a gateway of this Assay. Each has a number, under which it writes what it tells the others. */
export interface OtherGateways {
  readonly own: number
  /** Surely there is no other. */
  isAlone(): boolean
  /** Those of the others that live, or all that may. */
  numbers(): readonly number[]
  /** Resolves once every other gateway looks at what this one writes: two seconds behind its start. */
  known(): Promise<void>
  /** Takes a number and beats from then on; `onBeat` is called behind each beat. Rejects where the store does not answer. */
  start(onBeat?: () => void): Promise<void>
  /** The others look at what this one wrote for some seconds more. */
  stop(): Promise<void>
}

export function createOtherGateways(deps: {
  documents: Pick<Documents, 'get' | 'put'>
  clock: Clock
  timers: Timers
  newId: NewId
  logger: Logger
}): OtherGateways {
  const { documents, clock, timers, newId, logger } = deps
  const owner = newId()
  let own = 0
  let revision = 0
  let knownFrom = Number.POSITIVE_INFINITY
  let others: readonly number[] = numbers
  let readAt = Number.NEGATIVE_INFINITY
  let reliedFrom = 0
  let beating: Promise<void> | undefined
  let timer: { stop(): void } | undefined

  async function read(): Promise<Map<number, Beat>> {
    const found = await Promise.all(
      numbers.map(async (number) => [number, await documents.get(gatewayBeats, systemTenant, String(number))] as const),
    )
    return new Map(found.flatMap(([number, stored]) => (stored === undefined ? [] : [[number, stored.document]])))
  }

  /** One that nobody has, by chance, so that gateways that start together rarely take the same; else the oldest. */
  function freeOf(beats: ReadonlyMap<number, Beat>): number {
    const since = clock.now() - livingMs
    const ages = numbers.map((number) => ({ number, at: beats.get(number)?.at ?? 0 }))
    const free = ages.filter(({ at }) => at <= since)
    const chance = Number.parseInt(hashOf(newId()).slice(0, 8), 16)
    return (free[chance % free.length] ?? ages.toSorted((left, right) => left.at - right.at)[0])?.number ?? 0
  }

  async function put(at = clock.now()): Promise<void> {
    revision = Math.max(revision + 1, clock.now())
    const document = { owner, at }
    await documents.put([documentPut(gatewayBeats, systemTenant, String(own), document, { revision, position: '' })])
  }

  /** The put comes first: of two gateways that begin, at least one sees the other. */
  async function beatOnce(): Promise<void> {
    await put()
    knownFrom = Math.min(knownFrom, clock.now() + reliedOnMs)
    const began = clock.now()
    const beats = await read()
    if (Number.isFinite(readAt) && began - readAt > gapMs) reliedFrom = began + beatMs + reliedOnMs
    const living = [...beats].filter(([, { owner: of, at }]) => of !== owner && at > began - livingMs)
    others = living.map(([number]) => number)
    readAt = began
    if (beats.get(own)?.owner === owner) return
    // Another has taken the same number. Until a later beat says who is there, it is not believed that nobody is.
    own = freeOf(beats)
    reliedFrom = began + beatMs + reliedOnMs
    knownFrom = Number.POSITIVE_INFINITY
    await put()
    knownFrom = clock.now() + reliedOnMs
  }

  async function tried(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      logger.debug({ error: messageOf(error) }, 'this gateway could not tell the others whether it lives')
    }
  }

  function beatAgain(onBeat: () => void): void {
    beating ??= tried(async () => {
      await beatOnce()
      onBeat()
    }).finally(() => {
      beating = undefined
    })
  }

  function isReliable(): boolean {
    const now = clock.now()
    return now >= reliedFrom && now - readAt < reliedOnMs
  }

  return {
    get own() {
      return own
    },
    isAlone: () => others.length === 0 && isReliable(),
    numbers: () => (isReliable() ? others : numbers.filter((number) => number !== own)),
    async known() {
      const wait = Math.min(knownFrom - clock.now(), reliedOnMs)
      if (wait > 0) await timers.sleep(wait)
    },
    async start(onBeat = () => undefined) {
      own = freeOf(await read())
      await beatOnce()
      timer ??= timers.every(beatMs, () => beatAgain(onBeat))
    },
    async stop() {
      if (timer === undefined) return
      timer.stop()
      timer = undefined
      await beating
      await tried(() => put(clock.now() - livingMs + leavingMs))
    },
  }
}
