import type { ServiceName } from '@assay/contracts'
import type { Clock } from '@assay/service-kit'
import { createRecentlyUsed } from '../recently-used.ts'

const capacity = 10_000
/** Local read models catch up within this many milliseconds. Waiting for older positions would only cost time. */
const keptMs = 10_000
/**
 * The positions that each service recently answered to a key or to a client. With them a client that knows nothing of
 * positions reads its own writes.
 */
export interface AnsweredPositions {
  remember(client: string, service: ServiceName, position: string): void
  /** The positions of the request plus the remembered ones. */
  with(client: string, seen: ReadonlyMap<ServiceName, readonly string[]>): ReadonlyMap<ServiceName, readonly string[]>
}

interface Remembered {
  service: ServiceName
  position: string
  until: number
}

interface Known {
  all: Remembered[]
  /** Set while exactly one position is known: the result for requests without positions, made once for all of them. */
  single?: ReadonlyMap<ServiceName, readonly string[]>
}

function known(all: Remembered[]): Known {
  const [first, ...others] = all
  if (first === undefined || others.length > 0) return { all }
  return { all, single: new Map([[first.service, [first.position]]]) }
}

/** Keeps the newest last, and at most `maxPositions` per service. */
function kept(before: Remembered[], added: Remembered, maxPositions: number, now: number): Remembered[] {
  const others = before.filter(
    (each) => each.until > now && (each.service !== added.service || each.position !== added.position),
  )
  const ofService = others.filter((each) => each.service === added.service)
  const dropped = ofService.length < maxPositions ? undefined : ofService[0]
  return [...others.filter((each) => each !== dropped), added]
}

/** `maxPositions`: per service and client. */
export function createAnsweredPositions(clock: Clock, maxPositions: number): AnsweredPositions {
  const byClient = createRecentlyUsed<Known>(capacity)
  return {
    remember(client, service, position) {
      const now = clock.now()
      const until = now + keptMs
      const before = byClient.get(client)
      const last = before?.single && before.all[0]
      // If a client only reads, most answers have the same position as the previous one.
      if (last?.position === position && last.service === service) last.until = until
      else byClient.set(client, known(kept(before?.all ?? [], { service, position, until }, maxPositions, now)))
    },
    with(client, seen) {
      const before = byClient.get(client)
      if (before === undefined) return seen
      const now = clock.now()
      const last = before.single && before.all[0]
      if (before.single && last && seen.size === 0) return last.until > now ? before.single : seen
      const all = new Map<ServiceName, readonly string[]>()
      for (const { service, position, until } of before.all)
        if (until > now && seen.get(service)?.includes(position) !== true)
          all.set(service, [...(all.get(service) ?? []), position])
      for (const [service, positions] of seen) all.set(service, [...(all.get(service) ?? []), ...positions])
      return all
    },
  }
}

/** Maximum number of positions remembered per service and key: more entities than a caller works on at a time. */
const maxOfKey = 8
/** Maximum number of written streams remembered per service and client, which may have many keys. */
const maxOfClient = 16

/** Who sends a request: its key, and `clientOf` it. */
export interface Sender {
  accessKey: string
  client: string
}

/**
 * What senders have seen: everything that was answered to their key, and what other keys of the same client wrote. Reads
 * of other keys do not count, so that many readers at one address do not push out the writes.
 */
export interface SeenStates {
  remember(sender: Sender, of: { service: ServiceName; isWrite: boolean }, positions: readonly string[]): void
  /** The positions of the request plus the remembered ones. */
  with(sender: Sender, seen: ReadonlyMap<ServiceName, readonly string[]>): ReadonlyMap<ServiceName, readonly string[]>
}

export function createSeenStates(clock: Clock): SeenStates {
  const ofKeys = createAnsweredPositions(clock, maxOfKey)
  const ofClients = createAnsweredPositions(clock, maxOfClient)
  return {
    remember({ accessKey, client }, { service, isWrite }, positions) {
      for (const position of positions) {
        ofKeys.remember(accessKey, service, position)
        if (isWrite) ofClients.remember(client, service, position)
      }
    },
    with: ({ accessKey, client }, seen) => ofClients.with(client, ofKeys.with(accessKey, seen)),
  }
}
