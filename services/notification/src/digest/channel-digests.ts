import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { DueKind } from '@assay/work'
import { channelAggregate, channelDigestDue, channels, everyone, maxChannels } from '../channel/aggregate.ts'
import type { Channel, ChannelState } from '../channel/channel.ts'
import { type ChannelCommand, noSuchChannel } from '../channel/decide.ts'
import type { MayRead } from '../copies/keys.ts'
import { messageOf } from '../delivering/message-of.ts'
import type { Outbox } from '../delivering/outbox.ts'
import { parkUnreadable } from '../delivering/unreadable.ts'
import { deliveries, deliveryAggregate, deliveryKey, type StoredDelivery } from '../delivery/aggregate.ts'
import type { About } from '../notification/about.ts'
import { notifications } from '../notification/aggregate.ts'
import type { StoredNotification } from '../notification/notification.ts'
import { settingsKey, settingsOfUsers } from '../settings/aggregate.ts'
import { defaultSettings, nextDigest } from '../settings/quiet-hours.ts'
import { linkOfChannel, linkOfList } from '../triggers/links.ts'
import { digestOf } from './digest.ts'

const atOnce = 100
const system = { actor: 'system' }

/** The digests that a channel sends, instead of each notification. */
export interface ChannelDigests {
  /** When the next digest is due, in the time zone and at the time of its owner, ISO 8601 UTC; null without digests. */
  dueAt(tenant: string, of: Pick<Channel, 'owner' | 'digest'>): Promise<string | null>
  /** The same after a change of a channel's digests: what was collected is sent now if they end. */
  dueAfter(
    tenant: string,
    before: Pick<Channel, 'owner' | 'digest' | 'digestAt'>,
    digest: Channel['digest'],
  ): Promise<string | null>
  /** After a change of a user's settings. */
  reschedule(tenant: string, user: string): Promise<void>
  /** Sends a digest that is due. Answers the number of notifications, and the delivery, if there is one. */
  send(tenant: string, channelId: number): Promise<{ count: number; deliveryId: string | null }>
  kind: DueKind
}

export function createChannelDigests(deps: {
  commands: CommandHandler
  documents: Documents
  outbox: Outbox
  mayRead: MayRead
  publicUrl: string | undefined
  clock: Clock
}): ChannelDigests {
  const { commands, documents, outbox, mayRead, publicUrl, clock } = deps
  const toChannel = async (tenant: string, id: number, command: ChannelCommand): Promise<ChannelState> =>
    (await commands.handle(channelAggregate, { tenant, id, command, context: system })).state

  /** When a digest is next due after a time (epoch milliseconds), ISO 8601 UTC. */
  async function dueSince(tenant: string, { owner, digest }: Pick<Channel, 'owner' | 'digest'>, since: number) {
    if (digest === 'NONE') return null
    const settings = (await documents.get(settingsOfUsers, tenant, settingsKey(owner)))?.document
    return nextDigest(settings ?? defaultSettings, digest, since)
  }
  const dueAt: ChannelDigests['dueAt'] = (tenant, of) => dueSince(tenant, of, clock.now())

  /** When the digest after an interrupted one is due: now, if that time passed before a process finished the first. */
  async function dueAfterCrash(tenant: string, channel: Channel): Promise<string | null> {
    const now = clock.now()
    const next = await dueSince(tenant, channel, Date.parse(channel.digestingSince ?? isoTime(now)))
    return next !== null && Date.parse(next) < now ? isoTime(now) : next
  }

  /** Makes what is collected part of the digest, and parks what the owner may not read. Each round finds less. */
  async function group(tenant: string, channel: Channel, digest: string): Promise<void> {
    const { channelId, owner, shared } = channel
    const readable = new Map<About, boolean>()
    const where = [
      { field: 'channelId', is: channelId },
      { field: 'status', is: 'COLLECTED' },
    ]
    for (;;) {
      const found = await documents.find(deliveries, tenant, { where, size: atOnce })
      if (found.documents.length === 0) return
      for (const { about } of found.documents)
        if (!readable.has(about)) readable.set(about, shared || (await mayRead(tenant, owner, about)))
      const at = isoTime(clock.now())
      await Promise.all(
        found.documents.map(({ key: id, about }) => {
          const command = readable.get(about) ? { type: 'DigestDelivery' as const, digest, at } : parkUnreadable(at)
          return commands.handle(deliveryAggregate, { tenant, id, command, context: system })
        }),
      )
    }
  }

  async function rowsOf(tenant: string, digest: string): Promise<StoredNotification[]> {
    const rows: StoredNotification[] = []
    const where = [{ field: 'digest', is: digest }]
    for (let page = 0; ; page += 1) {
      const found = await documents.find(deliveries, tenant, { where, page, size: atOnce })
      rows.push(...(await rowsWithKeys(tenant, found.documents)))
      if (found.documents.length < atOnce) return rows
    }
  }

  async function rowsWithKeys(tenant: string, some: readonly StoredDelivery[]): Promise<readonly StoredNotification[]> {
    const keys = some.flatMap(({ rowKey }) => rowKey ?? [])
    if (keys.length === 0) return []
    return (await documents.find(notifications, tenant, { where: [{ field: 'id', in: keys }], size: keys.length }))
      .documents
  }

  /** Requests the delivery of a digest, and wakes the channel. Idempotent. */
  async function request(tenant: string, channel: Channel, digest: string): Promise<number> {
    const rows = await rowsOf(tenant, digest)
    const { channelId, shared, owner } = channel
    const at = isoTime(clock.now())
    const link = shared ? linkOfChannel(channelId) : linkOfList
    const content = digestOf(rows, { during: 'since the last digest', link, at })
    if (content === undefined) return 0
    const row = { ...content, notificationId: null, createdAt: at, count: rows.length }
    const { severity, about: needs } = content
    const of = { eventId: digest, about: '', recipient: shared ? everyone : owner, notificationId: null, sequence: 0 }
    await outbox.request(tenant, [{ ...of, channel, severity, message: messageOf(row, publicUrl), needs }])
    return rows.length
  }

  const send: ChannelDigests['send'] = async (tenant, channelId) => {
    const state = await toChannel(tenant, channelId, { type: 'BeginDigest', at: isoTime(clock.now()) })
    if (state.status !== 'present') throw noSuchChannel()
    const { digesting: digest } = state
    if (digest === null) return { count: 0, deliveryId: null }
    const recipient = state.shared ? everyone : state.owner
    const deliveryId = deliveryKey({ eventId: digest, about: '', recipient, channelId })
    // After a crash: what is collected since then belongs to the next digest.
    const isInterrupted = (await documents.get(deliveries, tenant, deliveryId)) !== undefined
    if (!isInterrupted) await group(tenant, state, digest)
    // Again if the delivery exists, because its channel may not have been woken.
    const count = await request(tenant, state, digest)
    const digestAt = await (isInterrupted ? dueAfterCrash(tenant, state) : dueAt(tenant, state))
    await toChannel(tenant, channelId, { type: 'FinishDigest', digest, digestAt, at: isoTime(clock.now()) })
    return { count, deliveryId: count === 0 ? null : deliveryId }
  }

  return {
    dueAt,
    async dueAfter(tenant, { owner, digest: before, digestAt }, digest) {
      if (digest === before) return digestAt
      return (await dueAt(tenant, { owner, digest })) ?? isoTime(clock.now())
    },
    send,
    async reschedule(tenant, user) {
      const where = [{ field: 'owner', is: user }]
      const { documents: own } = await documents.find(channels, tenant, { where, size: maxChannels })
      for (const channel of own) {
        if (channel.digest === 'NONE') continue
        const digestAt = await dueAt(tenant, channel)
        const command = { type: 'ScheduleDigest' as const, digestAt, at: isoTime(clock.now()) }
        await toChannel(tenant, channel.channelId, command)
      }
    },
    kind: {
      kind: channelDigestDue,
      async handle(tenant, channelId) {
        try {
          await send(tenant, channelId)
        } catch (error) {
          if (!(error instanceof AssayError && error.code === 'not-found')) throw error
        }
        return true
      },
    },
  }
}
