import { setImmediate } from 'node:timers/promises'
import type { Documents } from '@assay/documents'
import type { CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { EnsureDigest } from '../digest/ensure-digest.ts'
import {
  type Cause,
  groupOfRow,
  notificationAggregate,
  notificationKey,
  notifications,
  waits,
} from '../notification/aggregate.ts'
import type { NotificationContent, StoredNotification } from '../notification/notification.ts'
import { isQuiet } from '../settings/quiet-hours.ts'
import { type Place, placeFor } from './place.ts'
import type { Repeats } from './repeats.ts'
import { wishesOf } from './wishes.ts'

/** A recipient of a notification, and the watch that causes it. */
export interface Recipient {
  recipient: string
  watchedId: number | null
  watch: string | null
  /** Whose mutes apply; `undefined`: the recipient's. */
  mutesOf?: string | undefined
}

/** A notification to create for an event, without its recipients. */
export interface Notice {
  eventId: string
  content: NotificationContent
  /** The asset and its ancestors, for mutes. */
  assetIds: readonly number[]
  /** The crawl or the deletion whose row counts it. */
  cause?: Cause | undefined
}

/**
 * Maximum number of notifications that are created together, so that they share queries and commits. An in-process store
 * yields to the event loop only in between.
 */
const createdAtOnce = 80

/**
 * Creates a notification for each of at most 500 recipients: in the list, held, or as a part of a row, which then counts
 * it. Idempotent: repeating the call creates nothing, and only counts the parts again.
 */
export type Notify = (tenant: string, recipients: readonly Recipient[], of: Notice) => Promise<void>

export function createNotify(deps: {
  commands: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  repeats: Repeats
  ensureDigest: EnsureDigest
  clock: Clock
}): Notify {
  const { commands, documents, numbers, repeats, ensureDigest, clock } = deps

  async function knownOf(tenant: string, keys: readonly string[]): Promise<ReadonlyMap<string, StoredNotification>> {
    const where = [{ field: 'id', in: keys }]
    const found = await documents.find(notifications, tenant, { where, size: keys.length })
    return new Map(found.documents.map((stored) => [stored.key, stored]))
  }

  async function create(
    tenant: string,
    {
      of,
      id,
      mutesOf: _,
      ...more
    }: Recipient & Place & { of: Notice; id: string; notificationId: number; createdAt: string },
  ): Promise<void> {
    const { eventId, content } = of
    const command = { type: 'CreateNotification' as const, ...more, eventId, ...content }
    const context = { actor: 'system', causationId: eventId }
    await commands.handle(notificationAggregate, { tenant, id, command, context, isNew: true })
  }

  /** A held row can be repeated only during the quiet hours: after them, it is part of a digest and its count is not shown. */
  const isRepeated = (row: StoredNotification | undefined, isQuietNow: boolean) =>
    row !== undefined && (row.heldBy === null || isQuietNow)

  /** `ahead`: the number of recipients from the first of these on. */
  async function notifySome(
    tenant: string,
    recipients: readonly Recipient[],
    of: Notice,
    ahead: number,
  ): Promise<void> {
    const { eventId, content, assetIds, cause } = of
    const keyed = recipients.map((each) => {
      const { recipient } = each
      const id = notificationKey({ eventId, assetId: content.assetId, recipient, channel: 'in-app' })
      return { ...each, id }
    })
    const known = await knownOf(
      tenant,
      keyed.map(({ id }) => id),
    )
    const fresh = keyed.filter(({ id }) => !known.has(id))
    const users = fresh.map(({ recipient }) => recipient)
    const wishing = [...new Set([...users, ...fresh.flatMap((each) => each.mutesOf ?? [])])]
    const now = clock.now()
    const [{ mutesOf, settingsOf }, rows, ids] = await Promise.all([
      wishesOf(documents, tenant, wishing, now),
      cause === undefined ? repeats.rowsFor(tenant, users, content, now) : new Map<string, StoredNotification>(),
      users.length === 0 ? [] : numbers.take(tenant, 'notification', users.length, ahead),
    ])
    const placed = fresh.map((each, n) => {
      const { recipient, mutesOf: mutedBy = recipient } = each
      const settings = settingsOf(recipient)
      const row = rows.get(recipient)
      const repeated = isRepeated(row, isQuiet(settings, now)) ? row?.key : undefined
      const wishes = { muted: mutesOf(mutedBy), settings }
      const place = placeFor({ content, assetIds, cause, repeats: repeated, ...wishes, now })
      const notificationId = ids[n]
      if (notificationId === undefined) throw new AssayError('internal', 'No number was given for a notification.')
      return { ...each, ...place, notificationId, createdAt: isoTime(now), of }
    })
    await setImmediate()
    await Promise.all(placed.map((each) => create(tenant, each)))
    await setImmediate()
    // Includes notifications that already existed, because a process may have died before it counted them.
    const stored = [...known.values(), ...placed]
    const counting = stored.flatMap(({ partOf }) => partOf ?? [])
    const rowKeys = counting
      .filter((group) => group.startsWith(groupOfRow('')))
      .map((group) => group.slice(groupOfRow('').length))
    await Promise.all([...new Set(rowKeys)].map((key) => repeats.count(tenant, key)))
    await ensureDigest(tenant, stored.filter(waits))
  }

  return async (tenant, recipients, of) => {
    for (let from = 0; from < recipients.length; from += createdAtOnce)
      await notifySome(tenant, recipients.slice(from, from + createdAtOnce), of, recipients.length - from)
  }
}
