import { createHash } from 'node:crypto'
import { type Documents, documentPut } from '@assay/documents'
import type { NumberBlocks } from '@assay/event-store'
import { AssayError } from '@assay/service-kit/errors'
import { keptPerTenant, numberGroups, publicEventNumbers, publicEvents } from './collection.ts'

/** The document of an event's number, by the hash of its id: two kept events rarely share one. */
const groupOf = (eventId: string): number =>
  createHash('sha256').update(eventId).digest().readUInt32BE(0) % numberGroups

/**
 * `numberOf` returns the number of an event: the same in every replica and at every redelivery, as long as the event is kept. Of
 * two replicas that number an event concurrently, the first put wins, because a put with the same revision has no effect.
 */
export function numberingOf(deps: { documents: Pick<Documents, 'put' | 'get'>; numbers: NumberBlocks }): {
  /** A number that no kept event has. */
  freeNumber(tenant: string): Promise<number>
  numberOf(tenant: string, eventId: string, position: string): Promise<number>
} {
  const { documents, numbers } = deps

  /** Skips reserved numbers whose ids have newer events by now, because this replica was idle for long. */
  async function freeNumber(tenant: string): Promise<number> {
    for (;;) {
      const [number] = await numbers.take(tenant, 'public-event')
      if (number === undefined) throw new AssayError('internal', 'No number was given for an event.')
      const found = await documents.get(publicEvents, tenant, number % keptPerTenant)
      if (found === undefined || found.source.revision < number) return number
    }
  }

  async function numberOf(tenant: string, eventId: string, position: string): Promise<number> {
    const group = groupOf(eventId)
    let own: number | undefined
    for (;;) {
      const found = await documents.get(publicEventNumbers, tenant, group)
      const known = found?.document.events ?? []
      const numbered = known.find((each) => each.eventId === eventId)
      if (numbered !== undefined) return numbered.number
      own ??= await freeNumber(tenant)
      const number = own
      const stillKept = known.filter((each) => each.number > number - keptPerTenant)
      const source = { revision: (found?.source.revision ?? 0) + 1, position }
      const events = [...stillKept, { eventId, number }]
      await documents.put([documentPut(publicEventNumbers, tenant, group, { events }, source)])
    }
  }

  return { freeNumber, numberOf }
}
