export const voteValues = ['UP', 'DOWN', 'NONE'] as const
export type VoteValue = (typeof voteValues)[number]

export type VoteCast = {
  type: 'VoteCast'
  data: { assetId: number; uid: string; user: string; at: string; before: VoteValue; vote: VoteValue }
}
export type VoteEvent = VoteCast

/** One user's vote on one asset. */
export type VoteState = { assetId: number; user: string; vote: VoteValue }

export type CastVote = Omit<VoteCast['data'], 'before'> & { type: 'CastVote' }

export const initialVote: VoteState = { assetId: 0, user: '', vote: 'NONE' }

/** The state after an event. */
export function evolveVote(_state: VoteState, event: VoteEvent): VoteState {
  const { assetId, user, vote } = event.data
  return { assetId, user, vote }
}

/** Repeating a vote changes nothing. */
export function decideVote({ type: _, ...cast }: CastVote, state: VoteState): VoteEvent[] {
  return cast.vote === state.vote ? [] : [{ type: 'VoteCast', data: { ...cast, before: state.vote } }]
}
