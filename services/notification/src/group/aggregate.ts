import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { duePut } from '@assay/work'
import { z } from 'zod'
import type { Cause } from '../notification/aggregate.ts'
import { decide, evolve, type GroupCommand, type GroupEvent, type GroupState, noGroup } from './group.ts'

const storedGroup = z.object({
  status: z.enum(['open', 'due', 'writing', 'written']),
  assemblyId: z.int().nullable(),
  dueAt: z.string(),
  round: z.int(),
  endedAt: z.string().nullable(),
})

/** The groups of one type of cause. `due`: the kind of their entries in the due book. */
function defineGroups({
  type,
  name,
  category,
  due,
}: Record<'name' | 'category' | 'due', string> & Pick<Cause, 'type'>) {
  const collection = defineCollection<z.infer<typeof storedGroup>>({
    name,
    version: 3,
    idType: 'integer',
    schema: storedGroup,
    fields: {},
  })
  const aggregate: Aggregate<GroupState, GroupCommand, GroupEvent> = {
    category,
    decider: { initialState: noGroup, decide, evolve },
    schemaVersion: 3,
    documents(state, { tenant, id }, source) {
      if (state.status === 'none') return []
      const { status, dueAt } = state
      return [
        documentPut(collection, tenant, Number(id), state, source),
        duePut({ kind: due, tenant, id: Number(id) }, status === 'written' ? null : dueAt, source),
      ]
    },
    wholeDocument: (documents, { tenant, id }) => documents.get(collection, tenant, Number(id)),
  }
  return { type, collection, aggregate, due }
}
export type Groups = ReturnType<typeof defineGroups>

/** One document per crawl or deletion that has ended, or that has changed watched assets. */
export const groupsOf: Readonly<Record<Cause['type'], Groups>> = {
  /** Streams `<tenant>/notificationgroup-<id of the crawl>`. */
  crawl: defineGroups({
    type: 'crawl',
    name: 'notification_groups',
    category: 'notificationgroup',
    due: 'notification-group',
  }),
  /** Streams `<tenant>/notificationdeletion-<id of the assembly>`. */
  deletion: defineGroups({
    type: 'deletion',
    name: 'notification_deletions',
    category: 'notificationdeletion',
    due: 'notification-deletion',
  }),
}
