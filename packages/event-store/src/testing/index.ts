export { eventStoreFeatures, type StoreUnderTest } from './event-store.features.ts'
export { freshStream, newEvent, newEvents } from './new-events.ts'
