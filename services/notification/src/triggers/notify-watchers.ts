import { severityOfKind } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import type { Clock } from '@assay/service-kit'
import { groupsOf } from '../group/aggregate.ts'
import type { MentionedUsers } from '../mentions/mentioned-users.ts'
import type { Cause } from '../notification/aggregate.ts'
import type { Notice, Notify, Recipient } from '../notifying/notify.ts'
import { channelRecipient } from '../routing/channel-recipient.ts'
import { type ChannelsFor, muterOf, type Routed } from '../routing/channels-for.ts'
import type { Notified, WatchersOf } from '../routing/watchers.ts'
import { watchKeyOf } from '../watch/aggregate.ts'
import { targetOf } from '../watch/watch.ts'
import { contentOf } from './content-of.ts'
import { assetsOf, coveringOf } from './covering.ts'
import type { NotificationTrigger } from './trigger.ts'

/** Maximum number of recipients of one call of `notify`. */
const notifiedAtOnce = 500

/** Creates a notification for each watcher of what the event concerns, and each channel that rules name. Idempotent. */
export function createNotifyWatchers(deps: {
  commands: CommandHandler
  documents: Documents
  notify: Notify
  watchersOf: WatchersOf
  channelsFor: ChannelsFor
  mentionedUsers: MentionedUsers
  clock: Clock
}): (tenant: string, trigger: NotificationTrigger) => Promise<void> {
  const { commands, documents, notify, watchersOf, channelsFor, mentionedUsers, clock } = deps

  const context = { actor: 'system' }

  async function addPart(tenant: string, { type, id }: Cause): Promise<void> {
    const { collection, aggregate } = groupsOf[type]
    const known = (await documents.get(collection, tenant, id))?.document.status
    if (known === 'open' || known === 'due') return
    const command = { type: 'AddPart' as const, now: clock.now() }
    await commands.handle(aggregate, { tenant, id, command, context })
  }

  async function end(tenant: string, { type, id, assemblyId }: NonNullable<NotificationTrigger['ended']>) {
    const command = { type: 'EndGroup' as const, assemblyId, now: clock.now() }
    await commands.handle(groupsOf[type].aggregate, { tenant, id, command, context })
  }

  /** Notifies the users whom a comment mentions; they need no watch. Returns these users. */
  async function notifyMentioned(tenant: string, { eventId, mentions }: NotificationTrigger) {
    if (mentions === undefined) return []
    const { mentioned, answered } = await mentionedUsers(tenant, mentions)
    if (mentioned.length + answered.length === 0) return []
    const { assetIds } = await coveringOf(documents, tenant, mentions.mention)
    const severity = severityOfKind(mentions.mention.kind)
    for (const [users, content] of [
      [mentioned, mentions.mention],
      [answered, mentions.answer],
    ] as const) {
      const recipients = users.map((recipient) => ({ recipient, watchedId: null, watch: null }))
      const of = { eventId, content: { ...content, severity }, assetIds }
      await notifySome(tenant, recipients, of)
    }
    return [...mentioned, ...answered]
  }

  async function notifySome(tenant: string, recipients: readonly Recipient[], of: Notice): Promise<void> {
    for (let from = 0; from < recipients.length; from += notifiedAtOnce)
      await notify(tenant, recipients.slice(from, from + notifiedAtOnce), of)
  }

  /** Notifies channels that no list feeds, each once per event. */
  async function notifyChannels(tenant: string, of: Routed & Pick<Notice, 'eventId' | 'cause'>, notified: Notified) {
    const { content, covering } = of
    const recipients: Recipient[] = []
    for (const { channel } of await channelsFor(tenant, of)) {
      const recipient = channelRecipient(channel.channelId)
      if (notified.all.has(recipient)) continue
      notified.all.add(recipient)
      recipients.push({ recipient, watchedId: null, watch: null, mutesOf: muterOf(channel, content) })
    }
    await notifySome(tenant, recipients, { ...of, assetIds: assetsOf(covering) })
  }

  return async (tenant, trigger) => {
    const mentioned = await notifyMentioned(tenant, trigger)
    const notified: Notified = { mentioned, all: new Set(mentioned) }
    const { eventId, contents, cause, ended } = trigger
    for (const each of contents) {
      const { watchedId = each.assetId, incident, isOwn = false } = each
      const [content, covering] = await Promise.all([
        contentOf(documents, tenant, each),
        coveringOf(documents, tenant, each),
      ])
      const of = { eventId, content, assetIds: assetsOf(covering), cause }
      if (!incident?.isClosed)
        for await (const some of watchersOf(tenant, content, { covering, notified })) {
          const recipients = some.map((watch) => {
            return { recipient: watch.user, watchedId, watch: watchKeyOf(watch.user, targetOf(watch)) }
          })
          await notifySome(tenant, recipients, of)
        }
      if (!isOwn) await notifyChannels(tenant, { eventId, content, covering, incident, cause }, notified)
    }
    // After the parts are stored, so that the next round that writes the group's rows reads them.
    if (notified.all.size > 0 && cause !== undefined) await addPart(tenant, cause)
    if (ended !== undefined) await end(tenant, ended)
  }
}
