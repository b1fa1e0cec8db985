import type { ServiceName } from '@assay/contracts'
import { type Documents, defineCollection, documentPut } from '@assay/documents'
import type { Position } from '@assay/event-store'
import { type Clock, type Logger, messageOf, type Timers } from '@assay/service-kit'
import { z } from 'zod'
import { systemTenant } from '../dependencies.ts'
import { hashOf } from '../keys/key-text.ts'
import { withinPatience } from './within-patience.ts'

/** Positions of the logs of services. */
export type Positions = ReadonlyMap<ServiceName, readonly Position[]>

/** What one answer said of its writes: where the service then stood, and where its log has what was written. */
export interface Wrote {
  positions: Positions
  written: Positions
}

/** As long as a gateway remembers its own answers. */
const keptMs = 10_000
/** Documents of one key. More than a key writes within the time that copies take to follow. */
const slots = 32

const services = z.enum(['gateway', 'catalog', 'policy', 'execution', 'sampling', 'notification'])
const positions = z.array(z.object({ service: services, position: z.string() }))
const note = z.object({ at: z.int(), positions, written: positions })
type Note = z.infer<typeof note>

/** What keys wrote lately, each key in a ring of its own. Made of answers, not of events: a rebuild leaves it as it is. */
export const keyWrites = defineCollection<Note>({
  name: 'api_key_writes',
  version: 1,
  idType: 'text',
  schema: note,
  fields: {},
})

/**
 * What the gateways of one Assay tell each other of the writes of a key, so that a client that knows nothing of positions
 * reads what it wrote through another gateway.
 */
export interface SharedWrites {
  /** Resolves once every gateway can see it, or after two seconds. Never rejects: the write has been made. */
  share(accessKey: string, wrote: Wrote): Promise<void>
  /** What the key wrote lately through any gateway, oldest first; nothing where the store does not answer. */
  of(accessKey: string): Promise<Wrote>
}

const nothing: Wrote = { positions: new Map(), written: new Map() }

const listed = (all: Positions): Note['positions'] =>
  [...all].flatMap(([service, each]) => each.map((position) => ({ service, position })))

/** `first` and then what `second` has besides. */
export function mergedPositions(first: Positions, second: Positions): Positions {
  if (first.size === 0) return second
  if (second.size === 0) return first
  const all = new Map(first)
  for (const [service, more] of second) all.set(service, [...new Set([...(all.get(service) ?? []), ...more])])
  return all
}

function gathered(each: readonly Note['positions'][]): Positions {
  const all = new Map<ServiceName, Position[]>()
  for (const { service, position } of each.flat()) {
    const known = all.get(service)
    if (known === undefined) all.set(service, [position])
    else if (!known.includes(position)) known.push(position)
  }
  return all
}

/** The same note goes to the same place, and those of several gateways rarely to one. */
function slotOf(text: string): number {
  return Number.parseInt(hashOf(text).slice(0, 4), 16) % slots
}

export function createSharedWrites(deps: {
  documents: Pick<Documents, 'get' | 'put'>
  clock: Clock
  timers: Pick<Timers, 'sleep'>
  logger: Logger
}): SharedWrites {
  const { documents, clock, timers, logger } = deps
  const numbers = Array.from({ length: slots }, (_, slot) => slot)
  const idOf = (hash: string, slot: number) => `${hash}/${slot}`

  async function put(hash: string, told: Note): Promise<void> {
    const id = idOf(hash, slotOf(JSON.stringify([told.positions, told.written])))
    // The later of two in one place stays.
    const source = { revision: told.at, position: '' }
    try {
      await documents.put([documentPut(keyWrites, systemTenant, id, told, source)])
    } catch (error) {
      logger.warn({ error: messageOf(error) }, 'other gateways could not be told of a write')
    }
  }

  async function look(hash: string): Promise<Wrote> {
    // They are looked up together, by their ids.
    const found = await Promise.all(numbers.map((slot) => documents.get(keyWrites, systemTenant, idOf(hash, slot))))
    const since = clock.now() - keptMs
    const notes = found.flatMap((stored) => (stored && stored.document.at > since ? [stored.document] : []))
    if (notes.length === 0) return nothing
    notes.sort((left, right) => left.at - right.at)
    return {
      positions: gathered(notes.map((each) => each.positions)),
      written: gathered(notes.map((each) => each.written)),
    }
  }

  return {
    async share(accessKey, wrote) {
      const told = { at: clock.now(), positions: listed(wrote.positions), written: listed(wrote.written) }
      if (told.positions.length === 0 && told.written.length === 0) return
      await withinPatience(timers, put(hashOf(accessKey), told))
    },
    async of(accessKey) {
      const looking = look(hashOf(accessKey)).catch((error) => {
        logger.warn({ error: messageOf(error) }, 'what a key wrote through other gateways could not be looked up')
        return nothing
      })
      return (await withinPatience(timers, looking)) ?? nothing
    },
  }
}
