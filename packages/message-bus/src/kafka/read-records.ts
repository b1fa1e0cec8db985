import type { Admin, KafkaMessage } from 'kafkajs'

/** Reads the records of a partition from offset `from` to before `to` (default: its current end), in order. */
export async function* readRecords(
  admin: Admin,
  where: { topic: string; partition: number; from: number; to?: number },
): AsyncGenerator<KafkaMessage> {
  const { topic, partition, to } = where
  let at = where.from
  for (;;) {
    if (to !== undefined && at >= to) return
    const { highWatermark, records } = await admin.fetchRecords({ topic, partition, offset: String(at) })
    for (const record of records) {
      const offset = Number(record.offset)
      if (to !== undefined && offset >= to) return
      at = offset + 1
      yield record
    }
    if (at >= Number(highWatermark)) return
    // Compaction leaves empty batches: skip them.
    if (records.length === 0) at += 1
  }
}
