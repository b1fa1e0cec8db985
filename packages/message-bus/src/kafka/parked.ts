import type { Admin } from 'kafkajs'
import type { Parked } from '../port.ts'
import { emptyJournal, type Journal, parkedEntries, parkedOf, replayRecord } from './journal.ts'
import { readJournal } from './loading.ts'
import type { Names } from './names.ts'
import type { Publisher } from './publisher.ts'
import type { KafkaSubscription } from './subscription.ts'
import type { Topics } from './topics.ts'

/** The parked messages of groups, whichever member has their partitions. */
export interface ParkedMessages {
  list(group: string): Promise<Parked[]>
  /** How many they are. Reads only what the journals got since it was asked last, and keeps no bodies. */
  count(group: string): Promise<number>
  /** `mine`: the subscriptions of the group in this process. Answers how many messages are released. */
  replay(group: string, key: string, mine: readonly KafkaSubscription[]): Promise<number>
}

export function createParkedMessages(options: {
  admin: Admin
  names: Names
  topicsOfCluster: Pick<Topics, 'names'>
  publisher: Pick<Publisher, 'send'>
}): ParkedMessages {
  const { admin, names, topicsOfCluster, publisher } = options

  /** What was counted last, by name and partition. */
  const counted = new Map<string, Journal>()

  /** The journals of a group, for all topics. */
  async function journalsOf(group: string): Promise<{ topic: string; name: string; partitions: number[] }[]> {
    const journals: { topic: string; name: string; partitions: number[] }[] = []
    for (const name of await topicsOfCluster.names()) {
      const topic = names.topicOfParked(name, group)
      if (topic === undefined) continue
      const { topics } = await admin.fetchTopicMetadata({ topics: [name] })
      const partitions = topics.flatMap((each) => each.partitions.map(({ partitionId }) => partitionId))
      journals.push({ topic, name, partitions: partitions.toSorted((a, b) => a - b) })
    }
    return journals
  }

  return {
    async list(group) {
      const all: Parked[] = []
      for (const { topic, name, partitions } of await journalsOf(group))
        for (const partition of partitions) {
          const journal = await readJournal(admin, name, partition)
          all.push(...parkedEntries(journal).map((entry) => parkedOf(topic, group, partition, entry)))
        }
      return all
    },
    async count(group) {
      let count = 0
      for (const { name, partitions } of await journalsOf(group))
        for (const partition of partitions) {
          const place = `${name}/${partition}`
          const journal = await readJournal(admin, name, partition, counted.get(place) ?? emptyJournal())
          for (const [offset, entry] of journal.entries)
            journal.entries.set(offset, { ...entry, value: null, headers: undefined })
          counted.set(place, journal)
          count += parkedEntries(journal).length
        }
      return count
    },
    async replay(group, key, mine) {
      let count = 0
      for (const subscription of mine) count += await subscription.replayHeld(key)
      for (const { topic, name, partitions } of await journalsOf(group))
        for (const partition of partitions) {
          if (mine.some((subscription) => subscription.holds(topic, partition))) continue
          const journal = await readJournal(admin, name, partition)
          const waiting = parkedEntries(journal).filter((entry) => entry.key === key)
          // The member with the partition, now or later, does it.
          if (waiting.length > 0) await publisher.send(name, [replayRecord(partition, key, false)])
          count += waiting.length
        }
      return count
    },
  }
}
