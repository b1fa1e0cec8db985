import type { Admin } from 'kafkajs'
import { decodedBeyond, type Handled, unionHandled } from './handled.ts'
import { createRememberedIds, type RememberedIds } from './ids.ts'
import { emptyJournal, followJournal, type Journal } from './journal.ts'
import { readRecords } from './reading.ts'
import { headerText, idOf } from './record.ts'

export interface Remember {
  /** Maximum ids kept per partition. */
  ids: number
  /** How far back they are read when a partition is taken over, in milliseconds. */
  forMs: number
}

/** The state that a member needs before it handles messages of a partition. */
export interface LoadedState {
  handled: Handled
  ids: RememberedIds
  journal: Journal
  /** Messages that the topic deleted before this group handled them. */
  missed: number
}

interface Committed {
  offset: number
  metadata: string | null
}

/** The group's commits for each partition of a topic; partitions without a commit are missing. */
export async function committedOf(admin: Admin, groupId: string, topic: string): Promise<Map<number, Committed>> {
  const [found] = await admin.fetchOffsets({ groupId, topics: [topic] })
  const committed = new Map<number, Committed>()
  for (const { partition, offset, metadata } of found?.partitions ?? [])
    if (Number(offset) >= 0) committed.set(partition, { offset: Number(offset), metadata })
  return committed
}

/**
 * The journal of a partition, with what came to it since it was `known`; empty when the group has never parked anything
 * of the topic.
 */
export async function readJournal(
  admin: Admin,
  name: string,
  partition: number,
  known: Journal = emptyJournal(),
): Promise<Journal> {
  if (!(await admin.listTopics()).includes(name)) return emptyJournal()
  const edges = await admin.fetchTopicOffsets(name)
  const edge = edges.find((each) => each.partition === partition)
  if (edge === undefined) return emptyJournal()
  // A journal that is shorter than it was is another one.
  const journal = known.next > Number(edge.high) ? emptyJournal() : known
  const where = { topic: name, partition, from: Math.max(journal.next, Number(edge.low)), to: Number(edge.high) }
  journal.next = where.to
  for await (const record of readRecords(admin, where)) followJournal(journal, record)
  return journal
}

/** Loads the state of one partition. `known`: what this process has handled of it, committed or not. */
export async function loadState(options: {
  admin: Admin
  groupId: string
  topic: string
  journalName: string
  partition: number
  known: Handled | undefined
  remember: Remember
  now: number
}): Promise<LoadedState> {
  const { admin, groupId, topic, partition, known, remember } = options
  const committed = (await committedOf(admin, groupId, topic)).get(partition)
  const edge = (await admin.fetchTopicOffsets(topic)).find((each) => each.partition === partition)
  const low = Number(edge?.low ?? 0)
  const high = Number(edge?.high ?? 0)
  // A commit beyond the end belongs to an earlier topic of that name: nothing of this one is handled.
  const stale = committed !== undefined && committed.offset > high
  const before =
    committed === undefined || stale ? { offset: low, beyond: [] } : decodedBeyond(committed.offset, committed.metadata)
  const handled = known === undefined || stale ? before : unionHandled(before, known)
  const journal = await readJournal(admin, options.journalName, partition)
  const ids = createRememberedIds(remember.ids)
  const since = await admin.fetchTopicOffsetsByTimestamp(topic, options.now - remember.forMs)
  const young = Number(since.find((each) => each.partition === partition)?.offset ?? low)
  const from = Math.max(low, Math.min(young, handled.offset), handled.offset - remember.ids)
  for (const { headers } of journal.entries.values()) {
    const id = headerText(headers, 'id')
    if (id !== undefined) ids.add(id)
  }
  for await (const record of readRecords(admin, { topic, partition, from, to: handled.offset })) {
    const id = idOf(record)
    if (id !== undefined) ids.add(id)
  }
  const missed = stale ? 0 : Math.max(0, low - handled.offset)
  return { handled: { ...handled, offset: Math.max(low, handled.offset) }, ids, journal, missed }
}
