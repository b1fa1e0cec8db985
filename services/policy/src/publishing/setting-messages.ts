import { publicMessage, publicTopics } from '@assay/contracts'
import { parseStreamName, type RecordedEvent } from '@assay/event-store'
import type { Message } from '@assay/message-bus'

/** The public message for a change of a persistence configuration or a new tag: the event's own data. Pure. */
export function settingMessage(event: RecordedEvent): { topic: string; message: Message } {
  const { data } = event
  const number = String('configId' in data ? data.configId : 'tagId' in data ? data.tagId : undefined)
  const kind = parseStreamName(event.stream)?.category ?? 'policy'
  const of = { key: `${kind}-${number}`, subject: `${kind}/${number}`, data }
  return { topic: publicTopics.policies, message: publicMessage('policy', event, of) }
}
