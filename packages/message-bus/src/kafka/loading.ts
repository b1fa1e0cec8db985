import type { Admin } from 'kafkajs'
import { decodedBeyond, type Handled, unionHandled } from './handled.ts'

/** The state that a member needs before it handles messages of a partition. */
export interface LoadedState {
  handled: Handled
  /** Number of messages that the topic deleted before this group handled them. */
  missed: number
}

interface Committed {
  offset: number
  metadata: string | null
}

/** The group's commits for each partition of a topic; partitions without a commit are left out. */
export async function committedOf(admin: Admin, groupId: string, topic: string): Promise<Map<number, Committed>> {
  const [found] = await admin.fetchOffsets({ groupId, topics: [topic] })
  const committed = new Map<number, Committed>()
  for (const { partition, offset, metadata } of found?.partitions ?? [])
    if (Number(offset) >= 0) committed.set(partition, { offset: Number(offset), metadata })
  return committed
}

/**
 * Loads the state of one partition. `known`: messages of the partition that this process has handled, committed or not.
 */
export async function loadState(options: {
  admin: Admin
  groupId: string
  topic: string
  partition: number
  known: Handled | undefined
}): Promise<LoadedState> {
  const { admin, groupId, topic, partition, known } = options
  const committed = (await committedOf(admin, groupId, topic)).get(partition)
  const edge = (await admin.fetchTopicOffsets(topic)).find((each) => each.partition === partition)
  const low = Number(edge?.low ?? 0)
  const high = Number(edge?.high ?? 0)
  // A commit beyond the end belongs to a deleted topic of the same name. No message of the current topic is handled
  // yet.
  const stale = committed !== undefined && committed.offset > high
  const before =
    committed === undefined || stale ? { offset: low, beyond: [] } : decodedBeyond(committed.offset, committed.metadata)
  const handled = known === undefined || stale ? before : unionHandled(before, known)
  const missed = stale ? 0 : Math.max(0, low - handled.offset)
  return { handled: unionHandled(handled, { offset: low, beyond: [] }), missed }
}
