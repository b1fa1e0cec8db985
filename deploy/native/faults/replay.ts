import { setTimeout as sleep } from 'node:timers/promises'
import { createTopicReader } from '../../../packages/message-bus/src/testing/topic-reader.ts'
import { recordName } from './settled.ts'

export interface Replay {
  /**
   * Sends the latest messages of every topic again, with their ids and keys. `elsewhere`: to another partition, whose
   * owner does not know their ids.
   */
  again(how: { reversed: boolean; elsewhere: boolean }): Promise<void>
  /** Resolves when every group has handled all messages of the topics; rejects after a minute. */
  handled(): Promise<void>
  /** Whether this replay has sent the record with this name. */
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
