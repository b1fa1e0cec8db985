import { type NotificationMute, notificationSettingsOperations as operations } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import type { CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { KnownThings } from '../watching/known-things.ts'
import { muteAggregate, mutesOfUsers } from './aggregate.ts'
import type { Mute } from './mute.ts'

function muteRecord({ muteId: id, assetId, policyId, kind, until, createdAt }: Mute): NotificationMute {
  return { id, assetId, policyId, kind, until, createdAt }
}

/** Mutes of the key's owner. */
export function muteRoutes(deps: {
  commands: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  known: KnownThings
  clock: Clock
}): Route[] {
  const { commands, documents, numbers, known, clock } = deps

  async function handle(call: Caller, id: number, command: Parameters<typeof muteAggregate.decider.decide>[0]) {
    const request = { tenant: call.identity.tenant, id, command, context: commandContext(call) }
    await commands.handle(muteAggregate, request)
  }

  return [
    route(operations.createNotificationMute, async (call) => {
      const { tenant, user } = call.identity
      const { assetId = null, policyId = null, kind = null, until } = call.body
      const now = clock.now()
      if (until <= now) throw new AssayError('invalid', 'until: must be in the future. The mute ends at this time.')
      if (assetId !== null) await known.asset(call, assetId)
      if (policyId !== null) await known.policy(call, policyId)
      const [muteId] = await numbers.take(tenant, 'notification-mute')
      if (muteId === undefined) throw new AssayError('internal', 'No number was given for a mute.')
      const mute = { muteId, user, assetId, policyId, kind, until: isoTime(until), createdAt: isoTime(now) }
      await handle(call, muteId, { type: 'Mute', mute })
      return { body: { data: muteRecord(mute) } }
    }),
    route(operations.listNotificationMutes, async (call) => {
      const { tenant, user } = call.identity
      const { page, size, sortBy } = call.query
      const field = sortBy?.field === 'id' ? 'muteId' : 'createdAt'
      const direction = sortBy?.direction ?? 'desc'
      const found = await findPage(documents, call, mutesOfUsers, {
        tenant,
        where: [
          { field: 'user', is: user },
          { field: 'until', from: isoTime(clock.now() + 1) },
        ],
        sort: [
          { field, direction },
          { field: 'muteId', direction },
        ],
        page,
        size,
      })
      return { body: { data: found.documents.map(muteRecord), meta: { count: found.count, page, size } } }
    }),
    route(operations.deleteNotificationMute, async (call) => {
      const { user } = call.identity
      await handle(call, call.params.id, { type: 'EndMute', user, at: isoTime(clock.now()) })
      return {}
    }),
  ]
}
