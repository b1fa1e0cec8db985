import { messageOf } from '@assay/service-kit/errors'
import { freshStream, newEvent } from '../testing/new-events.ts'
import { createEventStoreDb } from './event-store.ts'

/** Appends and reads once at the store that the first argument names, and prints the outcome. */
const store = createEventStoreDb({
  connectionString: process.argv[2] ?? '',
  deadlines: { append: 30_000, read: 30_000 },
})
const { stream } = freshStream()
try {
  await store.append(stream, [newEvent()], 'none')
  process.stdout.write(`read ${(await store.read(stream)).events.length}\n`)
} catch (error) {
  process.stdout.write(`${messageOf(error)}\n`)
}
await store.close()
