import { connect as connectTo } from 'node:net'
import type { KafkaMessage } from 'kafkajs'
import { brokerRefusal } from '../../../broker-access.ts'
import type { MountContext } from '../../mount.ts'
import { refused } from '../failures.ts'
import { topicFailure } from './failures.ts'
import type { PartitionEdges } from './ranges.ts'

/** Maximum bytes of one answer of a broker. A message that is larger is still returned, in an answer of its own. */
const answerBytes = 4 << 20

/** The reads of a Kafka cluster. Every call throws `unprocessable` with the reason. */
export interface Cluster {
  /** Names of all topics except the cluster's own, sorted. */
  topics(): Promise<string[]>
  /** The stored offsets of each partition. */
  edges(topic: string): Promise<PartitionEdges[]>
  /**
   * For each partition, the offset of the first message at or after a time (epoch milliseconds), or the end if there is
   * none.
   */
  offsetsAt(topic: string, time: number): Promise<Map<number, number>>
  /**
   * Messages from offset `from` up to but not including `to`, in parts, without those of aborted transactions. Ends
   * earlier at a transaction that is still open. `next` is the offset after the messages so far.
   */
  messages(
    topic: string,
    range: { partition: number; from: number; to: number },
  ): AsyncGenerator<{ messages: KafkaMessage[]; next: number }>
}

type Opening = Pick<MountContext, 'brokers' | 'signal'>

/** Connects to a cluster while `work` runs. Joins no consumer group and stores nothing in the cluster. */
export async function withCluster<T>(
  { brokers: access, signal }: Opening,
  brokers: readonly string[],
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const { Kafka, logLevel } = await import('kafkajs')
  for (const broker of brokers) {
    const refusal = brokerRefusal(access, broker)
    if (refusal !== null) throw refused(broker, refusal)
  }
  let advertised: Error | undefined
  const admin = new Kafka({
    clientId: 'assay-source',
    brokers: [...brokers],
    connectionTimeout: 3000,
    requestTimeout: 20_000,
    logLevel: logLevel.NOTHING,
    retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1000 },
    // A cluster tells clients the addresses of its brokers, so the addresses in the source are not the only ones.
    socketFactory: ({ host, port, onConnect }) => {
      const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
      const refusal = brokerRefusal(access, address)
      if (refusal !== null) {
        advertised = refused(`${address}, the address that the cluster advertises,`, refusal)
        throw advertised
      }
      return connectTo({ host, port }, onConnect).setKeepAlive(true, 60_000)
    },
  }).admin()
  const asking = async <R>(about: string, ask: () => Promise<R>): Promise<R> => {
    signal.throwIfAborted()
    try {
      return await ask()
    } catch (error) {
      signal.throwIfAborted()
      throw advertised ?? topicFailure(error, about)
    }
  }
  const end = () => void admin.disconnect().catch(() => undefined)
  signal.addEventListener('abort', end, { once: true })
  try {
    await asking(brokers.join(', '), () => admin.connect())
    return await work({
      topics: async () => {
        const all = await asking(brokers.join(', '), () => admin.listTopics())
        return all.filter((name) => !name.startsWith('__')).sort()
      },
      edges: async (topic) => {
        const all = await asking(topic, () => admin.fetchTopicOffsets(topic))
        return all
          .map(({ partition, low, high }) => ({ partition, low: Number(low), high: Number(high) }))
          .sort((one, other) => one.partition - other.partition)
      },
      offsetsAt: async (topic, time) => {
        const all = await asking(topic, () => admin.fetchTopicOffsetsByTimestamp(topic, time))
        return new Map(all.map(({ partition, offset }) => [partition, Number(offset)]))
      },
      async *messages(topic, { partition, from, to }) {
        for (let at = from; at < to; ) {
          const fetch = { topic, partition, offset: String(at), maxBytes: answerBytes }
          const { records, lastStableOffset, nextOffset } = await asking(topic, () => admin.fetchRecords(fetch))
          // After compaction and aborted transactions, some parts have no messages.
          const next = Math.min(nextOffset === null ? at + 1 : Number(nextOffset), to)
          if (nextOffset === null && at >= Number(lastStableOffset)) return
          yield { messages: records.filter(({ offset }) => Number(offset) < to), next }
          at = next
        }
      },
    })
  } finally {
    signal.removeEventListener('abort', end)
    await admin.disconnect().catch(() => undefined)
  }
}
