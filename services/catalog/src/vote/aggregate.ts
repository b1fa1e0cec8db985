import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { uuidV5 } from '@assay/service-kit'
import { z } from 'zod'
import { type CastVote, decideVote, evolveVote, initialVote, type VoteEvent, type VoteState } from './vote.ts'

const voteDocument = z.object({ assetId: z.int(), user: z.string(), vote: z.enum(['UP', 'DOWN']) })
export type VoteDocument = z.infer<typeof voteDocument>

/** One per active vote. Votes are counted by the index of their fields. */
export const votes = defineCollection<VoteDocument>({
  name: 'votes',
  version: 1,
  idType: 'text',
  schema: voteDocument,
  fields: {
    upOf: { type: 'integer', of: ({ assetId, vote }) => (vote === 'UP' ? assetId : null) },
    downOf: { type: 'integer', of: ({ assetId, vote }) => (vote === 'DOWN' ? assetId : null) },
  },
})

/** The id of one user's vote on one asset, in the log and among the documents. */
export function voteKey(user: string, assetId: number): string {
  return uuidV5('vote', user, String(assetId))
}

/** Streams `<tenant>/vote-<voteKey>`. */
export const voteAggregate: Aggregate<VoteState, CastVote, VoteEvent> = {
  category: 'vote',
  decider: { initialState: initialVote, decide: decideVote, evolve: evolveVote },
  schemaVersion: 1,
  documents({ assetId, user, vote }, { tenant, id }, source) {
    if (assetId === 0) return []
    return [documentPut(votes, tenant, id, vote === 'NONE' ? null : { assetId, user, vote }, source)]
  },
}
