export { createKafkaBus, type KafkaBus, type KafkaBusOptions } from './bus.ts'
