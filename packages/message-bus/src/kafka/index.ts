export { createKafkaBus, type KafkaBus, type KafkaBusOptions } from './bus.ts'
export type { Places } from './kept.ts'
