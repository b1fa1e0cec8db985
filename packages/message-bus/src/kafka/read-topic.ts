import type { Admin } from 'kafkajs'
import type { Message } from '../port.ts'
import { requestError } from './errors.ts'
import { readRecords } from './read-records.ts'
import { decodedRecord, keyOf } from './record.ts'
import type { Ask } from './retry-until.ts'

/** The next offset of each partition of a topic. */
export type PartitionOffsets = ReadonlyMap<number, number>

const doing = 'report the size of a topic'

/** The first and next offsets of the partitions. Retried, because a new topic has no leaders yet. */
async function edgesOf(admin: Admin, name: string, retryUntil: (doing: string) => Ask) {
  try {
    const edges = await retryUntil(doing)(() => admin.fetchTopicOffsets(name))
    return edges.map(({ partition, low, high }) => ({ partition, low: Number(low), high: Number(high) }))
  } catch (error) {
    throw requestError(error, doing)
  }
}

/**
 * Reads all messages of the cluster's topic `name`, partition by partition: from its beginning, or from `after`, to its
 * current end. Returns that end. Throws the errors of `requestError` and `handle`.
 */
export async function readTopic(
  admin: Admin,
  name: string,
  after: PartitionOffsets | undefined,
  handle: (message: Message) => Promise<void>,
  retryUntil: (doing: string) => Ask,
): Promise<PartitionOffsets> {
  const edges = await edgesOf(admin, name, retryUntil)
  for (const { partition, low, high: to } of edges) {
    const from = Math.max(after?.get(partition) ?? 0, low)
    const records = readRecords(admin, { topic: name, partition, from, to })
    for (;;) {
      const next = await records.next().catch((error: unknown) => {
        throw requestError(error, 'return the messages of a topic')
      })
      if (next.done) break
      const { value, headers } = next.value
      const message = decodedRecord(keyOf(next.value), value, headers)
      if (message !== undefined) await handle(message)
    }
  }
  return new Map(edges.map(({ partition, high }) => [partition, high]))
}
