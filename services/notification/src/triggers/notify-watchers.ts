import { setImmediate } from 'node:timers/promises'
import { severityOfKind } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import type { Clock } from '@assay/service-kit'
import { groupAggregate, groups } from '../group/aggregate.ts'
import type { MentionedUsers } from '../mentions/mentioned-users.ts'
import type { NotificationContent } from '../notification/notification.ts'
import type { Repeats } from '../telling/repeats.ts'
import type { Tell } from '../telling/tell.ts'
import { watches, watchKeyOf } from '../watch/aggregate.ts'
import { lets, targetOf, type Watch } from '../watch/watch.ts'
import { withAssemblyName } from './assembly-name.ts'
import { coveringOf } from './covering.ts'
import type { NotificationTrigger } from './trigger.ts'

const watchersAtOnce = 500
/** Maximum number of recipients whose latest alarms are read concurrently. */
const askedAtOnce = 50
const keyOf = (watch: Watch): string => watchKeyOf(watch.user, targetOf(watch))

/** Creates a notification for each watcher of what the event concerns. Idempotent. */
export function createNotifyWatchers(deps: {
  commands: CommandHandler
  documents: Documents
  tell: Tell
  repeats: Repeats
  mentionedUsers: MentionedUsers
  clock: Clock
}): (tenant: string, trigger: NotificationTrigger) => Promise<void> {
  const { commands, documents, tell, repeats, mentionedUsers, clock } = deps

  async function* watchersOf(tenant: string, targets: readonly string[]): AsyncIterable<Watch[]> {
    if (targets.length === 0) return
    const ofTargets = { field: 'target', in: targets }
    let last: string | undefined
    // Pages by the last id, not by page number: a watch that ends meanwhile would shift the later ones.
    for (;;) {
      const after = last === undefined ? [] : [{ field: 'id', from: last }]
      const found = await documents.find(watches, tenant, { where: [ofTargets, ...after], size: watchersAtOnce })
      const [head] = found.documents
      yield last !== undefined && head && keyOf(head) === last ? found.documents.slice(1) : found.documents
      const tail = found.documents.at(-1)
      last = tail && keyOf(tail)
      if (found.documents.length < watchersAtOnce) return
    }
  }

  /** A recovery is sent only to users who were notified of the alarm before it. */
  async function concerned(tenant: string, some: readonly Watch[], content: NotificationContent): Promise<Watch[]> {
    if (content.kind !== 'EXECUTION_RECOVERED') return [...some]
    const due: Watch[] = []
    for (let from = 0; from < some.length; from += askedAtOnce) {
      const asked = some.slice(from, from + askedAtOnce)
      const isDue = await Promise.all(asked.map(({ user }) => repeats.isAlarmed(tenant, user, content)))
      due.push(...asked.filter((_, n) => isDue[n]))
      // An in-process store never yields to the event loop.
      await setImmediate()
    }
    return due
  }

  async function changeGroup(tenant: string, type: 'AddPart' | 'EndGroup', crawlId: number | undefined) {
    if (crawlId === undefined) return
    const known = (await documents.get(groups, tenant, crawlId))?.document.status
    if (type === 'AddPart' && (known === 'open' || known === 'due')) return
    const command = { type, crawlId, now: clock.now() }
    await commands.handle(groupAggregate, { tenant, id: crawlId, command, context: { actor: 'system' } })
  }

  /** Notifies the users whom a comment mentions; they need no watch. Returns these users. */
  async function tellMentioned(tenant: string, { eventId, mentions }: NotificationTrigger) {
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
      for (let from = 0; from < recipients.length; from += watchersAtOnce)
        await tell(tenant, recipients.slice(from, from + watchersAtOnce), of)
    }
    return [...mentioned, ...answered]
  }

  return async (tenant, trigger) => {
    const mentioned = await tellMentioned(tenant, trigger)
    const notified = new Set<string>(mentioned)
    const { eventId, contents, crawlId, endedCrawlId } = trigger
    for (const one of contents) {
      const each = await withAssemblyName(documents, tenant, one)
      const { watchedId = each.assetId, assemblyId: _, isOwn: __, ...rest } = each
      const content = { ...rest, severity: each.severity ?? severityOfKind(each.kind) }
      const { own, above, assetIds } = await coveringOf(documents, tenant, each)
      const of = { eventId, content, assetIds, crawlId }
      const direct = new Set<string>(mentioned)
      for (const targets of [own, above]) {
        for await (const page of watchersOf(tenant, targets)) {
          // Events from before a watch do not trigger it, however late they arrive.
          const due = page.filter((watch) => each.at >= watch.since && lets(watch, content))
          // Several watches of one user make one notification; only a watch of the asset itself makes a further one.
          const first = due.filter(({ user }) => {
            const isFirst = targets === own ? !direct.has(user) : !notified.has(user)
            notified.add(user)
            direct.add(user)
            return isFirst
          })
          const some = await concerned(tenant, first, content)
          const recipients = some.map((watch) => ({ recipient: watch.user, watchedId, watch: keyOf(watch) }))
          if (recipients.length > 0) await tell(tenant, recipients, of)
        }
      }
    }
    // After the parts are stored, so that the next round that writes the group's rows reads them.
    if (notified.size > 0) await changeGroup(tenant, 'AddPart', crawlId)
    await changeGroup(tenant, 'EndGroup', endedCrawlId)
  }
}
