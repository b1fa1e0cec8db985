import { systemClock, systemTimers } from '@assay/service-kit/node'
import { openDatabase } from '@assay/sqlite'
import { done } from '../port.ts'
import { testMessage } from '../testing/message.ts'
import { createEmbeddedBus } from './bus.ts'

/**
 * A process that publishes 300 messages of 10 keys, prints the ids of the handled ones, and runs until it is killed.
 */
const [, , path = ''] = process.argv
const database = openDatabase({ path })
const bus = createEmbeddedBus({ database, clock: systemClock, timers: systemTimers })
await bus.publish(
  'a',
  Array.from({ length: 300 }, (_, index) => testMessage(`k${index % 10}`, String(index))),
)
await bus.subscribe({
  topics: ['a'],
  group: 'g',
  async handle({ message }) {
    await systemTimers.sleep(2)
    process.stdout.write(`${message.id}\n`)
    return done
  },
})
