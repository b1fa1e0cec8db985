import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import type { Clock } from '@assay/service-kit'
import type { StoredNotification } from '../notification/notification.ts'
import { settingsAggregate, settingsKey, settingsOfUsers } from '../settings/aggregate.ts'
import { missedSince } from '../settings/settings.ts'

const context = { actor: 'system' }

/**
 * After notifications of at most 500 users were stored as held in quiet hours: schedules a digest for those that the
 * digest at the end of their quiet hours may have missed. Idempotent.
 */
export type EnsureDigest = (
  tenant: string,
  held: readonly Pick<StoredNotification, 'recipient' | 'createdAt'>[],
) => Promise<void>

export function createEnsureDigest(deps: {
  commands: CommandHandler
  documents: Pick<Documents, 'find'>
  clock: Clock
}): EnsureDigest {
  const { commands, documents, clock } = deps
  return async (tenant, held) => {
    if (held.length === 0) return
    const heldAt = new Map(held.map(({ recipient, createdAt }) => [settingsKey(recipient), createdAt]))
    const where = [{ field: 'id', in: [...heldAt.keys()] }]
    // A digest that the documents do not show begins after them, and takes what is stored by then.
    const found = await documents.find(settingsOfUsers, tenant, { where, size: heldAt.size })
    for (const settings of found.documents) {
      const id = settingsKey(settings.user)
      const since = heldAt.get(id)
      if (since === undefined || missedSince(settings, since) === undefined) continue
      const command = { type: 'ScheduleDigest' as const, heldAt: since, now: clock.now() }
      await commands.handle(settingsAggregate, { tenant, id, command, context })
    }
  }
}
