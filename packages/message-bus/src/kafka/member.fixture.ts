import { systemClock, systemTimers } from '@assay/service-kit/node'
import { done } from '../port.ts'
import { createKafkaBus } from './bus.ts'
import { parkedInMemory } from './parked-in-memory.fixture.ts'

/** A process that subscribes to topic `a` as group `g`, prints the ids that it handles, and runs until it is killed. */
const [, , brokers = '', prefix = '', pauseMs = '5'] = process.argv
const bus = await createKafkaBus({
  brokers: brokers.split(','),
  clientId: 'member',
  parkedMessages: parkedInMemory(),
  clock: systemClock,
  timers: systemTimers,
  partitions: 3,
  replication: 1,
  prefix,
  sessionTimeoutMs: 3000,
  maxWaitMs: 100,
  concurrency: 4,
})
await bus.subscribe({
  topics: ['a'],
  group: 'g',
  async handle({ message }) {
    await systemTimers.sleep(Number(pauseMs))
    process.stdout.write(`${message.id}\n`)
    return done
  },
})
