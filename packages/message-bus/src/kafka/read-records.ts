import type { Admin, KafkaMessage } from 'kafkajs'

/**
 * Reads the records of a partition in order, from offset `from` up to but not including `to` (default: its current
 * end).
 */
export async function* readRecords(
  admin: Admin,
  where: { topic: string; partition: number; from: number; to?: number },
): AsyncGenerator<KafkaMessage> {
  const { topic, partition, to } = where
  let at = where.from
  for (;;) {
    if (to !== undefined && at >= to) return
    const { highWatermark, nextOffset, records } = await admin.fetchRecords({ topic, partition, offset: String(at) })
    for (const record of records) {
      if (to !== undefined && Number(record.offset) >= to) return
      yield record
    }
    // Compaction leaves empty batches: skip them.
    at = nextOffset === null ? at + 1 : Number(nextOffset)
    if (at >= Number(highWatermark)) return
  }
}
