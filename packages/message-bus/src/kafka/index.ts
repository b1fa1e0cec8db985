export { createKafkaBus, type KafkaBus, type KafkaBusOptions } from './bus.ts'
export type { PartitionOffsets } from './read-topic.ts'
