import type { Checkpoints } from '@assay/event-store'
import type { Message, MessageBus } from '@assay/message-bus'
import { describe, expect, test } from 'vitest'
import type { KeptMessages } from './bus.ts'
import { checkpointsOfTopics, originOfTopics, originTopic } from './topics-origin.ts'

const clock = { now: () => 0 }

/** Uncompacted topics with one partition. */
function topicsInMemory() {
  const topics = new Map<string, Message[]>()
  const publish: MessageBus['publish'] = async (topic, messages) => {
    topics.set(topic, [...(topics.get(topic) ?? []), ...messages])
  }
  const kept: KeptMessages = async (topic, _after, handle) => {
    for (const message of topics.get(topic) ?? []) await handle(message)
    return new Map()
  }
  const nobody = async (): Promise<never> => {
    throw new Error('Nobody asks for this here.')
  }
  const bus: MessageBus = {
    publish,
    subscribe: nobody,
    parked: nobody,
    parkedCount: nobody,
    replayParked: nobody,
    close: nobody,
  }
  return { topics, publish, kept, bus }
}

function checkpointsInMemory() {
  const positions = new Map<string, string>()
  const none = async () => undefined
  const checkpoints: Checkpoints = {
    get: async (name) => positions.get(name),
    set: async (name, position) => void positions.set(name, position),
    parked: async () => [],
    parkedByAll: async () => [],
    begin: async (name) => positions.get(name),
    park: none,
    unpark: async () => false,
    ask: async () => false,
    failAgain: none,
  }
  return { positions, checkpoints }
}

describe('given a service that publishes to topics', () => {
  test('when it meets them again, then they have the origin that it gave them', async () => {
    const cluster = topicsInMemory()
    const first = await originOfTopics(cluster, 'catalog', { newId: () => 'a', clock })
    const again = await originOfTopics(cluster, 'catalog', { newId: () => 'b', clock })
    const other = await originOfTopics(cluster, 'policy', { newId: () => 'c', clock })
    expect([first, again, other]).toEqual(['a', 'a', 'c'])
  })

  test('when two replicas name them at once, then the first counts, also when only the last is left', async () => {
    const cluster = topicsInMemory()
    const both = await Promise.all([
      originOfTopics(cluster, 'catalog', { newId: () => 'a', clock }),
      originOfTopics(cluster, 'catalog', { newId: () => 'b', clock }),
    ])
    expect(both).toEqual(['a', 'a'])
    cluster.topics.set(originTopic, (cluster.topics.get(originTopic) ?? []).slice(-1))
    expect(await originOfTopics(cluster, 'catalog', { newId: () => 'c', clock })).toBe('a')
  })

  test('when the topics are others, then its publisher begins anew, and nobody else', async () => {
    const { positions, checkpoints } = checkpointsInMemory()
    const of = (origin: string | undefined) => checkpointsOfTopics(checkpoints, ['catalog'], origin)
    await of('a').set('catalog-publisher', '7', 0)
    await of('a').set('catalog-repair', '8', 0)
    expect(await of('a').get('catalog-publisher')).toBe('7')
    expect(await of('b').get('catalog-publisher')).toBeUndefined()
    expect(await of('b').get('catalog-repair')).toBe('8')
    expect([...positions.keys()]).toEqual(['catalog-publisher a', 'catalog-repair'])
  })

  test('when its bus keeps nothing, then the checkpoints are as they are', async () => {
    const { bus } = topicsInMemory()
    const origin = await originOfTopics({ bus, kept: undefined }, 'catalog', { newId: () => 'a', clock })
    expect(origin).toBeUndefined()
    const { checkpoints } = checkpointsInMemory()
    expect(checkpointsOfTopics(checkpoints, ['catalog'], origin)).toBe(checkpoints)
  })
})
