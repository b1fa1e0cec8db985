export { createKafkaBus, type KafkaBus, type KafkaBusOptions } from './bus.ts'
export type { PartitionOffsets } from './kept.ts'
