import { traced } from '@assay/service-kit'
import type { Delivery, Outcome } from './port.ts'

/** A handler each of whose messages is a span behind the work that its event comes from. */
export function tracedHandler(
  group: string,
  handle: (delivery: Delivery) => Promise<Outcome>,
): (delivery: Delivery) => Promise<Outcome> {
  return (delivery) =>
    traced(`${group} handles ${delivery.topic}`, 'consumer', delivery.message.traceparent, () => handle(delivery))
}
