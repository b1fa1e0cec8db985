import type { ServiceName } from '../operations/operation.ts'
import { type CloudEvent, doneBy } from './messages.ts'

/** The parts of a recorded event that a public message needs. */
interface Recorded {
  id: string
  type: string
  position: string
  metadata: {
    tenant: string
    actor: string
    accessKey?: string | undefined
    occurredAt: string
    traceparent?: string | undefined
    tracestate?: string | undefined
  }
}

/** The CloudEvent for an event of a service. Pure. */
export function cloudEventOf(
  service: ServiceName,
  { id, type, metadata }: Recorded,
  { subject, data }: { subject: string; data: unknown },
): CloudEvent {
  const { tenant, occurredAt: time, traceparent, tracestate } = metadata
  return {
    specversion: '1.0',
    id,
    source: `/assay/${service}`,
    type: `io.assay.${service}.${type}`,
    subject,
    time,
    datacontenttype: 'application/json',
    tenant,
    ...doneBy(metadata),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
    data,
  }
}

/** The message with the CloudEvent of an event; messages of one `key` stay in order. Pure. */
export function publicMessage(
  service: ServiceName,
  event: Recorded,
  { key, ...of }: { key: string; subject: string; data: unknown },
) {
  const { id, position, metadata } = event
  const { traceparent, tracestate } = metadata
  const data = cloudEventOf(service, event, of)
  const { type, tenant, time } = data
  return { id, key, type, tenant, time, position, traceparent, tracestate, data }
}
