import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { uuidV5 } from '@assay/service-kit'
import {
  decide,
  evolve,
  type Inbox,
  type InboxCommand,
  type InboxEvent,
  type InboxState,
  storedInbox,
} from './inbox.ts'

/** One document per user who ever marked all as read. */
export const inboxes = defineCollection<Inbox>({
  name: 'notification_inboxes',
  version: 2,
  idType: 'text',
  schema: storedInbox,
  fields: {},
})

/** The id of a user's inbox, in the log and among the documents. */
export function inboxKey(user: string): string {
  return uuidV5('inbox', user)
}

/** Streams `<tenant>/inbox-<inboxKey>`. */
export const inboxAggregate: Aggregate<InboxState, InboxCommand, InboxEvent> = {
  category: 'inbox',
  decider: { initialState: null, decide, evolve },
  schemaVersion: 1,
  documents: (state, { tenant, id }, source) =>
    state === null ? [] : [documentPut(inboxes, tenant, id, state, source)],
  wholeDocument: (documents, { tenant, id }) => documents.get(inboxes, tenant, id),
}
