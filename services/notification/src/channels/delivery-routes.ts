import { type ChannelMessage, deliveryStatus, channelOperations as operations } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, commandContext, isoTime, type NewId, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { channelAggregate } from '../channel/aggregate.ts'
import type { Channel } from '../channel/channel.ts'
import { messageOf } from '../delivering/message-of.ts'
import { deliveries, deliveryAggregate, messageIdOf } from '../delivery/aggregate.ts'
import type { ChannelDigests } from '../digest/channel-digests.ts'
import { isAlerting } from '../routing/alerting.ts'
import { bodyOf } from '../sending/message.ts'
import type { Send } from '../sending/sender.ts'
import { linkOfChannel } from '../triggers/links.ts'
import { deliveryRecord } from './channel-record.ts'
import { ownChannel } from './own-channels.ts'

const shownDays = 30
/** Maximum time of a test in milliseconds: its answer comes within 10 seconds. */
const testMs = 9_500

const notActive = ({ state }: Channel) =>
  new AssayError(
    'unprocessable',
    `This channel is ${state}, so it sends nothing. Enable it with PUT {"enabled": true}, which also sends what was parked meanwhile.`,
  )

/** Reads and repeats the deliveries of a channel, and tests it. */
export function deliveryRoutes(deps: {
  commands: CommandHandler
  documents: Documents
  digests: Pick<ChannelDigests, 'send'>
  send: Send
  newId: NewId
  publicUrl: string | undefined
  clock: Clock
}): Route[] {
  const { commands, documents, digests, send, newId, publicUrl, clock } = deps

  /** Resolves the alert of a test, because nothing else would. */
  async function endTest(tenant: string, channel: Channel, message: ChannelMessage): Promise<void> {
    const body = bodyOf(channel.type, { message, isOver: true })
    if (body !== undefined) await send(tenant, channel, { id: messageIdOf(newId()), body }).catch(() => undefined)
  }

  return [
    route(operations.listDeliveries, async (call) => {
      const { page, size, sortBy, status } = call.query
      const { tenant } = call.identity
      const channel = await ownChannel(commands, call, call.params.id)
      const direction = sortBy?.direction ?? 'desc'
      const where = [
        { field: 'channelId', is: channel.channelId },
        { field: 'createdAt', from: isoTime(clock.now() - shownDays * 86_400_000) },
        // Not what digests contain: they have deliveries of their own.
        { field: 'status', in: status ?? deliveryStatus.options },
      ]
      const sort = [
        { field: 'createdAt', direction },
        { field: 'order', direction },
      ]
      const found = await findPage(documents, call, deliveries, { tenant, where, sort, page, size })
      const data = found.documents.map((delivery) => deliveryRecord(delivery, channel))
      return { body: { data, meta: { count: found.count, page, size } } }
    }),
    route(operations.replayDelivery, async (call) => {
      const { tenant } = call.identity
      const { id, deliveryId } = call.params
      const channel = await ownChannel(commands, call, id)
      const { state: before } = await commands.load(deliveryAggregate, tenant, deliveryId)
      if (before.status === 'NONE' || before.channelId !== channel.channelId)
        throw new AssayError('not-found', 'This channel has no such delivery.')
      // A disabled channel keeps it until it is enabled.
      if (channel.state !== 'ACTIVE') throw notActive(channel)
      const command = { type: 'ReplayDelivery' as const, at: isoTime(clock.now()) }
      const request = { tenant, id: deliveryId, command, context: commandContext(call) }
      const { state } = await commands.handle(deliveryAggregate, request)
      if (state.status === 'NONE') throw new AssayError('internal', 'The delivery is missing.')
      return { body: { data: deliveryRecord({ key: deliveryId, ...state }, channel) } }
    }),
    route(operations.sendChannelDigest, async (call) => {
      const { tenant } = call.identity
      const channel = await ownChannel(commands, call, call.params.id)
      const command = { type: 'RequestDigest' as const, at: isoTime(clock.now()) }
      const request = { tenant, id: channel.channelId, command, context: commandContext(call) }
      await commands.handle(channelAggregate, request)
      return { body: { data: await digests.send(tenant, channel.channelId) } }
    }),
    route(operations.testChannel, async (call) => {
      const { tenant, user: recipient } = call.identity
      const channel = await ownChannel(commands, call, call.params.id)
      const at = isoTime(clock.now())
      const about = {
        kind: 'TEST',
        severity: 'INFO',
        assetId: null,
        policyId: null,
        executionId: null,
      } as const
      const row = {
        ...{ ...about, notificationId: null, at, createdAt: at, count: 1 },
        title: `Test of the channel '${channel.name}'`,
        text: `${recipient} sent this message to test the channel.`,
        link: linkOfChannel(channel.channelId),
      }
      const body = bodyOf(channel.type, { message: messageOf(row, publicUrl) })
      if (body === undefined) throw new AssayError('internal', 'This channel has no test message.')
      const message = { id: messageIdOf(newId()), body, withinMs: testMs }
      const result = await send(tenant, channel, message, call.signal)
      const { delivered, status, latencyMs, error } = result
      // The answer does not wait for the end of the alert.
      if (delivered && isAlerting(channel.type)) void endTest(tenant, channel, messageOf(row, publicUrl))
      const answer = { delivered, status, latencyMs, message: error ?? 'The receiver took the message.' }
      return { body: { data: answer } }
    }),
  ]
}
