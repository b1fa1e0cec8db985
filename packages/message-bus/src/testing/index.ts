export { createBusInMemory } from './bus-in-memory.ts'
export { type MessageBusUnderTest, testRetry, testTopics, testUnhealthyAfterMs } from './following.ts'
export { testMessage } from './message.ts'
export { messageBusFeatures } from './message-bus.features.ts'
