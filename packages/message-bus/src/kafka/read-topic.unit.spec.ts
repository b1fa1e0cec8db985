import { systemClock, systemTimers } from '@assay/service-kit/node'
import type { Admin } from 'kafkajs'
import { expect, it } from 'vitest'
import { readTopic } from './read-topic.ts'
import { retryUntil } from './retry-until.ts'

it('given a new topic without a leader, then the request is retried', async () => {
  let asked = 0
  const none = async () => Promise.reject(new Error('not called here'))
  const admin: Partial<Admin> = {
    async fetchTopicOffsets() {
      asked += 1
      if (asked === 1)
        throw Object.assign(new Error('This server is not the leader for that topic-partition'), {
          name: 'KafkaJSProtocolError',
          type: 'NOT_LEADER_FOR_PARTITION',
          retriable: true,
        })
      return [{ partition: 0, offset: '7', low: '7', high: '7' }]
    },
    fetchRecords: none,
  }
  const places = await readTopic(admin as Admin, 'a', undefined, none, (doing) =>
    retryUntil(systemClock, systemTimers, 5000, doing),
  )
  expect(places).toEqual(new Map([[0, 7]]))
  expect(asked).toBe(2)
})
