import type { Admin } from 'kafkajs'
import type { Message } from '../port.ts'
import { askingError } from './errors.ts'
import { readRecords } from './reading.ts'
import { decodedRecord, keyOf } from './record.ts'

/** The next offset of each partition of a topic. */
export type Places = ReadonlyMap<number, number>

async function placesOf(admin: Admin, name: string, edge: 'low' | 'high'): Promise<Places> {
  try {
    const edges = await admin.fetchTopicOffsets(name)
    return new Map(edges.map((each) => [each.partition, Number(each[edge])]))
  } catch (error) {
    throw askingError(error, 'tell how long a topic is')
  }
}

/**
 * Hands over all messages of the topic `name` of the cluster, partition by partition, from its beginning or behind `after`
 * to where it ends now; answers where that is. Errors: those of `askingError`, and what `handle` throws.
 */
export async function readKept(
  admin: Admin,
  name: string,
  after: Places | undefined,
  handle: (message: Message) => Promise<void>,
): Promise<Places> {
  const ends = await placesOf(admin, name, 'high')
  const begins = await placesOf(admin, name, 'low')
  for (const [partition, to] of ends) {
    const from = Math.max(after?.get(partition) ?? 0, begins.get(partition) ?? 0)
    const records = readRecords(admin, { topic: name, partition, from, to })
    for (;;) {
      const next = await records.next().catch((error: unknown) => {
        throw askingError(error, 'give what it keeps')
      })
      if (next.done) break
      const { value, headers } = next.value
      const message = decodedRecord(keyOf(next.value), value, headers)
      if (message !== undefined) await handle(message)
    }
  }
  return ends
}
