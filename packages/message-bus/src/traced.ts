import { beginWork, recordsSpans } from '@assay/service-kit'
import type { Delivery, Message, Outcome } from './port.ts'

/** `messaging.system` of the semantic conventions, which have no value for the embedded bus. */
export type MessagingSystem = 'kafka' | 'assay'

const attributesOf = (
  system: MessagingSystem,
  operation: 'send' | 'process',
  topic: string,
  { id, type }: Message,
) => ({
  'messaging.system': system,
  'messaging.destination.name': topic,
  'messaging.operation.name': operation,
  'messaging.operation.type': operation,
  'messaging.message.id': id,
  'assay.message.type': type,
})

/** Sends messages. Each gets a span in its event's trace, and carries the span's context. */
export async function tracedSend(
  system: MessagingSystem,
  topic: string,
  messages: readonly Message[],
  send: (messages: readonly Message[]) => Promise<void>,
): Promise<void> {
  if (!recordsSpans()) {
    await send(messages)
    return
  }
  const begun = messages.map((message) =>
    message.traceparent === undefined
      ? { message, work: undefined }
      : {
          message,
          work: beginWork(`send ${topic}`, {
            kind: 'producer',
            from: message,
            attributes: () => attributesOf(system, 'send', topic, message),
          }),
        },
  )
  try {
    await send(begun.map(({ message, work }) => (work === undefined ? message : { ...message, ...work.carrier() })))
    for (const { work } of begun) work?.end()
  } catch (error) {
    for (const { work } of begun) work?.end(error)
    throw error
  }
}

/** A handler that creates a span for each message, linked to the sender's span. */
export function tracedHandler(
  system: MessagingSystem,
  group: string,
  handle: (delivery: Delivery) => Promise<Outcome>,
): (delivery: Delivery) => Promise<Outcome> {
  return async (delivery) => {
    const { topic, message, attempt } = delivery
    const work = beginWork(`process ${topic}`, {
      kind: 'consumer',
      from: message,
      attributes: () => ({
        ...attributesOf(system, 'process', topic, message),
        'messaging.consumer.group.name': group,
        'assay.message.attempt': attempt,
      }),
    })
    try {
      const outcome = await work.within(() => handle(delivery))
      work.describe(`process ${topic}`, () => ({ 'assay.message.outcome': outcome.kind }))
      work.end(outcome.kind === 'retry' ? outcome.error : outcome.kind === 'park' ? outcome.reason : undefined)
      return outcome
    } catch (error) {
      work.end(error)
      throw error
    }
  }
}
