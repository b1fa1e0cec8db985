import type { Documents } from '@assay/documents'
import type { CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { DueKind } from '@assay/work'
import type { ReadableByKeys } from '../copies/keys.ts'
import { groupRowKey, notificationAggregate, notifications } from '../notification/aggregate.ts'
import type { StoredNotification } from '../notification/notification.ts'
import { quietHoursDue, settingsAggregate, settingsKey, settingsOfUsers } from '../settings/aggregate.ts'
import { linkOfHeld } from '../triggers/links.ts'
import { allRows } from './all-rows.ts'
import { digestOf, duringQuietHours } from './digest.ts'

const atOnce = 100
const context = { actor: 'system' }

/** When quiet hours end, writes one row for all notifications that they held. Idempotent, and continues after a crash. */
export function createDigestWriter(deps: {
  commands: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  readableByKeys: ReadableByKeys
  clock: Clock
}): DueKind {
  const { commands, documents, numbers, readableByKeys, clock } = deps

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

  /** The parts that one key of the recipient may read: the key that may read most of them. */
  async function readableOf(tenant: string, recipient: string, parts: readonly StoredNotification[]) {
    const byKey = (await readableByKeys(tenant, recipient)).map((abouts) =>
      parts.filter(({ about }) => abouts.includes(about)),
    )
    return byKey.sort((a, b) => b.length - a.length)[0] ?? []
  }

  async function write(tenant: string, recipient: string, collects: string): Promise<void> {
    await groupHeld(tenant, recipient, collects)
    const ofDigest = [
      { field: 'recipient', is: recipient },
      { field: 'partOf', is: collects },
    ]
    const parts = await allRows(documents, tenant, ofDigest)
    const readable = await readableOf(tenant, recipient, parts)
    // Without a key that may read any, nobody sees the digest, until there is one.
    const rows = readable.length === 0 ? parts : readable
    const createdAt = isoTime(clock.now())
    const content = digestOf(rows, { during: duringQuietHours, link: linkOfHeld, at: createdAt })
    if (content === undefined) return
    const id = groupRowKey(collects, recipient)
    const known = await documents.get(notifications, tenant, id)
    const [notificationId] = known ? [known.document.notificationId] : await numbers.take(tenant, 'notification')
    if (notificationId === undefined) throw new AssayError('internal', 'No number was given for a notification.')
    const abouts = [...new Set(parts.map(({ about }) => about))]
    const counts = { count: rows.length, parts: parts.length, abouts }
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
