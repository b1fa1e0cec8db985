import { systemClock, systemTimers } from '@assay/service-kit/node'
import { createKafkaBus, type KafkaBusOptions } from './index.ts'
import { parkedInMemory } from './parked-in-memory.fixture.ts'

/** A bus with the settings that the tests share. */
export const busOver = (brokers: readonly string[], more: Partial<KafkaBusOptions> = {}) =>
  createKafkaBus({
    brokers,
    clientId: 'test',
    parkedMessages: parkedInMemory(),
    clock: systemClock,
    timers: systemTimers,
    partitions: 3,
    replication: 1,
    maxWaitMs: 100,
    ...more,
  })
