import { type NotificationSettings, notificationSettingsOperations as operations } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Clock, commandContext, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { settingsAggregate, settingsKey, settingsOfUsers } from './aggregate.ts'
import { defaultSettings } from './quiet-hours.ts'

const shown = ({ timeZone, quietHours, digestAt }: NotificationSettings) => ({ timeZone, quietHours, digestAt })

/** The settings of the key's owner. */
export function settingsRoutes(deps: {
  commands: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  /** Called with the user whose settings changed. */
  changed: (tenant: string, user: string) => Promise<void>
  clock: Clock
}): Route[] {
  const { commands, documents, numbers, changed, clock } = deps
  return [
    route(operations.readNotificationSettings, async ({ identity: { tenant, user } }) => {
      const stored = await documents.get(settingsOfUsers, tenant, settingsKey(user))
      return { body: { data: shown(stored?.document ?? defaultSettings) } }
    }),
    route(operations.changeNotificationSettings, async (call) => {
      const { tenant, user } = call.identity
      const id = settingsKey(user)
      const stored = await documents.get(settingsOfUsers, tenant, id)
      const [settingsId] = stored ? [stored.document.settingsId] : await numbers.take(tenant, 'notification-settings')
      if (settingsId === undefined) throw new AssayError('internal', 'No number was given for settings.')
      const command = { type: 'ChangeSettings' as const, settingsId, user, change: call.body, now: clock.now() }
      const request = { tenant, id, command, context: commandContext(call) }
      const { state } = await commands.handle(settingsAggregate, request)
      await changed(tenant, user)
      return { body: { data: shown(state ?? defaultSettings) } }
    }),
  ]
}
