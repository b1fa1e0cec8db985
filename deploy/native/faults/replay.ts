import { setTimeout as sleep } from 'node:timers/promises'
import { createTopicReader } from '../../../packages/message-bus/src/testing/topic-reader.ts'
import { recordName } from './settled.ts'

export interface Replay {
  /**
   * Puts the latest messages of every topic between services on it again, with their ids and keys. `elsewhere`: on
   * another partition than the first time, whose owner does not know their ids.
   */
  again(how: { reversed: boolean; elsewhere: boolean }): Promise<void>
  /** Resolves when every group has handled all messages of the topics; rejects after a minute. */
  handled(): Promise<void>
  /** Whether this put the record of that name on its topic. */
  isOfReplay(name: string): boolean
  close(): Promise<void>
}

const latest = 100
const timeoutMs = 60_000

export function createReplay(brokers: readonly string[]): Replay {
  const topics = createTopicReader(brokers)
  const mine = new Set<string>()
  return {
    async again({ reversed, elsewhere }) {
      const isOwn = (topic: string) => topic.startsWith('assay.')
      const all = (await topics.read(isOwn)).filter((record) => !mine.has(recordName(record))).slice(-latest)
      const some = reversed ? all.toReversed() : all
      for (const record of await topics.send(some, (partition, count) =>
        elsewhere ? (partition + 1) % count : partition,
      ))
        mine.add(recordName(record))
    },
    async handled() {
      const end = performance.now() + timeoutMs
      for (let left = await topics.unhandled(); left > 0; left = await topics.unhandled()) {
        if (performance.now() > end) throw new Error(`${left} messages were not handled within a minute.`)
        await sleep(100)
      }
    },
    isOfReplay: (name) => mine.has(name),
    close: () => topics.close(),
  }
}
