import { channelOperations as operations } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import type { CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime, type Route, route, type Sealer } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { audienceOf, channelAggregate, channels, maxChannels } from '../channel/aggregate.ts'
import type { Channel, ChannelSettings } from '../channel/channel.ts'
import { type ChannelCommand, noSuchChannel } from '../channel/decide.ts'
import type { Outboxes } from '../delivering/outbox-work.ts'
import type { ChannelDigests } from '../digest/channel-digests.ts'
import { isAlerting } from '../routing/alerting.ts'
import type { ReceiverCheck } from '../sending/lookup.ts'
import { secretOf } from '../sending/signature.ts'
import { channelRecord } from './channel-record.ts'
import { assertSecretsStay, checked, keptSealed, mask, merged, withSecrets } from './configuration.ts'
import { assertMayShare, audiences, ownChannel } from './own-channels.ts'

const overlapSeconds = 86_400

/** A channel that is no longer shared gets the list of its owner. */
const ownerShares = 'shared: can only be changed by the user who created the channel.'

/** Throws `unprocessable` for digests of a channel that alerts. */
function assertDigestible(type: Channel['type'], digest: ChannelSettings['digest'] | null | undefined): void {
  if (!isAlerting(type) || digest === undefined || digest === null || digest === 'NONE') return
  throw new AssayError('unprocessable', `digest: must be NONE, because ${type} gets each incident at once.`)
}

export interface ChannelRouteDeps {
  commands: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  sealer: Sealer
  check: Pick<ReceiverCheck, 'checkUrl'>
  outboxes: Pick<Outboxes, 'take'>
  /** Whether the operator has set a mail server. */
  canMail: boolean
  /** 32 random bytes. */
  newSecret: () => Uint8Array
  digests: Pick<ChannelDigests, 'dueAt' | 'dueAfter'>
  clock: Clock
}

/** Creates, reads and changes the channels of the key's owner. Channels of other users get 404. */
export function channelRoutes(deps: ChannelRouteDeps): Route[] {
  const { commands, documents, numbers, sealer, check, outboxes, canMail, newSecret, digests, clock } = deps

  const sealing = (tenant: string) => (secret: string) => sealer.seal(secret, tenant)
  const opening = (tenant: string) => (text: string) => sealer.open(text, tenant)
  const recordOf = (tenant: string, channel: Channel) => channelRecord(channel, opening(tenant), isoTime(clock.now()))

  async function handle(call: Caller, id: number, command: ChannelCommand) {
    const request = { tenant: call.identity.tenant, id, command, context: commandContext(call) }
    const { state } = await commands.handle(channelAggregate, request)
    // A change may park waiting deliveries, or send parked ones.
    if (state.status === 'present' && state.work?.status === 'waiting')
      outboxes.take(call.identity.tenant, id, command.at)
    return state
  }

  /** Seals a configuration. Returns its stored form, and the secret that it contains. */
  async function stored(tenant: string, type: Channel['type'], configuration: { readonly [key: string]: unknown }) {
    const given = checked(type, configuration)
    if (type === 'EMAIL' && !canMail)
      throw new AssayError('unprocessable', 'This installation sends no e-mail: its operator sets ASSAY_SMTP_URL.')
    if (given.url !== undefined) await check.checkUrl(given.url)
    return { configuration: withSecrets(type, given.configuration, sealing(tenant)), secret: given.secret }
  }

  /** Throws `unprocessable` if there are too many of its kind, as each event looks at all of them. */
  async function assertFew(tenant: string, of: Pick<Channel, 'owner' | 'shared'>): Promise<void> {
    const where = [{ field: 'audience', is: audienceOf(of) }]
    const { count } = await documents.find(channels, tenant, { where, size: 0 })
    if (count < maxChannels) return
    const whose = of.shared ? 'The tenant has' : 'You have'
    const message = `${whose} ${count} channels, which is the maximum. Delete one that is not needed any more.`
    throw new AssayError('unprocessable', message)
  }

  return [
    route(operations.createChannel, async (call) => {
      const { tenant, user: owner } = call.identity
      const { name, type, enabled, shared, kinds, minSeverity, digest, ...body } = call.body
      if (shared === true) assertMayShare(call)
      assertDigestible(type, digest)
      await assertFew(tenant, { owner, shared: shared === true })
      const sent = merged(body.configuration, undefined)
      const { configuration, secret: given } = await stored(tenant, type, sent)
      const secret = type === 'WEBHOOK' ? (given ?? secretOf(newSecret())) : undefined
      const [channelId] = await numbers.take(tenant, 'channel')
      if (channelId === undefined) throw new AssayError('internal', 'No number was given for a channel.')
      const settings: ChannelSettings = {
        ...{ name, type, configuration, enabled: enabled ?? true, shared: shared ?? false },
        ...{ kinds: kinds ?? null, minSeverity: minSeverity ?? null, digest: digest ?? 'NONE' },
      }
      const secrets = secret === undefined ? [] : [{ sealed: sealing(tenant)(secret), until: null }]
      const at = isoTime(clock.now())
      const digestAt = await digests.dueAt(tenant, { owner, digest: settings.digest })
      const command = { type: 'CreateChannel' as const, channelId, owner, secrets, settings, digestAt, at }
      const state = await handle(call, channelId, command)
      if (state.status !== 'present') throw new AssayError('internal', 'The new channel is missing.')
      return { body: { data: recordOf(tenant, state), ...(secret === undefined ? {} : { secret }) } }
    }),
    route(operations.listChannels, async (call) => {
      const { page, size, sortBy } = call.query
      const { tenant } = call.identity
      const sort = [{ field: sortBy?.field ?? 'createdAt', direction: sortBy?.direction ?? ('desc' as const) }]
      const where = [{ field: 'audience', in: audiences(call) }]
      const found = await findPage(documents, call, channels, { tenant, where, sort, page, size })
      const data = found.documents.map((channel) => recordOf(tenant, channel))
      return { body: { data, meta: { count: found.count, page, size } } }
    }),
    route(operations.getChannel, async (call) => {
      const channel = await ownChannel(commands, call, call.params.id)
      return { body: { data: recordOf(call.identity.tenant, channel) } }
    }),
    route(operations.updateChannel, async (call) => {
      const { tenant } = call.identity
      const before = await ownChannel(commands, call, call.params.id)
      const { name, type, enabled, shared, kinds, minSeverity, digest } = call.body
      if (typeof type === 'string' && type !== before.type)
        throw new AssayError('invalid', `type: must be ${before.type}. Create another channel for another type.`)
      if (typeof shared === 'boolean' && shared !== before.shared) {
        assertMayShare(call)
        if (before.owner !== call.identity.user) throw new AssayError('forbidden', ownerShares)
        await assertFew(tenant, { owner: before.owner, shared })
      }
      assertDigestible(before.type, digest)
      let { configuration, secrets } = before
      if (call.body.configuration) {
        const clear = withSecrets(before.type, before.configuration, opening(tenant))
        const { secret: sent, ...others } = call.body.configuration
        const isNew = sent !== undefined && sent !== null && sent !== mask
        const after = merged(isNew ? { ...others, secret: sent } : others, clear)
        assertSecretsStay(before.type, others, { before: clear, after })
        const given = await stored(tenant, before.type, after)
        configuration = keptSealed(given.configuration, { before: before.configuration, clear, after })
        if (given.secret !== undefined) secrets = [{ sealed: sealing(tenant)(given.secret), until: null }]
      }
      const settings: ChannelSettings = {
        ...{ name: name ?? before.name, type: before.type, configuration },
        ...{ enabled: enabled ?? before.enabled, shared: shared ?? before.shared },
        // Null is what a channel without a filter shows.
        kinds: kinds === undefined ? before.kinds : kinds,
        minSeverity: minSeverity === undefined ? before.minSeverity : minSeverity,
        digest: digest ?? before.digest,
      }
      const at = isoTime(clock.now())
      const digestAt = await digests.dueAfter(tenant, before, settings.digest)
      const command = { type: 'ChangeChannel' as const, settings, secrets, resume: enabled === true, digestAt, at }
      const state = await handle(call, before.channelId, command)
      if (state.status !== 'present') throw noSuchChannel()
      return { body: { data: recordOf(tenant, state) } }
    }),
    route(operations.deleteChannel, async (call) => {
      const channel = await ownChannel(commands, call, call.params.id)
      await handle(call, channel.channelId, { type: 'DeleteChannel', at: isoTime(clock.now()) })
      return {}
    }),
    route(operations.rotateChannelSecret, async (call) => {
      const channel = await ownChannel(commands, call, call.params.id)
      if (channel.type !== 'WEBHOOK')
        throw new AssayError('unprocessable', 'Only a WEBHOOK has a signing secret. Change its configuration instead.')
      const now = clock.now()
      const secret = secretOf(newSecret())
      const overlapUntil = isoTime(now + (call.body?.overlapSeconds ?? overlapSeconds) * 1_000)
      const own = { sealed: sealing(call.identity.tenant)(secret), overlapUntil, at: isoTime(now) }
      await handle(call, channel.channelId, { type: 'RotateSecret', ...own })
      return { body: { secret } }
    }),
  ]
}
