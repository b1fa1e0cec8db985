import type { Documents } from '@assay/documents'
import type { CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { DueKind } from '@assay/work'
import { groupRowKey, notificationAggregate, notifications } from '../notification/aggregate.ts'
import type { StoredNotification } from '../notification/notification.ts'
import { quietHoursDue, settingsAggregate, settingsKey, settingsOfUsers } from '../settings/aggregate.ts'
import { linkOfHeld } from '../triggers/links.ts'
import { digestOf } from './digest.ts'

const atOnce = 100
const context = { actor: 'system' }

/** When quiet hours end, writes one row for all notifications that they held. Idempotent, and continues after a crash. */
export function createDigestWriter(deps: {
  commands: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  clock: Clock
}): DueKind {
  const { commands, documents, numbers, clock } = deps

  /** Makes the held notifications parts of the digest. These are no longer held, so each round finds the next ones. */
  async function groupHeld(tenant: string, recipient: string, digest: string): Promise<void> {
    const where = [
      { field: 'recipient', is: recipient },
      { field: 'waits', is: true },
    ]
    for (;;) {
      const { documents: held } = await documents.find(notifications, tenant, { where, size: atOnce })
      if (held.length === 0) return
      const command = { type: 'GroupNotification' as const, partOf: digest, at: isoTime(clock.now()) }
      await Promise.all(
        held.map(({ key: id }) => commands.handle(notificationAggregate, { tenant, id, command, context })),
      )
    }
  }

  async function partsOf(tenant: string, recipient: string, digest: string): Promise<StoredNotification[]> {
    const where = [
      { field: 'recipient', is: recipient },
      { field: 'partOf', is: digest },
    ]
    const rows: StoredNotification[] = []
    for (let page = 0; ; page += 1) {
      const found = await documents.find(notifications, tenant, { where, page, size: atOnce })
      rows.push(...found.documents)
      if (found.documents.length < atOnce) return rows
    }
  }

  async function write(tenant: string, recipient: string, collects: string): Promise<void> {
    await groupHeld(tenant, recipient, collects)
    const rows = await partsOf(tenant, recipient, collects)
    const createdAt = isoTime(clock.now())
    const content = digestOf(rows, { during: 'during your quiet hours', link: linkOfHeld, at: createdAt })
    if (content === undefined) return
    const id = groupRowKey(collects, recipient)
    const known = await documents.get(notifications, tenant, id)
    const [notificationId] = known ? [known.document.notificationId] : await numbers.take(tenant, 'notification')
    if (notificationId === undefined) throw new AssayError('internal', 'No number was given for a notification.')
    const counts = { count: rows.length, parts: rows.length }
    const ids = { notificationId, recipient, collects, createdAt, watch: null, heldBy: null }
    const command = { type: 'NotifyGroup' as const, ...content, ...counts, ...ids }
    await commands.handle(notificationAggregate, { tenant, id, command, context })
  }

  return {
    kind: quietHoursDue,
    async handle(tenant, settingsId) {
      const where = [{ field: 'settingsId', is: settingsId }]
      const [settings] = (await documents.find(settingsOfUsers, tenant, { where, size: 1 })).documents
      if (settings === undefined) return false
      const { user } = settings
      const request = { tenant, id: settingsKey(user), context }
      const begin = { type: 'BeginDigest' as const, now: clock.now() }
      const { state } = await commands.handle(settingsAggregate, { ...request, command: begin })
      if (state === null || state.digest === null) return true
      await write(tenant, user, state.digest)
      const finish = { type: 'FinishDigest' as const, now: clock.now(), digest: state.digest }
      await commands.handle(settingsAggregate, { ...request, command: finish })
      return true
    },
  }
}
