export { createEventStoreDb, type Deadlines } from './event-store.ts'
