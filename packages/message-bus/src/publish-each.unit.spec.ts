import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from './port.ts'
import { publishEach } from './publish-each.ts'
import { testMessage } from './testing/message.ts'

interface Happened {
  id: string
  key: string
  topics: readonly string[]
}

/**
 * A bus whose sends end in any order, and may fail after they have stored the first part of their messages. (Messages
 * after a gap have other keys, so their order does not matter.)
 */
function failingBus(faults: readonly { kept: number; turns: number }[]) {
  const kept: { topic: string; message: Message }[] = []
  let calls = 0
  let inProgress = 0
  return {
    kept,
    inProgress: () => inProgress,
    async publish(topic: string, messages: readonly Message[]): Promise<void> {
      const fault = faults[calls++]
      inProgress += 1
      for (let turn = 0; turn < (fault?.turns ?? 0); turn++) await new Promise((resolve) => setImmediate(resolve))
      inProgress -= 1
      const stored = fault === undefined ? messages : messages.slice(0, fault.kept)
      kept.push(...stored.map((message) => ({ topic, message })))
      if (fault !== undefined && stored.length < messages.length) throw new Error('The bus is unavailable.')
    },
  }
}

const messagesOf = async ({ id, key, topics }: Happened) =>
  topics.map((topic) => ({ topic, message: testMessage(key, id) }))

/** The ids in the order in which a group first gets them. */
function handled(kept: readonly { topic: string; message: Message }[], topic: string, key: string): string[] {
  const ids = kept.filter((each) => each.topic === topic && each.message.key === key).map(({ message }) => message.id)
  return [...new Set(ids)]
}

const happened = fc
  .array(
    fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      topics: fc.subarray(['one', 'two']),
    }),
    { maxLength: 300 },
  )
  .map((all) => all.map((each, at): Happened => ({ ...each, id: `event-${at}` })))

const faults = fc.array(fc.record({ kept: fc.nat(150), turns: fc.nat(3) }), { maxLength: 8 })

describe('publishing the messages of events', () => {
  it('given sends that fail partially, when they are retried until they succeed, then each key has all messages, in order', async () => {
    await fc.assert(
      fc.asyncProperty(happened, faults, async (events, some) => {
        const bus = failingBus(some)
        for (let isDone = false; !isDone; ) {
          isDone = await publishEach(bus, events, messagesOf).then(
            () => true,
            () => false,
          )
          expect(bus.inProgress()).toBe(0)
        }
        for (const topic of ['one', 'two'])
          for (const key of ['a', 'b', 'c'])
            expect(handled(bus.kept, topic, key)).toEqual(
              events.filter((event) => event.key === key && event.topics.includes(topic)).map(({ id }) => id),
            )
      }),
      { numRuns: 100 },
    )
  })

  it('given a failed batch, when its events are published one by one, as a processor does, then no message is missing', async () => {
    const events = Array.from(
      { length: 150 },
      (_, at): Happened => ({ id: `e${at}`, key: `k${at % 7}`, topics: ['one'] }),
    )
    const bus = failingBus([
      { kept: 128, turns: 0 },
      { kept: 5, turns: 1 },
    ])
    await expect(publishEach(bus, events, messagesOf)).rejects.toThrow('The bus is unavailable.')
    for (const event of events) await publishEach(bus, [event], messagesOf)
    for (let key = 0; key < 7; key++)
      expect(handled(bus.kept, 'one', `k${key}`)).toEqual(
        events.filter((event) => event.key === `k${key}`).map(({ id }) => id),
      )
  })

  it('given a topic that fails immediately, when another is still being sent, then the call rejects only after all sends settle', async () => {
    const bus = failingBus([
      { kept: 0, turns: 0 },
      { kept: 1, turns: 5 },
    ])
    const publishing = publishEach(bus, [{ id: 'e', key: 'k', topics: ['one', 'two'] }], messagesOf)
    await expect(publishing).rejects.toThrow('The bus is unavailable.')
    expect(bus.inProgress()).toBe(0)
    expect(handled(bus.kept, 'two', 'k')).toEqual(['e'])
  })

  it('given messages that cannot be created, then no message of the batch is sent', async () => {
    const bus = failingBus([])
    const events = ['good', 'bad'].map((id): Happened => ({ id, key: 'k', topics: ['one'] }))
    const publishing = publishEach(bus, events, async (event) => {
      if (event.id === 'bad') throw new Error('It cannot be read.')
      return messagesOf(event)
    })
    await expect(publishing).rejects.toThrow('It cannot be read.')
    expect(bus.kept).toEqual([])
  })
})
