import type { Clock, Timers } from '@assay/service-kit'
import type { Admin, ConfigResourceTypes, ConfigSource } from 'kafkajs'
import { requestError } from './errors.ts'
import { maxMessageBytes } from './record.ts'
import { type Ask, isFinal, retryUntil } from './retry-until.ts'

export interface TopicOptions {
  partitions: number
  replication: number
  retentionMs: number
  /** Names of compacted topics. They keep the last message of each key forever, and all messages of the last day. */
  compacted: ReadonlySet<string>
}

/** The driver's enums cannot be imported by name. */
const setOnTopic: ConfigSource.TOPIC_CONFIG = 1
const ofTopic: ConfigResourceTypes.TOPIC = 2
const dayMs = 24 * 60 * 60 * 1000
/** How long transient errors of the cluster are retried. */
const timeoutMs = 30_000

const isUnknown = (error: unknown) =>
  error instanceof Error && 'type' in error && error.type === 'UNKNOWN_TOPIC_OR_PARTITION'

/**
 * Creates topics with Assay's settings. An existing topic is changed only if it lacks required compaction, or if it
 * accepts only smaller messages. Transient errors (an election, missing brokers) are retried for 30 s. Throws
 * `unavailable` after that time. Throws `internal` immediately if the cluster forbids the creation, or refuses a name
 * or a setting.
 */
export interface Topics {
  ensure(name: string): Promise<void>
}

export function createTopics(
  admin: Admin,
  clock: Clock,
  timers: Timers,
  options: TopicOptions & { onError(error: unknown, about: string): void },
): Topics {
  const known = new Map<string, Promise<void>>()
  const always = [
    { name: 'max.message.bytes', value: String(maxMessageBytes) },
    ...(options.replication > 2 ? [{ name: 'min.insync.replicas', value: '2' }] : []),
  ]

  async function make(ask: Ask, name: string, partitions: number, settings: Record<string, string>): Promise<void> {
    const entries = Object.entries(settings).map(([key, value]) => ({ name: key, value }))
    const topic = { topic: name, numPartitions: partitions, replicationFactor: options.replication }
    const isKnown = await ask(async () => {
      try {
        // False if another process, or an earlier attempt, has created the topic. This is not an error.
        await admin.createTopics({
          waitForLeaders: true,
          topics: [{ ...topic, configEntries: [...entries, ...always] }],
        })
        return true
      } catch (error) {
        if (!isUnknown(error)) throw error
        return false
      }
    })
    // The controller has created the topic, but this broker may not know it yet.
    if (!isKnown) await ask(() => partitionsOf(name))
  }

  async function partitionsOf(name: string): Promise<number> {
    const { topics } = await admin.fetchTopicMetadata({ topics: [name] })
    return topics[0]?.partitions.length ?? 0
  }

  function once(name: string, work: (ask: Ask) => Promise<void>): Promise<void> {
    const before = known.get(name)
    if (before !== undefined) return before
    const doing = `create the topic ${name}`
    const ensuring = work(retryUntil(clock, timers, timeoutMs, doing)).catch((error: unknown) => {
      known.delete(name)
      throw requestError(error, doing)
    })
    known.set(name, ensuring)
    return ensuring
  }

  const settingsOf = (name: string): Record<string, string> =>
    options.compacted.has(name)
      ? { 'cleanup.policy': 'compact', 'min.compaction.lag.ms': String(dayMs) }
      : { 'cleanup.policy': 'delete', 'retention.ms': String(options.retentionMs) }

  /** Corrects a topic that lacks compaction, which rebuilds need, or that has a smaller maximum message size. */
  async function fit(name: string): Promise<void> {
    const resource = { type: ofTopic, name }
    const { resources } = await admin.describeConfigs({ resources: [resource], includeSynonyms: false })
    const known = resources[0]?.configEntries ?? []
    const settingNow = (wanted: string) => known.find(({ configName }) => configName === wanted)?.configValue
    const isCompacted = settingNow('cleanup.policy') === 'compact' || !options.compacted.has(name)
    const takesAll = Number(settingNow('max.message.bytes')) >= maxMessageBytes
    if (isCompacted && takesAll) return
    // The call replaces all settings of the topic.
    const own = known.filter(({ configSource, readOnly }) => configSource === setOnTopic && !readOnly)
    const settings = {
      ...Object.fromEntries(own.map(({ configName, configValue }) => [configName, configValue])),
      ...(isCompacted ? {} : settingsOf(name)),
      ...(takesAll ? {} : { 'max.message.bytes': String(maxMessageBytes) }),
    }
    const configEntries = Object.entries(settings).map(([key, value]) => ({ name: key, value }))
    await admin.alterConfigs({ validateOnly: false, resources: [{ ...resource, configEntries }] })
  }

  /**
   * Like `fit`. If the cluster forbids the change and the topic needs no compaction, uses the topic as it is, with a
   * warning.
   */
  async function fitOrWarn(name: string): Promise<void> {
    try {
      await fit(name)
    } catch (error) {
      if (options.compacted.has(name) || !isFinal(error)) throw error
      options.onError(
        error,
        `The maximum message size of the topic ${name} is smaller than Assay's messages can be, and cannot be changed.`,
      )
    }
  }

  const exists = async (name: string) => (await admin.listTopics()).includes(name)

  return {
    ensure: (name) =>
      once(name, async (ask) => {
        if (!(await ask(() => exists(name)))) await make(ask, name, options.partitions, settingsOf(name))
        else await ask(() => fitOrWarn(name))
      }),
  }
}
