import { type Condition, type Documents, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'
import type { Message, MessageBus, Parked } from './port.ts'

/** Parked messages belong to the installation, like checkpoints. */
const tenant = 'system'
/** Maximum total size of the bodies in one put. A larger body (at most 8 MiB) is put alone. */
const maxPutBytes = 4_000_000
/** Number of messages per write of a release, and per read of released ones. */
const pageSize = 1_000
const maxReason = 2_000
/**
 * The highest revision, for a handled message. A member that still has the message must not park it again, because its
 * body is removed.
 */
const handledRevision = Number.MAX_SAFE_INTEGER

/** A parked message without its body. */
export interface ParkedEntry {
  id: string
  /** Increases with each change. */
  revision: number
  group: string
  topic: string
  partition: number
  key: string
  /** The position of the message among the parked messages of the partition. */
  order: number
  reason: string
  /** `true` from the release of the message until it was handled or parked again. */
  isReleased: boolean
  /** An operator has dropped the message, so it was released only to be skipped. */
  isDropped?: boolean | undefined
  message: Omit<Message, 'data'>
}

/** The record of a parked message. */
export interface ParkedBody {
  value: Buffer
  headers: Record<string, string>
}

/** `isHandled`: the message is no longer parked. `body`: present if the message is newly parked. */
export interface ParkedChange {
  entry: ParkedEntry
  body?: ParkedBody
  isHandled?: true
}

type EntryDocument = Omit<ParkedEntry, 'id' | 'revision'>

const parkedEntries = defineCollection<EntryDocument>({
  name: 'parked_messages',
  version: 1,
  idType: 'text',
  schema: z.object({
    group: z.string(),
    topic: z.string(),
    partition: z.number(),
    key: z.string(),
    order: z.number(),
    reason: z.string(),
    isReleased: z.boolean(),
    isDropped: z.boolean().optional(),
    message: z.object({
      id: z.string(),
      key: z.string(),
      type: z.string(),
      tenant: z.string(),
      time: z.string(),
      position: z.string(),
    }),
  }),
  fields: {
    group: { type: 'text', of: ({ group }) => group },
    topic: { type: 'text', of: ({ topic }) => topic },
    partition: { type: 'integer', of: ({ partition }) => partition },
    isReleased: { type: 'boolean', of: ({ isReleased }) => isReleased },
  },
})

/**
 * Bodies are stored separately from the entries, so that counting and listing load no bodies. `value` is base64,
 * because it may be binary.
 */
const parkedBodies = defineCollection<{ value: string; headers: Record<string, string> }>({
  name: 'parked_bodies',
  version: 1,
  idType: 'text',
  schema: z.object({ value: z.string(), headers: z.record(z.string(), z.string()) }),
  fields: {},
})

/**
 * The collections of parked messages, for the documents adapter. No rebuild fills them: they do not derive from events.
 */
export const parkedCollections = [parkedEntries, parkedBodies] as const

/** A store of parked messages, for buses without a store of their own. A write is durable once its promise resolves. */
export interface ParkedMessages extends Pick<MessageBus, 'parked' | 'parkedCount' | 'replayParked'> {
  /** The messages of a partition that the group has parked and not yet handled, in order. */
  ofPartition(where: Pick<ParkedEntry, 'group' | 'topic' | 'partition'>): Promise<ParkedEntry[]>
  /** The keys that have released messages, without repetitions. */
  released(group: string): Promise<Pick<ParkedEntry, 'topic' | 'partition' | 'key'>[]>
  /** The body of a parked message; `undefined` if it was handled. */
  body(id: string): Promise<ParkedBody | undefined>
  /** Applies changes in order. An entry that was handled, or that was changed to a higher revision, stays as it is. */
  write(changes: readonly ParkedChange[]): Promise<void>
}

/** The entry after the message was released, or parked again. */
export const released = (entry: ParkedEntry, isReleased: boolean): ParkedEntry => ({
  ...entry,
  isReleased,
  revision: entry.revision + 1,
})

const entryPut = ({ entry: { id, revision, ...document }, isHandled }: ParkedChange) =>
  documentPut(
    parkedEntries,
    tenant,
    id,
    isHandled ? null : { ...document, reason: document.reason.slice(0, maxReason).toWellFormed() },
    { revision: isHandled ? handledRevision : revision, position: '' },
  )

const bodyPut = (id: string, { value, headers }: ParkedBody) =>
  documentPut(parkedBodies, tenant, id, { value: value.toString('base64'), headers }, { revision: 0, position: '' })

const bodyRemoval = (id: string) => documentPut(parkedBodies, tenant, id, null, { revision: 1, position: '' })

/** Parked messages in documents. */
export function createParkedMessages(documents: Pick<Documents, 'get' | 'put' | 'find' | 'scan'>): ParkedMessages {
  /** Scans all documents, because pages of a query would shift while entries are removed. */
  async function entriesWhere(where: readonly Condition[]): Promise<ParkedEntry[]> {
    const entries: ParkedEntry[] = []
    for await (const { id, document, source } of documents.scan<EntryDocument>(parkedEntries, { where }))
      entries.push({ ...document, id: String(id), revision: source.revision })
    return entries.toSorted((a, b) => a.order - b.order)
  }

  const waitingOf = (group: string): Condition[] => [
    { field: 'group', is: group },
    { field: 'isReleased', is: false },
  ]

  async function write(changes: readonly ParkedChange[]): Promise<void> {
    // Writes bodies first, because an entry without a body could not be handled.
    let puts: ReturnType<typeof bodyPut>[] = []
    let bytes = 0
    for (const { entry, body } of changes) {
      if (body === undefined) continue
      if (bytes + body.value.length > maxPutBytes) {
        await documents.put(puts)
        puts = []
        bytes = 0
      }
      puts.push(bodyPut(entry.id, body))
      bytes += body.value.length
    }
    await documents.put(puts)
    await documents.put(changes.map(entryPut))
    await documents.put(changes.flatMap(({ entry, isHandled }) => (isHandled ? [bodyRemoval(entry.id)] : [])))
  }

  return {
    write,
    async parked(group) {
      const entries = await entriesWhere(waitingOf(group))
      return entries.map(({ topic, message, reason }): Parked => ({ topic, group, message, reason }))
    },
    async parkedCount(group) {
      return (await documents.find(parkedEntries, tenant, { where: waitingOf(group), size: 0 })).count
    },
    async replayParked(group, keys, dropFirstOf) {
      const wanted = new Set(keys)
      const dropping = new Set(keys)
      const entries = (await entriesWhere(waitingOf(group))).filter(({ key }) => wanted.has(key))
      const changes = entries.map((entry) => {
        const isDropped = entry.topic === dropFirstOf && dropping.delete(entry.key)
        return { entry: { ...released(entry, true), ...(isDropped ? { isDropped } : {}) } }
      })
      // In order: members complete an interrupted release of a key only if its first message is released.
      for (let at = 0; at < changes.length; at += pageSize) await write(changes.slice(at, at + pageSize))
      return entries.length
    },
    ofPartition: ({ group, topic, partition }) =>
      entriesWhere([
        { field: 'group', is: group },
        { field: 'topic', is: topic },
        { field: 'partition', is: partition },
      ]),
    async released(group) {
      const where: Condition[] = [
        { field: 'group', is: group },
        { field: 'isReleased', is: true },
      ]
      const keys = new Map<string, Pick<ParkedEntry, 'topic' | 'partition' | 'key'>>()
      // Pages shift while messages are handled. A later call finds the messages that this call misses.
      for (let page = 0; ; page++) {
        const found = await documents.find(parkedEntries, tenant, { where, page, size: pageSize })
        for (const { topic, partition, key } of found.documents)
          keys.set(JSON.stringify([topic, partition, key]), { topic, partition, key })
        if (found.documents.length < pageSize) return [...keys.values()]
      }
    },
    async body(id) {
      const stored = await documents.get(parkedBodies, tenant, id)
      return stored && { value: Buffer.from(stored.document.value, 'base64'), headers: stored.document.headers }
    },
  }
}
