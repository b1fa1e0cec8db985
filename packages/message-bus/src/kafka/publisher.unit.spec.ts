import { isAssayError } from '@assay/service-kit/errors'
import type { Producer, ProducerBatch } from 'kafkajs'
import { describe, expect, it, vi } from 'vitest'
import { createPublisher, type Sized } from './publisher.ts'

const record = (text: string): Sized => ({ key: 'k', value: Buffer.from(text) })

/** Producers that record their calls and answer when the test releases them. */
function setUp() {
  const made: { sent: string[][]; disconnected: boolean }[] = []
  const waiting: { resolve(): void; reject(error: unknown): void }[] = []
  const makeProducer = () => {
    const one = { sent: [] as string[][], disconnected: false }
    made.push(one)
    const producer: Pick<Producer, 'connect' | 'disconnect' | 'sendBatch'> = {
      connect: async () => {},
      async disconnect() {
        one.disconnected = true
      },
      sendBatch({ topicMessages = [] }: ProducerBatch) {
        one.sent.push(topicMessages.flatMap(({ messages }) => messages.map(({ value }) => String(value).slice(0, 10))))
        return new Promise((resolve, reject) => waiting.push({ resolve: () => resolve([]), reject }))
      },
    }
    // Has only the methods that the publisher calls.
    return producer as Producer
  }
  const publisher = createPublisher({ makeProducer, onError: () => {} })
  const answer = async (settle: (one: { resolve(): void; reject(error: unknown): void }) => void) => {
    const one = await vi.waitUntil(() => waiting.shift(), { interval: 1 })
    settle(one)
  }
  return { made, publisher, answer, waiting }
}

describe('sending to Kafka', () => {
  it('given many calls, then the calls made during a send share the next request, in order', async () => {
    const { made, publisher, answer, waiting } = setUp()
    const sent = Promise.all(['1', '2', '3'].map((text) => publisher.send('t', [record(text)])))
    await vi.waitUntil(() => waiting.length > 0)
    const later = publisher.send('t', [record('4')])
    await answer((one) => one.resolve())
    await answer((one) => one.resolve())
    await Promise.all([sent, later])
    expect(made.map((each) => each.sent)).toEqual([[['1'], ['2', '3', '4']]].map((each) => [...each]))
  })

  it('given a rejected send, then the next one uses a new producer, and the old one is disconnected', async () => {
    const { made, publisher, answer } = setUp()
    const first = publisher.send('t', [record('1')])
    await answer((one) => one.reject(new Error('no answer')))
    await expect(first).rejects.toSatisfy((error) => isAssayError(error, 'unknown-outcome'))
    const second = publisher.send('t', [record('2')])
    await answer((one) => one.resolve())
    await second
    expect(made).toEqual([
      { sent: [['1']], disconnected: true },
      { sent: [['2']], disconnected: false },
    ])
  })

  it('given a call of several requests, when the first is rejected, then no further request is sent', async () => {
    const { made, publisher, answer } = setUp()
    const large = ['1', '2', '3'].map((text) => record(text.padEnd(500_000)))
    const sent = publisher.send('t', large)
    await answer((one) => one.reject(new Error('no answer')))
    await expect(sent).rejects.toSatisfy((error) => isAssayError(error, 'unknown-outcome'))
    const next = publisher.send('t', [record('next')])
    await answer((one) => one.resolve())
    await next
    expect(made.flatMap((each) => each.sent).map((batch) => batch.map((text) => text.trim()))).toEqual([
      ['1'],
      ['next'],
    ])
  })

  it('given a send without an answer, when the publisher is closed, then the send and later ones are rejected', async () => {
    const { publisher } = setUp()
    const sent = publisher.send('t', [record('1')])
    await publisher.close(async () => {})
    await expect(sent).rejects.toSatisfy((error) => isAssayError(error, 'unknown-outcome'))
    await expect(publisher.send('t', [record('2')])).rejects.toSatisfy((error) => isAssayError(error, 'unavailable'))
  })
})
