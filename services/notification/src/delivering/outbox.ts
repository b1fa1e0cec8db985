import { type ChannelMessage, type NotificationSeverity, severityRank } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler, Loaded } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { channelAggregate } from '../channel/aggregate.ts'
import type { Channel } from '../channel/channel.ts'
import { deliveryAggregate, deliveryKey } from '../delivery/aggregate.ts'
import type { DeliveryState } from '../delivery/delivery.ts'
import { type About, aboutOf } from '../notification/about.ts'
import type { ScoreHistory } from '../scores/score.ts'
import { bodyOf } from '../sending/message.ts'
import { runOfBadRows } from '../sending/shows-bad-rows.ts'

/** A message for one channel. */
export interface DeliveryRequest {
  channel: Pick<Channel, 'channelId' | 'type'>
  /** The event, and the part of it that the message is about. With recipient and channel, they determine the delivery's id. */
  eventId: string
  about: string
  recipient: string
  /** Null for what only a channel gets. */
  notificationId: number | null
  /** Increases with the rows that one process writes. */
  sequence: number
  severity: NotificationSeverity
  message: ChannelMessage
  /** What the recipient must be able to read. Default: the policy or asset of the message. */
  needs?: About
  /** It waits for the digest of its channel. */
  isCollected?: boolean
  /** The key of the incident that it is about. */
  incident?: string | undefined
  /** The scores of the policy, for e-mail. */
  history?: ScoreHistory | undefined
}

/** Requests deliveries, which a worker then sends. */
export interface Outbox {
  /** Requests deliveries, for each channel in the order of the list. Idempotent. */
  request(tenant: string, requests: readonly DeliveryRequest[]): Promise<void>
  /** Makes a worker check the channel of a delivery for due ones. */
  wakeFor(tenant: string, deliveryId: string): Promise<void>
}

const atOnce = 32
const context = { actor: 'system' }

/** Whether a channel accepts notifications of this kind and severity. Pure. */
export function accepts(
  { enabled, kinds, minSeverity }: Pick<Channel, 'enabled' | 'kinds' | 'minSeverity'>,
  of: { kind: ChannelMessage['type']; severity: NotificationSeverity },
): boolean {
  if (!enabled || (kinds !== null && !kinds.includes(of.kind))) return false
  return minSeverity === null || severityRank(of.severity) >= severityRank(minSeverity)
}

/** Messages about one asset stay in order. All messages without an asset share a lane. */
const laneOf = ({ message: { data } }: DeliveryRequest) => String(data.assetId ?? '')

/** `take`: offers an outbox to the worker. */
export function createOutbox(deps: {
  commands: CommandHandler
  documents: Pick<Documents, 'put'>
  clock: Clock
  take(tenant: string, channelId: number, at: string): void
}): Outbox {
  const { commands, documents, clock, take } = deps

  /** Workers find deliveries by their documents. A process may have died before it put one. */
  async function putAgain(tenant: string, id: string, loaded: Loaded<DeliveryState>): Promise<void> {
    const { state, revision, position = '' } = loaded
    await documents.put(deliveryAggregate.documents(state, { tenant, id }, { revision, position }))
  }

  async function create(tenant: string, request: DeliveryRequest): Promise<void> {
    const { channel, message, notificationId, sequence, severity, eventId } = request
    const { channelId, type } = channel
    const body = bodyOf(type, request)
    if (body === undefined) return
    const { createdAt } = message.data
    // Numbers of notifications from several replicas do not increase with time.
    const order = `${createdAt} ${String(sequence).padStart(16, '0')}`
    const about = {
      channelId,
      notificationId,
      kind: message.type,
      severity,
      about: request.needs ?? aboutOf(message.data),
      lane: laneOf(request),
      order,
    }
    const collected = request.isCollected ? { rowKey: eventId } : {}
    const badRowsOf = runOfBadRows(type, message)
    const rows = badRowsOf === undefined ? {} : { badRowsOf }
    const delivery = { ...about, ...collected, ...rows, body, createdAt }
    const command = { type: 'RequestDelivery' as const, delivery }
    const ofEvent = { ...context, causationId: eventId }
    const id = deliveryKey({ ...request, channelId })
    const handled = await commands.handle(deliveryAggregate, { tenant, id, command, context: ofEvent, isNew: true })
    if (handled.events.length === 0) await putAgain(tenant, id, handled)
  }

  async function wake(tenant: string, channelId: number): Promise<void> {
    const at = isoTime(clock.now())
    const command = { type: 'Wake' as const, at }
    const { state } = await commands.handle(channelAggregate, { tenant, id: channelId, command, context })
    if (state.status === 'present' && state.work?.status === 'waiting') take(tenant, channelId, at)
  }

  /** After the deliveries are stored: digests may have ended since the channel was read, and nothing else sends them. */
  async function collect(tenant: string, channelId: number): Promise<void> {
    const command = { type: 'CollectForDigest' as const, at: isoTime(clock.now()) }
    await commands.handle(channelAggregate, { tenant, id: channelId, command, context })
  }

  return {
    async wakeFor(tenant, deliveryId) {
      const loaded = await commands.load(deliveryAggregate, tenant, deliveryId)
      if (loaded.state.status === 'NONE') return
      await putAgain(tenant, deliveryId, loaded)
      await wake(tenant, loaded.state.channelId)
    },
    async request(tenant, requests) {
      // One after the other within a lane: a worker must not find the second one alone.
      const lanes = Map.groupBy(requests, (request) => `${request.channel.channelId} ${laneOf(request)}`).values()
      const createLanes = async () => {
        for (const lane of lanes) for (const request of lane) await create(tenant, request)
      }
      await Promise.all(Array.from({ length: atOnce }, createLanes))
      const channelsOf = (some: readonly DeliveryRequest[] = []) =>
        new Set(some.map(({ channel }) => channel.channelId))
      const { collected, due } = Object.groupBy(requests, ({ isCollected }) => (isCollected ? 'collected' : 'due'))
      for (const channelId of channelsOf(due)) await wake(tenant, channelId)
      for (const channelId of channelsOf(collected)) await collect(tenant, channelId)
    },
  }
}
