import { isAssayError } from '@assay/service-kit/errors'
import { type Admin, Kafka, logLevel } from 'kafkajs'
import { expect, it } from 'vitest'
import { createTopics } from './topics.ts'

const unknown = () =>
  Object.assign(new Error('This server does not host this topic-partition'), {
    type: 'UNKNOWN_TOPIC_OR_PARTITION',
    retriable: true,
  })

/** A cluster whose brokers know a topic only when they were asked for it `asks` times after it was made. */
function slowCluster(asks: number) {
  const told = { made: 0, asked: 0 }
  const admin: Admin = {
    ...new Kafka({ brokers: ['127.0.0.1:1'], logLevel: logLevel.NOTHING }).admin(),
    listTopics: async () => [],
    async createTopics() {
      told.made++
      throw unknown()
    },
    async fetchTopicMetadata() {
      if (++told.asked < asks) throw unknown()
      return { topics: [] }
    },
  }
  const timers = { sleep: async () => undefined, every: () => ({ stop: () => undefined }) }
  const topics = createTopics(admin, timers, { partitions: 1, replication: 1, retentionMs: 1, compacted: new Set() })
  return { told, topics }
}

it('given a topic that is made and that a broker does not know yet, when it is ensured, then it is waited for', async () => {
  const { told, topics } = slowCluster(3)
  await topics.ensure('a')
  await topics.ensure('a')
  expect(told).toEqual({ made: 1, asked: 3 })
})

it('given a topic that stays unknown, when it is ensured, then it is unavailable, and tried anew the next time', async () => {
  const { told, topics } = slowCluster(150)
  await expect(topics.ensure('a')).rejects.toSatisfy((error) => isAssayError(error, 'unavailable'))
  await topics.ensure('a')
  expect(told.made).toBe(2)
})
