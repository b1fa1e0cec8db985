import { type Documents, defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { uuidV5 } from '@assay/service-kit'
import { duePut } from '@assay/work'
import {
  decide,
  evolve,
  type Settings,
  type SettingsCommand,
  type SettingsEvent,
  type SettingsState,
  storedSettings,
} from './settings.ts'

/** One document per user who changed a setting. */
export const settingsOfUsers = defineCollection<Settings>({
  name: 'notification_settings',
  version: 1,
  idType: 'text',
  schema: storedSettings,
  fields: { settingsId: { type: 'integer', of: ({ settingsId }) => settingsId } },
})

/** The id of a user's settings, in the log and among the documents. Pure. */
export const settingsKey = (user: string): string => uuidV5('settings', user)

/** The kind of their entries in the due book. */
export const quietHoursDue = 'quiet-hours'

/** Streams `<tenant>/notificationsettings-<settingsKey>`. */
export const settingsAggregate: Aggregate<SettingsState, SettingsCommand, SettingsEvent> = {
  category: 'notificationsettings',
  decider: { initialState: null, decide, evolve },
  schemaVersion: 1,
  documents: (state, { tenant, id }, source) =>
    state === null
      ? []
      : [
          documentPut(settingsOfUsers, tenant, id, state, source),
          duePut({ kind: quietHoursDue, tenant, id: state.settingsId }, state.due, source),
        ],
  wholeDocument: (documents: Pick<Documents, 'get'>, { tenant, id }) => documents.get(settingsOfUsers, tenant, id),
}
