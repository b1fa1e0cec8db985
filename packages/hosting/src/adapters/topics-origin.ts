import type { Checkpoints } from '@assay/event-store'
import type { Message } from '@assay/message-bus'
import { type Clock, isoTime, type NewId } from '@assay/service-kit'
import type { ChosenBus } from './bus.ts'

/** Holds, for each service, the name that it gave to the cluster's topics when it first met them. */
export const originTopic = 'assay.internal.origins'

/**
 * Identifies the topics of this cluster, as opposed to those of an earlier or later one at the same address: a name
 * that the service `service` has stored in them. Created if there is none, as on a cluster that has lost its disks; if
 * several replicas create one at once, the first written counts. `undefined` for a bus that keeps no messages. Error:
 * `unavailable`.
 */
export async function originOfTopics(
  { bus, kept }: Pick<ChosenBus, 'bus' | 'kept'>,
  service: string,
  { newId, clock }: { newId: NewId; clock: Clock },
): Promise<string | undefined> {
  if (kept === undefined) return undefined
  const look = async (): Promise<readonly Message[]> => {
    const found: Message[] = []
    await kept(originTopic, undefined, async (message) => {
      if (message.key === service) found.push(message)
    })
    return found
  }
  const publish = (id: string) => {
    const time = isoTime(clock.now())
    const message = { id, key: service, type: 'origin', tenant: 'system', time, position: '', data: null }
    return bus.publish(originTopic, [message])
  }
  let [first, ...others] = await look()
  if (first === undefined) {
    await publish(newId())
    ;[first, ...others] = await look()
  }
  // The topic is compacted, so only the last record of a key stays.
  if (first !== undefined && others.length > 0 && others.at(-1)?.id !== first.id) await publish(first.id)
  return first?.id
}

/** The processor that publishes the log of a service. */
const publisherOf = (service: string) => `${service}-publisher`

/**
 * Binds a publisher's checkpoint to the topics that it writes to. Topics of another origin have no checkpoint yet, so
 * everything is published to them again from the log, which consumers tolerate. Other checkpoints are unchanged.
 */
export function checkpointsOfTopics(
  checkpoints: Checkpoints,
  services: readonly string[],
  origin: string | undefined,
): Checkpoints {
  if (origin === undefined) return checkpoints
  const publishers = new Set(services.map(publisherOf))
  const named = (name: string) => (publishers.has(name) ? `${name} ${origin}` : name)
  return {
    get: (name) => checkpoints.get(named(name)),
    begin: (name, fence) => checkpoints.begin(named(name), fence),
    set: (name, position, fence) => checkpoints.set(named(name), position, fence),
    parked: (name) => checkpoints.parked(named(name)),
    park: (name, stream, fence) => checkpoints.park(named(name), stream, fence),
    parkedByAll: () => checkpoints.parkedByAll(),
    unpark: (name, stream, fence) => checkpoints.unpark(named(name), stream, fence),
    ask: (name, stream) => checkpoints.ask(named(name), stream),
    failAgain: (name, stream, reason) => checkpoints.failAgain(named(name), stream, reason),
  }
}
