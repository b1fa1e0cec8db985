import type { Clock, Logger, Timers } from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'
import type { ParkedMessages } from '../parked-messages.ts'
import type { BusAdapter, Message } from '../port.ts'
import { defaultRetry, type Retry } from '../retry.ts'
import { tracedHandler, tracedSend } from '../traced.ts'
import { type Connection, createClient } from './client.ts'
import { requestError } from './errors.ts'
import { createNames } from './names.ts'
import { createPublisher } from './publisher.ts'
import { type PartitionOffsets, readTopic } from './read-topic.ts'
import { encodedRecord } from './record.ts'
import { retryUntil } from './retry-until.ts'
import { createSubscription, type GroupSettings, type KafkaSubscription } from './subscription.ts'
import { createTopics } from './topics.ts'
import { withTimeout } from './with-timeout.ts'

/**
 * `healthy` is true while every subscription has recently polled the cluster, or was restarted after an error. A
 * subscription that was restarted because it stalled is healthy only once it has polled.
 */
export interface KafkaBus extends BusAdapter {
  /** Milliseconds since the last poll of the slowest subscription; 0 if there are no subscriptions. */
  lastPollAgeMs(): number
  /**
   * Number of messages that the groups of this process have not handled yet, by group. Throws `unavailable` if the
   * cluster does not answer.
   */
  lag(): Promise<ReadonlyMap<string, number>>
  /** The groups that this process has not joined yet. */
  joining(): string[]
  /**
   * Reads all retained messages of a topic without a group; messages of one key are in order. Reads from the beginning,
   * or from the end of an earlier call, to the current end of the topic. Returns that end. Skips records that are not
   * messages. Throws `unavailable`, and the errors of `handle`.
   */
  readTopic(
    topic: string,
    after: PartitionOffsets | undefined,
    handle: (message: Message) => Promise<void>,
  ): Promise<PartitionOffsets>
}

export interface KafkaBusOptions extends Connection {
  /** The store of parked messages, shared by all processes of a group. */
  parkedMessages: ParkedMessages
  clock: Clock
  timers: Timers
  logger?: Logger
  /** Settings for topics that the bus creates; existing topics are unchanged. */
  partitions: number
  /** Number of replicas of each partition. From 3 on, two of them must be in sync to accept a message. */
  replication: number
  /** Retention of messages. Default 7 days. */
  retentionMs?: number
  /** Compacted topics. They keep the last message of each key forever, because their messages are states. */
  compacted?: readonly string[]
  retry?: Retry
  /** Prefix of every topic and group name. */
  prefix?: string
  /** The `source` of the CloudEvents that contain messages. Default `/assay`. */
  source?: string
  /** After this long without a heartbeat, a member's partitions are reassigned. Default 12 s. */
  sessionTimeoutMs?: number
  /** Default 3 s, and at most a third of the session timeout. */
  heartbeatIntervalMs?: number
  /** Default 60 s. */
  rebalanceTimeoutMs?: number
  /** Default 500 ms. */
  maxWaitMs?: number
  /** Maximum concurrent handlers per group. Default 32. */
  concurrency?: number
  /** Maximum keys per group that may wait for a retry without blocking others. Default 64. */
  maxPausing?: number
  /** Delay before handled messages are committed. Default 50 ms. */
  commitEveryMs?: number
  /**
   * How long `subscribe` waits to join a group. Afterwards, the join continues in the background. Default: no limit.
   */
  joinTimeoutMs?: number
  /** After this long without a poll, `healthy` is false. Default: longer than a join may take, at least 90 s. */
  unhealthyAfterMs?: number
  /** How long `close` waits for the cluster. Default 10 s. */
  closeTimeoutMs?: number
}

interface Member {
  group: string
  topics: readonly string[]
  subscription: KafkaSubscription | undefined
}

const dayMs = 24 * 60 * 60 * 1000
const defaultSessionMs = 12_000
const defaultRebalanceMs = 60_000
/** Time limit of a read, the same as for creating a topic. */
const readTimeoutMs = 30_000
const defaultCloseTimeoutMs = 10_000

function settingsOf(options: KafkaBusOptions, unhealthyAfterMs: number): GroupSettings {
  const { sessionTimeoutMs = defaultSessionMs, rebalanceTimeoutMs = defaultRebalanceMs } = options
  return {
    sessionTimeoutMs,
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? Math.min(3000, Math.floor(sessionTimeoutMs / 3)),
    rebalanceTimeoutMs,
    maxWaitMs: options.maxWaitMs ?? 500,
    concurrency: options.concurrency ?? 32,
    maxPausing: options.maxPausing ?? 64,
    commitEveryMs: options.commitEveryMs ?? 50,
    abandonAfterMs: Math.max(unhealthyAfterMs, rebalanceTimeoutMs + sessionTimeoutMs),
    joinTimeoutMs: options.joinTimeoutMs,
  }
}

/**
 * A message bus over a Kafka cluster. Throws `unavailable` if the cluster does not answer. The package's README lists
 * the guarantees beyond the port, and their limits.
 */
export async function createKafkaBus(options: KafkaBusOptions): Promise<KafkaBus> {
  const { parkedMessages, clock, timers, logger, retry = defaultRetry, source = '/assay' } = options
  const { unhealthyAfterMs = Math.max(90_000, 2 * (options.sessionTimeoutMs ?? defaultSessionMs)) } = options
  const settings = settingsOf(options, unhealthyAfterMs)
  const names = createNames(options.prefix ?? '')
  const { kafka, admin, makeProducer } = createClient(options, logger)
  const onError = (error: unknown, about: string) => logger?.warn({ error: messageOf(error) }, about)
  try {
    await admin.connect()
    // A cluster accepts the connection of an unknown user, and refuses only its first request.
    await admin.describeCluster()
  } catch (error) {
    // Disconnects, because callers retry until the cluster answers, and each attempt would leave a connection open.
    await withTimeout(
      timers,
      options.closeTimeoutMs ?? defaultCloseTimeoutMs,
      admin.disconnect().catch(() => undefined),
    )
    throw requestError(error, 'be reached')
  }
  const topicsOfCluster = createTopics(admin, clock, timers, {
    partitions: options.partitions,
    replication: options.replication,
    retentionMs: options.retentionMs ?? 7 * dayMs,
    compacted: new Set((options.compacted ?? []).map((topic) => names.topic(topic))),
    onError,
  })
  const publisher = createPublisher({
    makeProducer,
    onError,
    // Yields to the event loop once, so that messages of several topics share a request.
    gathered: () => new Promise((resolve) => setImmediate(resolve)),
  })
  const members = new Set<Member>()
  let closing: Promise<void> | undefined

  function requireOpen(): void {
    if (closing !== undefined) throw new AssayError('unavailable', 'The message bus is closed.')
  }

  async function close(): Promise<void> {
    await Promise.all([...members].map(({ subscription }) => subscription?.close()))
    members.clear()
    const patience = options.closeTimeoutMs ?? defaultCloseTimeoutMs
    await publisher.close((work) => withTimeout(timers, patience, work))
    await withTimeout(timers, patience, admin.disconnect())
  }

  const lastPollAgeMs = () =>
    Math.max(0, ...[...members].map(({ subscription }) => clock.now() - (subscription?.lastPoll() ?? clock.now())))

  return {
    async publish(topic, messages) {
      requireOpen()
      if (messages.length === 0) return
      const name = names.topic(topic)
      await tracedSend('kafka', topic, messages, async (sent) => {
        const records = sent.map((message) => encodedRecord(source, message))
        await topicsOfCluster.ensure(name)
        await publisher.send(name, records)
      })
    },
    async subscribe({ topics, group, handle }) {
      requireOpen()
      const wanted = [...new Set(topics)]
      const isTaken = [...members].some(
        (member) => member.group === group && member.topics.some((topic) => wanted.includes(topic)),
      )
      if (isTaken)
        throw new AssayError(
          'taken',
          `The group ${group} is already subscribed to one of these topics in this process.`,
        )
      const member: Member = { group, topics: wanted, subscription: undefined }
      members.add(member)
      try {
        for (const topic of wanted) await topicsOfCluster.ensure(names.topic(topic))
        const subscription = await createSubscription({
          kafka,
          admin,
          store: parkedMessages,
          names,
          topics: wanted,
          group,
          handle: tracedHandler('kafka', group, handle),
          retry,
          settings,
          clock,
          timers,
          onError,
        })
        member.subscription = subscription
        if (closing !== undefined) await subscription.close()
        return {
          lag: subscription.lag,
          close: () => subscription.close().finally(() => members.delete(member)),
        }
      } catch (error) {
        members.delete(member)
        throw error
      }
    },
    async parked(group) {
      requireOpen()
      return await parkedMessages.parked(group)
    },
    async parkedCount(group) {
      requireOpen()
      return await parkedMessages.parkedCount(group)
    },
    async replayParked(group, keys, dropFirstOf) {
      requireOpen()
      const count = await parkedMessages.replayParked(group, keys, dropFirstOf)
      for (const member of members) if (member.group === group) member.subscription?.checkReplays()
      return count
    },
    async readTopic(topic, after, handle) {
      requireOpen()
      const name = names.topic(topic)
      await topicsOfCluster.ensure(name)
      return await readTopic(admin, name, after, handle, (doing) => retryUntil(clock, timers, readTimeoutMs, doing))
    },
    healthy: () => closing === undefined && lastPollAgeMs() < unhealthyAfterMs,
    lastPollAgeMs,
    async lag() {
      requireOpen()
      const lags = new Map<string, number>()
      for (const { group, subscription } of members)
        if (subscription !== undefined) lags.set(group, (lags.get(group) ?? 0) + (await subscription.lag()))
      return lags
    },
    joining: () => [
      ...new Set(
        [...members].flatMap(({ group, subscription }) => (subscription?.isJoining() === false ? [] : [group])),
      ),
    ],
    close() {
      closing ??= close()
      return closing
    },
  }
}
