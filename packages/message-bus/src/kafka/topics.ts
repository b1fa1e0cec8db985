import type { Timers } from '@assay/service-kit'
import type { Admin, ConfigResourceTypes } from 'kafkajs'
import { askingError } from './errors.ts'

export interface TopicOptions {
  partitions: number
  replication: number
  retentionMs: number
  /** Names of topics that keep the last message of each key for ever, and all of the last day. */
  compacted: ReadonlySet<string>
}

/** The driver's enumeration cannot be imported by name. */
const ofTopic: ConfigResourceTypes.TOPIC = 2
const dayMs = 24 * 60 * 60 * 1000
/** How often, and how many times, a broker is asked for a topic that it has made and does not know yet. */
const knownEveryMs = 100
const knownTries = 100

const isUnknown = (error: unknown) =>
  error instanceof Error && 'type' in error && error.type === 'UNKNOWN_TOPIC_OR_PARTITION'

/**
 * Topics are made by us, once, with our settings; those that are there already are left as they are, but for one that is
 * to be compacted and is not.
 */
export interface Topics {
  ensure(name: string): Promise<void>
  /** A compacted topic with at least the partitions that `of` has. */
  ensureJournal(name: string, of: string): Promise<void>
  names(): Promise<string[]>
}

export function createTopics(admin: Admin, timers: Timers, options: TopicOptions): Topics {
  const known = new Map<string, Promise<void>>()
  const safe = options.replication > 2 ? [{ name: 'min.insync.replicas', value: '2' }] : []

  async function make(name: string, partitions: number, settings: Record<string, string>): Promise<void> {
    const entries = Object.entries(settings).map(([key, value]) => ({ name: key, value }))
    const topic = { topic: name, numPartitions: partitions, replicationFactor: options.replication }
    try {
      // False when another process made it meanwhile, which is as good.
      await admin.createTopics({
        waitForLeaders: true,
        topics: [{ ...topic, configEntries: [...entries, ...safe] }],
      })
    } catch (error) {
      if (!isUnknown(error)) throw error
      await becomesKnown(name)
    }
  }

  /** The controller has made the topic, and a broker that is behind it has been asked for its leaders. */
  async function becomesKnown(name: string): Promise<void> {
    for (let asked = 1; ; asked++) {
      await timers.sleep(knownEveryMs)
      try {
        await partitionsOf(name)
        return
      } catch (error) {
        if (!isUnknown(error) || asked === knownTries) throw error
      }
    }
  }

  async function partitionsOf(name: string): Promise<number> {
    const { topics } = await admin.fetchTopicMetadata({ topics: [name] })
    return topics[0]?.partitions.length ?? 0
  }

  function once(name: string, work: () => Promise<void>): Promise<void> {
    const before = known.get(name)
    if (before !== undefined) return before
    const ensuring = work().catch((error: unknown) => {
      known.delete(name)
      throw askingError(error, `make the topic ${name}`)
    })
    known.set(name, ensuring)
    return ensuring
  }

  const settingsOf = (name: string): Record<string, string> =>
    options.compacted.has(name)
      ? { 'cleanup.policy': 'compact', 'min.compaction.lag.ms': String(dayMs) }
      : { 'cleanup.policy': 'delete', 'retention.ms': String(options.retentionMs) }

  /** A topic of an earlier version of Assay forgets what its followers need for a rebuild. */
  async function compact(name: string): Promise<void> {
    const resource = { type: ofTopic, name }
    const { resources } = await admin.describeConfigs({ resources: [resource], includeSynonyms: false })
    const known = resources[0]?.configEntries ?? []
    if (known.some(({ configName, configValue }) => configName === 'cleanup.policy' && configValue === 'compact'))
      return
    // The call replaces all settings of the topic.
    const own = known.filter(({ isDefault, readOnly }) => !isDefault && !readOnly)
    const settings = {
      ...Object.fromEntries(own.map(({ configName, configValue }) => [configName, configValue])),
      ...settingsOf(name),
    }
    const configEntries = Object.entries(settings).map(([key, value]) => ({ name: key, value }))
    await admin.alterConfigs({ validateOnly: false, resources: [{ ...resource, configEntries }] })
  }

  const exists = async (name: string) => (await admin.listTopics()).includes(name)

  return {
    ensure: (name) =>
      once(name, async () => {
        if (!(await exists(name))) await make(name, options.partitions, settingsOf(name))
        else if (options.compacted.has(name)) await compact(name)
      }),
    ensureJournal: (name, of) =>
      once(name, async () => {
        const wanted = await partitionsOf(of)
        if (!(await exists(name))) await make(name, wanted, { 'cleanup.policy': 'compact' })
        else if ((await partitionsOf(name)) < wanted)
          await admin.createPartitions({ topicPartitions: [{ topic: name, count: wanted }] })
      }),
    names: () =>
      admin.listTopics().catch((error: unknown) => {
        throw askingError(error, 'list its topics')
      }),
  }
}
