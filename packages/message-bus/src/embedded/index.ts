export { createEmbeddedBus, type EmbeddedBus } from './bus.ts'
