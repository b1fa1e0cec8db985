export { createBusInMemory } from './bus-in-memory.ts'
export { testMessage } from './message.ts'
export {
  type MessageBusUnderTest,
  messageBusFeatures,
  testRetry,
  testTopics,
  testUnhealthyAfterMs,
} from './message-bus.features.ts'
