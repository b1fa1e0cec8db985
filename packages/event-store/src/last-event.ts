import type { EventStore, RecordedEvent } from './port.ts'

/** The last event of a stream and its revision (-1 if there is none), without reading the stream. */
export async function lastEvent(
  store: Pick<EventStore, 'read'>,
  stream: string,
): Promise<{ event: RecordedEvent | undefined; revision: number }> {
  const { revision } = await store.read(stream, { limit: 1 })
  if (revision < 0) return { event: undefined, revision }
  const { events } = await store.read(stream, { from: revision, limit: 1 })
  const event = events.at(0)
  return { event, revision: event?.revision ?? revision }
}
