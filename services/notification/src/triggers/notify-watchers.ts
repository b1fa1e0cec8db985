import type { Documents } from '@assay/documents'
import type { CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { notificationAggregate, notificationKey, notifications } from '../notification/aggregate.ts'
import type { NotificationContent } from '../notification/notification.ts'
import { watches, watchKey } from '../watch/aggregate.ts'
import type { Watch } from '../watch/watch.ts'
import type { NotificationTrigger } from './trigger.ts'

const watchersAtOnce = 500

/** Creates a notification for each watcher of each asset that the event concerns. Idempotent. */
export function createNotifyWatchers(deps: {
  commands: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  clock: Clock
}): (tenant: string, trigger: NotificationTrigger) => Promise<void> {
  const { commands, documents, numbers, clock } = deps

  async function* watchersOf(tenant: string, assetId: number): AsyncIterable<Watch> {
    const ofAsset = { field: 'assetId', is: assetId }
    let last: string | undefined
    // Pages by the last id, not by page number: a watch that ends meanwhile would shift the later ones.
    for (;;) {
      const after = last === undefined ? [] : [{ field: 'id', from: last }]
      const found = await documents.find(watches, tenant, { where: [ofAsset, ...after], size: watchersAtOnce })
      for (const watch of found.documents) {
        const id = watchKey(watch.user, watch.assetId)
        if (id === last) continue
        yield watch
        last = id
      }
      if (found.documents.length < watchersAtOnce) return
    }
  }

  async function notifyWatcher(
    tenant: string,
    { user: recipient, assetId: watchedId }: Watch,
    eventId: string,
    content: NotificationContent,
  ) {
    const id = notificationKey({ eventId, assetId: content.assetId, recipient, channel: 'in-app' })
    if (await documents.get(notifications, tenant, id)) return
    const [notificationId] = await numbers.take(tenant, 'notification')
    if (notificationId === undefined) throw new AssayError('internal', 'No number was given for a notification.')
    const createdAt = isoTime(clock.now())
    const command = {
      type: 'CreateNotification' as const,
      notificationId,
      recipient,
      eventId,
      createdAt,
      watchedId,
      ...content,
    }
    const context = { actor: 'system', causationId: eventId }
    await commands.handle(notificationAggregate, { tenant, id, command, context })
  }

  return async (tenant, { eventId, contents }) => {
    for (const { watchedId, ...each } of contents) {
      for await (const watch of watchersOf(tenant, watchedId ?? each.assetId)) {
        // Events from before a watch do not trigger it, however late they arrive.
        if (each.at >= watch.since) await notifyWatcher(tenant, watch, eventId, each)
      }
    }
  }
}
