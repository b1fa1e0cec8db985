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
/** Maximum number of notifications that are created concurrently, so that they share commits. */
const createdAtOnce = 50

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
      const ids = found.documents.map((watch) => watchKeyOf(watch.user, targetOf(watch)))
      const before = last
      yield found.documents.filter((_, n) => ids[n] !== before)
      last = ids.at(-1)
      if (found.documents.length < watchersAtOnce) return
    }
  }

  /** A recovery reaches only those who were told of an alarm before. */
  async function concerned(tenant: string, some: readonly Watch[], content: NotificationContent): Promise<Watch[]> {
    if (content.kind !== 'EXECUTION_RECOVERED') return [...some]
    const isDue = await Promise.all(some.map(({ user }) => repeats.isAlarmed(tenant, user, content)))
    return some.filter((_, n) => isDue[n])
  }

  async function changeGroup(tenant: string, type: 'AddPart' | 'EndGroup', crawlId: number | undefined) {
    if (crawlId === undefined) return
    const known = (await documents.get(groups, tenant, crawlId))?.document.status
    if (type === 'AddPart' && (known === 'open' || known === 'due')) return
    const command = { type, crawlId, now: clock.now() }
    await commands.handle(groupAggregate, { tenant, id: crawlId, command, context: { actor: 'system' } })
  }

  /** Tells those whom a comment mentions, without a watch. Answers them. */
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
      for (let from = 0; from < recipients.length; from += createdAtOnce)
        await tell(tenant, recipients.slice(from, from + createdAtOnce), of)
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
          for (let from = 0; from < first.length; from += createdAtOnce) {
            const some = await concerned(tenant, first.slice(from, from + createdAtOnce), content)
            const recipients = some.map((watch) => {
              return { recipient: watch.user, watchedId, watch: watchKeyOf(watch.user, targetOf(watch)) }
            })
            if (recipients.length > 0) await tell(tenant, recipients, of)
            // An in-process store never yields to the event loop.
            await setImmediate()
          }
        }
      }
    }
    // After the parts, so that whoever tells the group next reads them.
    if (notified.size > 0) await changeGroup(tenant, 'AddPart', crawlId)
    await changeGroup(tenant, 'EndGroup', endedCrawlId)
  }
}
