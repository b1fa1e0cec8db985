import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { decide, evolve, type Mute, type MuteCommand, type MuteEvent, type MuteState, mute, noMute } from './mute.ts'

/** One document per mute that its user has not ended. A mute has no effect after `until`. */
export const mutesOfUsers = defineCollection<Mute>({
  name: 'notification_mutes',
  version: 1,
  idType: 'integer',
  schema: mute,
  fields: {
    user: { type: 'text', of: ({ user }) => user, alone: false },
    until: { type: 'text', of: ({ until }) => until, required: true, alone: false },
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt, required: true, alone: false },
    muteId: { type: 'integer', of: ({ muteId }) => muteId, required: true, alone: false },
  },
  listings: [
    ['user', 'until'],
    ['user', 'createdAt', 'muteId'],
  ],
})

/** Streams `<tenant>/notificationmute-<id>`. */
export const muteAggregate: Aggregate<MuteState, MuteCommand, MuteEvent> = {
  category: 'notificationmute',
  decider: { initialState: noMute, decide, evolve },
  schemaVersion: 1,
  documents: (state, { tenant }, source) =>
    state.status === 'none'
      ? []
      : [documentPut(mutesOfUsers, tenant, state.mute.muteId, state.status === 'muted' ? state.mute : null, source)],
}
