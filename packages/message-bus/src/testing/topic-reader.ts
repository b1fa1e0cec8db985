import type { KafkaMessage } from 'kafkajs'
import { createClient } from '../kafka/client.ts'
import { countBeyond, decodedBeyond } from '../kafka/handled.ts'
import { readRecords } from '../kafka/read-records.ts'
import { decodedRecord, idOf, keyOf } from '../kafka/record.ts'

/** A record on a topic of Kafka. */
export interface TopicRecord {
  topic: string
  partition: number
  offset: number
  id: string
  key: string
  /** JSON of the message's data. Empty for a record that is not a message. */
  body: string
  raw: KafkaMessage
}

export interface TopicReader {
  /** All records so far of the topics for which `isWanted` is true. Records of one partition are in order. */
  read(isWanted: (topic: string) => boolean): Promise<readonly TopicRecord[]>
  /**
   * Republishes records on their topics, one after the other. `partitionOf` returns the partition for each. Returns
   * their new offsets.
   */
  send(
    some: readonly TopicRecord[],
    partitionOf: (partition: number, count: number) => number,
  ): Promise<Pick<TopicRecord, 'topic' | 'partition' | 'offset'>[]>
  /** The total number of unhandled records of all groups, in partitions that have commits. */
  unhandled(): Promise<number>
  /** Removes all records of a topic. */
  remove(topic: string): Promise<void>
  close(): Promise<void>
}

/** Reads all records of topics, without a group. Caches the records. */
export function createTopicReader(brokers: readonly string[]): TopicReader {
  const { admin, makeProducer } = createClient({ brokers, clientId: 'topic-reader' }, undefined)
  const records: TopicRecord[] = []
  const next = new Map<string, number>()
  let connected: Promise<void> | undefined

  async function readPartition(topic: string, partition: number, low: number, to: number): Promise<void> {
    const name = `${topic} ${partition}`
    const from = next.get(name) ?? low
    for await (const record of readRecords(admin, { topic, partition, from, to })) {
      const [key, offset] = [keyOf(record), Number(record.offset)]
      const message = decodedRecord(key, record.value, record.headers)
      records.push({
        topic,
        partition,
        offset,
        id: idOf(record) ?? '',
        key,
        body: message === undefined ? '' : JSON.stringify(message.data),
        raw: record,
      })
      next.set(name, offset + 1)
    }
  }

  async function unhandledBy(groupId: string): Promise<number> {
    let count = 0
    for (const { topic, partitions } of await admin.fetchOffsets({ groupId })) {
      const ends = new Map(
        (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, Number(high)]),
      )
      for (const { partition, offset, metadata } of partitions) {
        if (Number(offset) < 0) continue
        const handled = decodedBeyond(Number(offset), metadata)
        count += Math.max(0, (ends.get(partition) ?? 0) - handled.offset - countBeyond(handled))
      }
    }
    return count
  }

  async function partitionsOf(topic: string): Promise<number> {
    return (await admin.fetchTopicOffsets(topic)).length
  }

  return {
    async send(some, partitionOf) {
      const producer = makeProducer()
      await producer.connect()
      try {
        const counts = new Map<string, number>()
        for (const topic of new Set(some.map((record) => record.topic))) counts.set(topic, await partitionsOf(topic))
        const sent: Pick<TopicRecord, 'topic' | 'partition' | 'offset'>[] = []
        for (const { topic, partition: before, raw } of some) {
          const partition = partitionOf(before, counts.get(topic) ?? 1)
          const { key, value, headers = {} } = raw
          const [answer] = await producer.send({ topic, acks: -1, messages: [{ key, value, headers, partition }] })
          sent.push({ topic, partition, offset: Number(answer?.baseOffset) })
        }
        return sent
      } finally {
        await producer.disconnect()
      }
    },
    async read(isWanted) {
      connected ??= admin.connect().catch((error: unknown) => {
        connected = undefined
        throw error
      })
      await connected
      for (const topic of (await admin.listTopics()).filter(isWanted))
        for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
          await readPartition(topic, partition, Number(low), Number(high))
      return records
    },
    async unhandled() {
      let count = 0
      for (const { groupId } of (await admin.listGroups()).groups) count += await unhandledBy(groupId)
      return count
    },
    async remove(topic) {
      const partitions = (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => ({
        partition,
        offset: high,
      }))
      await admin.deleteTopicRecords({ topic, partitions })
    },
    close: () => admin.disconnect(),
  }
}
