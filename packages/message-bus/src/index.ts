export { decodedMessage, encodedMessage } from './message.ts'
export { createParkedMessages, type ParkedMessages, parkedCollections } from './parked-messages.ts'
export {
  type BusAdapter,
  type Delivery,
  done,
  type Message,
  type MessageBus,
  type Outcome,
  type Parked,
  type Subscription,
} from './port.ts'
export { type Publication, publishEach } from './publish-each.ts'
export { defaultRetry, pauseAfter, type Retry } from './retry.ts'
export { withSchema } from './with-schema.ts'
