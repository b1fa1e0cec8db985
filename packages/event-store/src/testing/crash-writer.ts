import { writeSync } from 'node:fs'
import { openDatabase } from '@assay/sqlite'
import { createSqliteEventStore } from '../sqlite/event-store.ts'
import { newEvents } from './new-events.ts'

/**
 * A process that appends batches of two to eight streams and prints the ids of acknowledged ones, until it is killed.
 */
const [path = '', run = ''] = process.argv.slice(2)
const store = createSqliteEventStore({ database: openDatabase({ path }), clock: { now: Date.now } })

async function write(stream: string): Promise<never> {
  for (;;) {
    const batch = newEvents(2)
    await store.append(stream, batch, 'any')
    writeSync(1, batch.map((event) => `${event.id}\n`).join(''))
  }
}
await Promise.all(Array.from({ length: 8 }, (_, n) => write(`acme/crash-${run}-${n}`)))
