import type { Admin } from 'kafkajs'
import { decodedBeyond, type Handled, type Range, unionHandled } from './handled.ts'
import { emptyJournal, followJournal, type Journal } from './journal.ts'
import { readRecords } from './reading.ts'
import { headerText, idOf } from './record.ts'

/** The state that a member needs before it handles messages of a partition. */
export interface LoadedState {
  /** What was handled or parked. */
  handled: Handled
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

/**
 * The parked messages as ranges of handled offsets, as far as the topic still has them from `from` on: the journal may
 * be of an earlier topic of that name, and a new message at such an offset is another one.
 */
async function parkedRanges(
  admin: Admin,
  { topic, partition, from, high }: { topic: string; partition: number; from: number; high: number },
  journal: Journal,
): Promise<Range[]> {
  const parked = new Map(
    [...journal.entries.values()]
      .filter(({ offset }) => offset >= from)
      .map(({ offset, headers }) => [offset, headerText(headers, 'id')]),
  )
  if (parked.size === 0) return []
  const first = Math.min(...parked.keys())
  const end = Math.min(Math.max(...parked.keys()) + 1, high)
  const ranges: Range[] = []
  for await (const record of readRecords(admin, { topic, partition, from: first, to: end })) {
    const offset = Number(record.offset)
    if (parked.has(offset) && parked.get(offset) === idOf(record)) ranges.push({ start: offset, end: offset + 1 })
  }
  return ranges
}

/** Loads the state of one partition. `known`: what this process has handled of it, committed or not. */
export async function loadState(options: {
  admin: Admin
  groupId: string
  topic: string
  journalName: string
  partition: number
  known: Handled | undefined
}): Promise<LoadedState> {
  const { admin, groupId, topic, partition, known } = options
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
  const from = Math.max(low, handled.offset)
  const parked = await parkedRanges(admin, { topic, partition, from, high }, journal)
  const missed = stale ? 0 : Math.max(0, low - handled.offset)
  return { handled: unionHandled({ ...handled, offset: from }, { offset: 0, beyond: parked }), journal, missed }
}
