import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { duePut } from '@assay/work'
import { z } from 'zod'
import { decide, evolve, type GroupCommand, type GroupEvent, type GroupState, noGroup } from './group.ts'

const storedGroup = z.object({
  status: z.enum(['open', 'due', 'writing', 'written']),
  crawlId: z.int(),
  dueAt: z.string(),
  round: z.int(),
  endedAt: z.string().nullable(),
})

/** One document per crawl that has ended, or that has changed watched assets. */
export const groups = defineCollection<z.infer<typeof storedGroup>>({
  name: 'notification_groups',
  version: 2,
  idType: 'integer',
  schema: storedGroup,
  fields: {},
})

/** The kind of their entries in the due book. */
export const groupDue = 'notification-group'

/** Streams `<tenant>/notificationgroup-<id of the crawl>`. */
export const groupAggregate: Aggregate<GroupState, GroupCommand, GroupEvent> = {
  category: 'notificationgroup',
  decider: { initialState: noGroup, decide, evolve },
  schemaVersion: 2,
  documents(state, { tenant }, source) {
    if (state.status === 'none') return []
    const { crawlId: id, status, dueAt } = state
    return [
      documentPut(groups, tenant, id, state, source),
      duePut({ kind: groupDue, tenant, id }, status === 'written' ? null : dueAt, source),
    ]
  },
  wholeDocument: (documents, { tenant, id }) => documents.get(groups, tenant, Number(id)),
}
