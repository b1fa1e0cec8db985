import type { Admin } from 'kafkajs'
import type { AssignedPartition } from './assigned-partitions.ts'
import { countBeyond, decodedBeyond } from './handled.ts'
import { committedOf } from './loading.ts'

/**
 * The number of unhandled messages of the group. For partitions of this member it follows from their state, for other
 * partitions from the commits of their members.
 */
export async function lagOf(options: {
  admin: Admin
  groupId: string
  topics: readonly string[]
  find: (name: string, partition: number) => AssignedPartition | undefined
}): Promise<number> {
  const { admin, groupId, topics, find } = options
  let lag = 0
  for (const topic of topics) {
    const edges = await admin.fetchTopicOffsets(topic)
    const isHeld = (partition: number) => find(topic, partition)?.state() !== undefined
    const others = edges.some(({ partition }) => !isHeld(partition))
    const committed = others ? await committedOf(admin, groupId, topic) : new Map<number, never>()
    for (const { partition, low, high } of edges) {
      const state = find(topic, partition)?.state()
      if (state !== undefined) lag += Math.max(0, Number(high) - state.next()) + state.open()
      else {
        const { offset = Number(low), metadata = null } = committed.get(partition) ?? {}
        const handled = decodedBeyond(offset, metadata)
        lag += Math.max(0, Number(high) - Math.max(Number(low), offset) - countBeyond(handled))
      }
    }
  }
  return lag
}
