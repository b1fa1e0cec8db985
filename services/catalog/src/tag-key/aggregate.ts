import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { z } from 'zod'
import {
  type CreateTagKey,
  decideTagKey,
  evolveTagKey,
  initialTagKey,
  type TagKeyEvent,
  type TagKeyState,
  tagKeyTypes,
} from './tag-key.ts'

const tagKeyDocument = z.object({
  status: z.literal('active'),
  id: z.int(),
  name: z.string(),
  keyType: z.enum(tagKeyTypes),
  description: z.string(),
  createdAt: z.string(),
  createdBy: z.string(),
})
export type TagKeyDocument = z.infer<typeof tagKeyDocument>

export const tagKeys = defineCollection<TagKeyDocument>({
  name: 'tag_keys',
  version: 2,
  idType: 'integer',
  schema: tagKeyDocument,
  fields: {
    name: { type: 'text', of: ({ name }) => name },
    keyType: { type: 'text', of: ({ keyType }) => keyType },
    createdBy: { type: 'text', of: ({ createdBy }) => createdBy },
  },
})

/** A key that values of tags belong to. Its name is reserved. */
export const tagKeyAggregate: Aggregate<TagKeyState, CreateTagKey, TagKeyEvent> = {
  category: 'tagkey',
  decider: { initialState: initialTagKey, decide: decideTagKey, evolve: evolveTagKey },
  schemaVersion: 1,
  documents: (state, { tenant }, source) =>
    state.status === 'absent' ? [] : [documentPut(tagKeys, tenant, state.id, state, source)],
}
