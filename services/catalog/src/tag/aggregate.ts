import { type DocumentPut, defineCollection, documentPut, type Source } from '@assay/documents'
import type { Aggregate, AggregateKey } from '@assay/event-store'
import { z } from 'zod'
import { decideTag, type TagCommand } from './decide.ts'
import { evolveTag, initialTag, type TagEvent, type TagState, tagNameOf } from './tag.ts'

const tagDocument = z.object({
  status: z.enum(['active', 'merging', 'merged']),
  id: z.int(),
  keyId: z.int().nullable(),
  keyName: z.string().nullable(),
  value: z.string(),
  protectedData: z.boolean(),
  mergedIntoId: z.int().nullable(),
  createdAt: z.string(),
  createdBy: z.string(),
  updatedAt: z.string(),
  updatedBy: z.string(),
})
export type TagDocument = z.infer<typeof tagDocument>

/** One per tag, including merged ones. */
export const tags = defineCollection<TagDocument>({
  name: 'tags',
  version: 4,
  idType: 'integer',
  schema: tagDocument,
  fields: {
    status: { type: 'text', of: ({ status }) => status },
    /** `null` for a merged tag. */
    name: { type: 'text', of: (tag) => (tag.status === 'active' ? tagNameOf(tag) : null) },
    value: { type: 'text', of: ({ value }) => value },
    keyId: { type: 'integer', of: ({ keyId }) => keyId },
    keyName: { type: 'text', of: ({ keyName }) => keyName },
    mergedIntoId: { type: 'integer', of: ({ mergedIntoId }) => mergedIntoId },
    protectedData: { type: 'boolean', of: ({ protectedData }) => protectedData },
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
    createdBy: { type: 'text', of: ({ createdBy }) => createdBy },
    updatedAt: { type: 'text', of: ({ updatedAt }) => updatedAt },
  },
})

function documents(state: TagState, { tenant }: AggregateKey, source: Source): DocumentPut[] {
  return state.status === 'absent' ? [] : [documentPut(tags, tenant, state.id, state, source)]
}

/** A tag: simple, or a value of a tag key. Its name is reserved. */
export const tagAggregate: Aggregate<TagState, TagCommand, TagEvent> = {
  category: 'tag',
  decider: { initialState: initialTag, decide: decideTag, evolve: evolveTag },
  schemaVersion: 1,
  documents,
  wholeDocument: (documents, { tenant, id }) => documents.get(tags, tenant, Number(id)),
}
