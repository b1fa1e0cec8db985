import { AssayError } from '@assay/service-kit/errors'
import type { Message as OutgoingRecord, Producer } from 'kafkajs'
import { sendingError } from './errors.ts'

export type Sized = OutgoingRecord & { value: Buffer | null }

/**
 * A batcher that sends messages to the cluster in the order of the calls, one request at a time. Calls during a request
 * share the next one.
 */
export interface Publisher {
  /**
   * Resolves when all in-sync replicas have the records. Rejects with `unknown-outcome` if it is unknown whether they
   * were stored.
   */
  send(topic: string, records: readonly Sized[]): Promise<void>
  /** Waits for pending records until `wait` resolves, then rejects the remaining ones. */
  close(wait: (work: Promise<unknown>) => Promise<void>): Promise<void>
}

/** A part of one call that fits into one request. */
interface Chunk {
  topic: string
  records: Sized[]
  bytes: number
  call: { failed: boolean }
  settle: { resolve(): void; reject(error: unknown): void }
}

const maxWaitingBytes = 64 * 1024 * 1024
const perRecord = 200
/** Maximum size of a request; a larger message is sent alone. */
const maxTogetherBytes = 900_000

function chunksOf(records: readonly Sized[]): { records: Sized[]; bytes: number }[] {
  const chunks: { records: Sized[]; bytes: number }[] = []
  for (const record of records) {
    const bytes = (record.value?.length ?? 0) + perRecord
    const last = chunks.at(-1)
    if (last !== undefined && last.bytes + bytes <= maxTogetherBytes) {
      last.records.push(record)
      last.bytes += bytes
    } else chunks.push({ records: [record], bytes })
  }
  return chunks
}

/**
 * `makeProducer` returns a new, unconnected idempotent producer. After a rejected send the producer is discarded: the
 * broker may already have its next sequence numbers, and would silently drop new records as duplicates.
 */
export function createPublisher(options: {
  makeProducer: () => Producer
  onError: (error: unknown, about: string) => void
  /** Awaited before each request, so that more calls can join it. */
  gathered?: () => Promise<void>
}): Publisher {
  const { makeProducer, onError, gathered } = options
  let queue: Chunk[] = []
  let inProgress: Chunk[] = []
  let waitingBytes = 0
  let producer: Producer | undefined
  let working: Promise<void> | undefined
  let closed = false

  async function connected(): Promise<Producer> {
    if (producer !== undefined) return producer
    const fresh = makeProducer()
    producer = fresh
    await fresh.connect()
    return fresh
  }

  function discardProducer(): void {
    const old = producer
    producer = undefined
    old?.disconnect().catch((error: unknown) => onError(error, 'A producer could not be disconnected.'))
  }

  /** The content of the next request. Further chunks of a failed call are skipped, to keep the order. */
  function take(): Chunk[] {
    const batch: Chunk[] = []
    let bytes = 0
    for (const chunk of queue) {
      if (batch.length > 0 && bytes + chunk.bytes > maxTogetherBytes) break
      batch.push(chunk)
      bytes += chunk.bytes
    }
    queue = queue.slice(batch.length)
    waitingBytes -= bytes
    return batch.filter(({ call }) => !call.failed)
  }

  async function sendBatch(batch: readonly Chunk[]): Promise<void> {
    const byTopic = new Map<string, Sized[]>()
    for (const { topic, records } of batch) byTopic.set(topic, [...(byTopic.get(topic) ?? []), ...records])
    const topicMessages = [...byTopic].map(([topic, messages]) => ({ topic, messages }))
    const current = await connected()
    await current.sendBatch({ acks: -1, topicMessages })
  }

  async function work(): Promise<void> {
    try {
      while (queue.length > 0) {
        if (gathered !== undefined) await gathered()
        const batch = take()
        inProgress = batch
        if (batch.length === 0) continue
        try {
          await sendBatch(batch)
          for (const { settle } of batch) settle.resolve()
        } catch (error) {
          discardProducer()
          for (const { call, settle } of batch) {
            call.failed = true
            settle.reject(sendingError(error))
          }
        }
      }
    } finally {
      working = undefined
    }
  }

  return {
    async send(topic, records) {
      if (closed) throw new AssayError('unavailable', 'The message bus is closed.')
      if (waitingBytes > maxWaitingBytes)
        throw new AssayError('unavailable', 'Too many messages are waiting for Kafka. Try again later.')
      const call = { failed: false }
      const sent = chunksOf(records).map(
        (chunk) =>
          new Promise<void>((resolve, reject) => {
            queue.push({ topic, ...chunk, call, settle: { resolve, reject } })
            waitingBytes += chunk.bytes
          }),
      )
      working ??= work()
      await Promise.all(sent)
    },
    async close(wait) {
      closed = true
      if (working !== undefined) await wait(working)
      for (const { settle } of [...inProgress, ...queue]) settle.reject(sendingError(undefined))
      queue = []
      const old = producer
      producer = undefined
      if (old !== undefined) await wait(old.disconnect())
    },
  }
}
