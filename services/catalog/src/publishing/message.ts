import type { RecordedEvent } from '@assay/event-store'
import type { Message } from '@assay/message-bus'

/** The message for an event, with the event's id and position. */
export function messageOfEvent(recorded: RecordedEvent, key: string, type: string, data: unknown): Message {
  const { id, position, metadata } = recorded
  const { tenant, occurredAt: time, traceparent, tracestate } = metadata
  return { id, key, type, tenant, time, position, data, traceparent, tracestate }
}
