import { describe, expect, it } from 'vitest'
import { decideVote, evolveVote, initialVote } from './vote.ts'

const cast = { type: 'CastVote', assetId: 4, uid: 'u', user: 'ann', at: '2026' } as const

describe('a vote', () => {
  it('given no vote, when it is removed, then nothing happens', () => {
    expect(decideVote({ ...cast, vote: 'NONE' }, initialVote)).toEqual([])
  })
  it('given a vote, when it changes sides, then the event has both values, and a repeated vote changes nothing', () => {
    const up = decideVote({ ...cast, vote: 'UP' }, initialVote).reduce(evolveVote, initialVote)
    expect(decideVote({ ...cast, vote: 'UP' }, up)).toEqual([])
    expect(decideVote({ ...cast, vote: 'DOWN' }, up)[0]?.data).toMatchObject({ before: 'UP', vote: 'DOWN' })
  })
})
