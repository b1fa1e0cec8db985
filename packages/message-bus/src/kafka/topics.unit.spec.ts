import type { Clock, Timers } from '@assay/service-kit'
import { isAssayError } from '@assay/service-kit/errors'
import { type Admin, Kafka, logLevel } from 'kafkajs'
import { expect, it } from 'vitest'
import { createTopics } from './topics.ts'

// The driver's errors cannot be imported by name.
const refused = (type: string) => Object.assign(new Error(type), { type, retriable: true })
const unknown = () => refused('UNKNOWN_TOPIC_OR_PARTITION')
const creating = (type: string) => Object.assign(new Error('Topic creation errors'), { errors: [refused(type)] })
/** The driver's error during a leader election, which it classifies as final by mistake. */
function electionError() {
  const cause = new TypeError("Cannot destructure property 'topicMetadata' of '(intermediate value)' as it is null.")
  return Object.assign(new Error(cause.message, { cause }), { name: 'KafkaJSNonRetriableError', retriable: false })
}

type Question = 'describeConfigs' | 'listTopics' | 'createTopics' | 'fetchTopicMetadata'

/** A cluster whose answers fail with the errors listed for them, one after the other, before they succeed. */
function cluster(failing: Partial<Record<Question, readonly Error[]>>, has: readonly string[] = []) {
  const asked = { describeConfigs: 0, listTopics: 0, createTopics: 0, fetchTopicMetadata: 0 }
  const reported: string[] = []
  let now = 0
  /** The settings of every existing topic. */
  let settings: Record<string, string> = { 'retention.ms': '77', 'max.message.bytes': '1048588' }
  const ask = (question: Question) => {
    const error = failing[question]?.[asked[question]++]
    if (error !== undefined) throw error
  }
  const admin: Admin = {
    ...new Kafka({ brokers: ['127.0.0.1:1'], logLevel: logLevel.NOTHING }).admin(),
    async listTopics() {
      ask('listTopics')
      return [...has]
    },
    async createTopics() {
      ask('createTopics')
      return true
    },
    async describeConfigs({ resources }) {
      ask('describeConfigs')
      const configEntries = Object.entries(settings).map(([configName, configValue]) => ({
        configName,
        configValue,
        isDefault: false,
        configSource: 1,
        isSensitive: false,
        readOnly: false,
        configSynonyms: [],
      }))
      const about = { errorCode: 0, errorMessage: '', resourceName: resources[0]?.name ?? '', resourceType: 2 }
      return { resources: [{ configEntries, ...about }], throttleTime: 0 }
    },
    async alterConfigs({ resources }) {
      const entries = resources[0]?.configEntries ?? []
      settings = Object.fromEntries(entries.map(({ name, value }) => [name, value]))
    },
    async fetchTopicMetadata(options) {
      ask('fetchTopicMetadata')
      return {
        topics: [
          {
            name: options?.topics[0] ?? '',
            partitions: [0].map((partitionId) => ({
              partitionErrorCode: 0,
              partitionId,
              leader: 0,
              replicas: [0],
              isr: [0],
            })),
          },
        ],
      }
    },
  }
  const clock: Clock = { now: () => now }
  const timers: Timers = {
    async sleep(milliseconds) {
      now += milliseconds
    },
    every: () => ({ stop: () => undefined }),
  }
  const options = {
    partitions: 1,
    replication: 1,
    retentionMs: 1,
    compacted: new Set(['state']),
    onError: (_: unknown, about: string) => reported.push(about),
  }
  return {
    asked,
    topics: createTopics(admin, clock, timers, options),
    waited: () => now,
    settings: () => settings,
    reported,
  }
}

const times = (count: number, error: () => Error) => Array.from({ length: count }, error)

it('given a new topic that a broker does not know yet, when it is ensured, then the request is retried until the broker knows it', async () => {
  const { asked, topics } = cluster({ createTopics: [unknown()], fetchTopicMetadata: times(2, unknown) })
  await topics.ensure('a')
  await topics.ensure('a')
  expect(asked).toMatchObject({ createTopics: 1, fetchTopicMetadata: 3 })
})

it('given a topic that stays unknown, when it is ensured, then that throws unavailable, and the next call tries again', async () => {
  const { asked, topics, waited } = cluster({ createTopics: times(2, unknown), fetchTopicMetadata: times(25, unknown) })
  await expect(topics.ensure('a')).rejects.toSatisfy((error) => isAssayError(error, 'unavailable'))
  expect(waited()).toBeGreaterThan(25_000)
  expect(waited()).toBeLessThanOrEqual(30_000)
  await topics.ensure('a')
  expect(asked.createTopics).toBe(2)
})

it.each([
  ['the driver throws a TypeError during a leader election', electionError()],
  ['the controller moves', creating('NOT_CONTROLLER')],
  ['the controller is slow', creating('REQUEST_TIMED_OUT')],
  ['brokers are missing', creating('INVALID_REPLICATION_FACTOR')],
  ['a leader is elected', creating('LEADER_NOT_AVAILABLE')],
  ['a connection is refused', Object.assign(new Error('refused'), { name: 'KafkaJSConnectionError', retriable: true })],
])('given that %s, when a topic is ensured, then a retry creates it', async (_, error) => {
  const { asked, topics } = cluster({ listTopics: [error], createTopics: [error, error] })
  await topics.ensure('a')
  expect(asked).toMatchObject({ listTopics: 2, createTopics: 3 })
})

it('given brokers that stay unavailable, when a topic is ensured, then that throws unavailable with the reason', async () => {
  const { topics } = cluster({ createTopics: times(50, () => creating('INVALID_REPLICATION_FACTOR')) })
  await expect(topics.ensure('a')).rejects.toSatisfy(
    (error) => isAssayError(error, 'unavailable') && error.message.includes('INVALID_REPLICATION_FACTOR'),
  )
})

it.each([
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'INVALID_CONFIG',
  'INVALID_TOPIC_EXCEPTION',
  'POLICY_VIOLATION',
])('given a cluster that answers %s, when a topic is ensured, then the call fails immediately', async (type) => {
  const { asked, topics, waited } = cluster({ createTopics: times(50, () => creating(type)) })
  await expect(topics.ensure('a')).rejects.toSatisfy((error) => isAssayError(error, 'internal'))
  expect(asked.createTopics).toBe(1)
  expect(waited()).toBe(0)
})

it.each([
  ['a', {}],
  ['state', { 'cleanup.policy': 'compact', 'min.compaction.lag.ms': '86400000' }],
])(
  'given the existing topic %s, when it is ensured, then it accepts large messages and keeps its other settings',
  async (name, more) => {
    const { topics, settings } = cluster({}, [name])
    await topics.ensure(name)
    expect(settings()).toEqual({ 'retention.ms': '77', 'max.message.bytes': '8388608', ...more })
  },
)

it.each([
  ['a', true],
  ['state', false],
])(
  'given a cluster that forbids changing the topic %s, when it is ensured, then that is a warning (true) or an error (false)',
  async (name, isUsed) => {
    const { topics, reported } = cluster({ describeConfigs: [refused('TOPIC_AUTHORIZATION_FAILED')] }, [name])
    const ensured = topics.ensure(name)
    if (isUsed) await ensured
    else await expect(ensured).rejects.toSatisfy(isAssayError)
    expect(reported).toHaveLength(isUsed ? 1 : 0)
  },
)
