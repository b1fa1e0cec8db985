import type { IHeaders, KafkaMessage } from 'kafkajs'
import type { Message, Parked } from '../port.ts'
import type { Sized } from './publisher.ts'
import { decodedRecord, headerText } from './record.ts'

/**
 * What a group has parked of a partition is in the partition of the same number of a compacted topic, one record per
 * message, keyed by the message's offset: `parked`, then `back` when it was released, then nothing when it was handled.
 * A command `replay` for a message key requests the release of the key from the group's member with the partition.
 */
export interface ParkedEntry {
  /** Of the message on its topic. */
  offset: number
  key: string
  state: 'parked' | 'back'
  reason: string
  value: Buffer | null
  headers: IHeaders | undefined
}

/** The journal of one partition, as far as it was read. */
export interface Journal {
  entries: Map<number, ParkedEntry>
  /** Keys whose replay was requested and which the member has not released yet. */
  replays: Set<string>
  /** The offset in the journal up to which it was read. */
  next: number
}

const entryName = (offset: number) => `message:${offset}`
const replayName = (key: string) => `replay:${key}`
const prefix = 'parked-'
const maxReason = 2000

export const emptyJournal = (): Journal => ({ entries: new Map(), replays: new Set(), next: 0 })

/** Applies the next record of the journal. */
export function followJournal(journal: Journal, record: KafkaMessage): void {
  const [kind, name = ''] = splitOnce(record.key?.toString() ?? '')
  if (kind === 'replay') {
    if (record.value === null) journal.replays.delete(name)
    else {
      journal.replays.add(name)
      for (const entry of journal.entries.values()) if (entry.key === name) entry.state = 'back'
    }
  } else if (kind === 'message') {
    const offset = Number(name)
    if (record.value === null) journal.entries.delete(offset)
    else journal.entries.set(offset, entryOf(offset, record))
  }
}

function splitOnce(text: string): [string, string?] {
  const at = text.indexOf(':')
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

function entryOf(offset: number, { value, headers = {} }: KafkaMessage): ParkedEntry {
  const isOurs = (name: string) => name.startsWith(prefix)
  return {
    offset,
    key: headerText(headers, `${prefix}key`) ?? '',
    state: headerText(headers, `${prefix}state`) === 'back' ? 'back' : 'parked',
    reason: headerText(headers, `${prefix}reason`) ?? '',
    value,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !isOurs(name))),
  }
}

export function entryRecord(partition: number, entry: ParkedEntry): Sized {
  return {
    partition,
    key: entryName(entry.offset),
    // A record without a body would count as the end of the entry.
    value: entry.value ?? Buffer.from(' '),
    headers: {
      ...entry.headers,
      [`${prefix}key`]: entry.key,
      [`${prefix}state`]: entry.state,
      [`${prefix}reason`]: entry.reason.slice(0, maxReason),
    },
  }
}

/** The message of that offset is no longer parked. */
export const handledRecord = (partition: number, offset: number): Sized => ({
  partition,
  key: entryName(offset),
  value: null,
})

/** A request to release the key; with `done`, its confirmation. */
export const replayRecord = (partition: number, key: string, done: boolean): Sized => ({
  partition,
  key: replayName(key),
  value: done ? null : Buffer.from('{}'),
})

/** The entries that wait for a replay, in the order of the topic. */
export function parkedEntries(journal: Journal): ParkedEntry[] {
  return [...journal.entries.values()].filter(({ state }) => state === 'parked').sort((a, b) => a.offset - b.offset)
}

/** The entry in the port's form. An unreadable one becomes a message of type `unreadable`. */
export function parkedOf(topic: string, group: string, partition: number, entry: ParkedEntry): Parked {
  const unreadable = (): Message => ({
    id: `${topic}/${partition}/${entry.offset}`,
    key: entry.key,
    type: 'unreadable',
    tenant: '',
    time: '',
    position: '',
    data: entry.value?.toString() ?? null,
  })
  const message = decodedRecord(entry.key, entry.value, entry.headers) ?? unreadable()
  return { topic, group, message, reason: entry.reason }
}
