import type { Checkpoints } from '@assay/event-store'
import type { Message } from '@assay/message-bus'
import { type Clock, isoTime, type NewId } from '@assay/service-kit'
import type { ChosenBus } from './bus.ts'

/** Keeps, for each service, the name that it gave to the cluster's topics when it met them first. */
export const originTopic = 'assay.internal.origins'

/**
 * What tells the topics of this cluster from those of another one that stood or will stand at the same address: a name
 * that the service `service` left in them. Made when there is none, as at a cluster that has lost its disks; of several
 * replicas that make one at once, the first to be written counts. `undefined` for a bus that keeps no messages.
 * Error: `unavailable`.
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
  // The topic is compacted, which leaves the last of a key.
  if (first !== undefined && others.length > 0 && others.at(-1)?.id !== first.id) await publish(first.id)
  return first?.id
}

/** The processor that tells the bus of what stands in the log of a service. */
const publisherOf = (service: string) => `${service}-publisher`

/**
 * Binds a publisher's checkpoint to the topics that it writes to. Topics of another origin have no checkpoint yet, so
 * everything is published to them again from the log, which consumers tolerate. Other checkpoints are left as they are.
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
    set: (name, position) => checkpoints.set(named(name), position),
    parked: (name) => checkpoints.parked(named(name)),
    park: (name, stream) => checkpoints.park(named(name), stream),
    parkedByAll: () => checkpoints.parkedByAll(),
    takeOver: (name, stream) => checkpoints.takeOver(named(name), stream),
    unpark: (name, stream, term) => checkpoints.unpark(named(name), stream, term),
    ask: (name, stream) => checkpoints.ask(named(name), stream),
    failAgain: (name, stream, reason) => checkpoints.failAgain(named(name), stream, reason),
  }
}
