import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { z } from 'zod'
import {
  type CommentCommand,
  type CommentEvent,
  type CommentState,
  decideComment,
  evolveComment,
  initialComment,
} from './comment.ts'

const commentDocument = z.object({
  id: z.int(),
  assetId: z.int(),
  parentId: z.int().nullable(),
  comment: z.string(),
  author: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type CommentDocument = z.infer<typeof commentDocument>

/** One per visible comment. */
export const comments = defineCollection<CommentDocument>({
  name: 'comments',
  version: 1,
  idType: 'integer',
  schema: commentDocument,
  fields: {
    assetId: { type: 'integer', of: ({ assetId }) => assetId },
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt },
    updatedAt: { type: 'text', of: ({ updatedAt }) => updatedAt },
  },
})

/** One comment: streams `<tenant>/comment-<id>`, so that a long thread costs no more than a short one. */
export const commentAggregate: Aggregate<CommentState, CommentCommand, CommentEvent> = {
  category: 'comment',
  decider: { initialState: initialComment, decide: decideComment, evolve: evolveComment },
  schemaVersion: 1,
  documents(state, { tenant }, source) {
    if (state.status === 'absent') return []
    const { status, uid: _, ...document } = state
    return [documentPut(comments, tenant, state.id, status === 'shown' ? document : null, source)]
  },
}
