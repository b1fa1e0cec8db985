import { describe, expect, it } from 'vitest'
import { eventsUpTo } from './events-up-to.ts'
import type { RecordedEvent, StreamSlice } from './port.ts'

const stream = 'a-tenant/watch-1'

function recorded(revision: number): RecordedEvent {
  const recordedAt = '2026-01-01T00:00:00.000Z'
  const metadata = { tenant: 'a-tenant', actor: 'someone', schemaVersion: 1, occurredAt: recordedAt }
  const position = `P:${revision}`
  return { id: `event-${revision}`, stream, revision, position, type: 'Something', data: {}, metadata, recordedAt }
}

/** A stream of three events, with a counter of its reads. */
function threeEvents() {
  const events = [recorded(0), recorded(1), recorded(2)]
  let reads = 0
  return {
    events,
    reads: () => reads,
    async read(_stream: string, { limit = events.length }: { limit?: number } = {}): Promise<StreamSlice> {
      reads += 1
      return { events: events.slice(0, limit), revision: 2 }
    },
  }
}

describe('the events up to one', () => {
  it('given the first event of a stream, then it is the only one, and nothing is read', async () => {
    const store = threeEvents()
    expect(await eventsUpTo(store, recorded(0))).toEqual([recorded(0)])
    expect(store.reads()).toBe(0)
  })

  it('given an event with later ones, then the later ones are excluded', async () => {
    expect(await eventsUpTo(threeEvents(), recorded(1))).toEqual([recorded(0), recorded(1)])
  })

  it('given the last event, then all events are returned', async () => {
    const store = threeEvents()
    expect(await eventsUpTo(store, recorded(2))).toEqual(store.events)
  })
})
