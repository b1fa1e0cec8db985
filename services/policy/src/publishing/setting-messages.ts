import { type CloudEvent, doneBy, publicTopics } from '@assay/contracts'
import { parseStreamName, type RecordedEvent } from '@assay/event-store'
import type { Message } from '@assay/message-bus'

/** What the world is told of a persistence configuration or of a tag that was made: the fact as it was written. Pure. */
export function settingMessage(event: RecordedEvent): { topic: string; message: Message } {
  const { tenant, traceparent, occurredAt: time } = event.metadata
  const { id, position, data } = event
  const type = `io.assay.policy.${event.type}`
  const number = 'configId' in data ? data.configId : 'tagId' in data ? data.tagId : undefined
  const kind = parseStreamName(event.stream)?.category ?? 'policy'
  const key = `${kind}-${String(number)}`
  const cloudEvent: CloudEvent = {
    specversion: '1.0',
    id,
    source: '/assay/policy',
    type,
    subject: `${kind}/${String(number)}`,
    time,
    datacontenttype: 'application/json',
    tenant,
    ...doneBy(event.metadata),
    ...(traceparent === undefined ? {} : { traceparent }),
    data,
  }
  return {
    topic: publicTopics.policies,
    message: { id, key, type, tenant, time, position, traceparent, data: cloudEvent },
  }
}
