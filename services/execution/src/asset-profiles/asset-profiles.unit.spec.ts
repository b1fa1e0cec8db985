import { describe, expect, it } from 'vitest'
import { type AskedProfile, type AssetProfiles, evolve, keptProfiles, noProfiles } from './asset-profiles.ts'
import { decide, type ProfileCommand } from './decide.ts'

const at = '2026-11-20T10:00:00.000Z'
const until = '2026-11-20T10:00:20.000Z'
const later = '2026-11-20T10:00:21.000Z'
const result = { key: 'default/profiles/11/1', file: 'profile.json', rows: 3, columns: 2 }

function asked(id: number): AskedProfile {
  const about = { id, assetId: 11, assetUid: 'sales.orders.csv', requestId: `profile-${id}` }
  return {
    ...about,
    profilingType: 'FULL',
    markerConfig: null,
    selectedColumns: [],
    requestedAt: at,
    requestedBy: 'ann',
  }
}
const request = (id: number): ProfileCommand => ({ type: 'RequestProfile', profile: asked(id) })
const claim = (profileId: number, time = at): ProfileCommand => ({
  type: 'ClaimProfile',
  profileId,
  at: time,
  worker: 'w',
  until: time === at ? until : '2026-11-20T11:00:00.000Z',
})
const succeed = (profileId: number, fence: number): ProfileCommand => ({
  type: 'SucceedProfile',
  profileId,
  at,
  fence,
  result,
})
const cancel = (profileId: number): ProfileCommand => ({ type: 'CancelProfile', profileId, at, by: 'ann' })
const after = (...commands: ProfileCommand[]): AssetProfiles =>
  commands.reduce((state, command) => decide(command, state).reduce(evolve, state), noProfiles)
const typesOf = (command: ProfileCommand, state: AssetProfiles) => decide(command, state).map(({ type }) => type)

describe('profiles of an asset', () => {
  it('given an open profile, when another is requested, then it is refused', () => {
    for (const state of [after(request(1)), after(request(1), claim(1))])
      expect(() => decide(request(2), state)).toThrow(/previous profile has not ended/)
    expect(typesOf(request(2), after(request(1), cancel(1)))).toEqual(['ProfileRequested'])
  })

  it('given a claim, then another claim is refused until it expires, and then gets a higher fence', () => {
    const state = after(request(1), claim(1))
    expect(typesOf(claim(1), state)).toEqual([])
    const taken = after(request(1), claim(1), claim(1, later))
    expect(taken.profiles).toMatchObject([{ status: 'running', claim: { fence: 2 }, lost: 1, startedAt: at }])
    expect(typesOf(succeed(1, 1), taken)).toEqual([])
    expect(typesOf(succeed(1, 2), taken)).toEqual(['ProfileSucceeded'])
  })

  it('given three lost claims, then the profile fails', () => {
    const times = [at, '2026-11-20T10:30:00.000Z', '2026-11-20T12:30:00.000Z', '2026-11-20T14:30:00.000Z']
    const state = after(request(1), ...times.map((time) => claim(1, time)))
    expect(state.profiles).toMatchObject([{ status: 'failed', error: expect.stringContaining('three times') }])
  })

  it('given a released profile, then the next claim has a higher fence, and no claim counts as lost', () => {
    const release: ProfileCommand = { type: 'ReleaseProfile', profileId: 1, at, fence: 1 }
    const state = after(request(1), claim(1), release, claim(1))
    expect(state.profiles).toMatchObject([{ status: 'running', claim: { fence: 2 }, lost: 0 }])
  })

  it('given an ended profile, when it is cancelled, then the error says so; a missing profile is not found', () => {
    const ended = after(request(1), claim(1), succeed(1, 1))
    expect(() => decide(cancel(1), ended)).toThrow(expect.objectContaining({ code: 'method-not-allowed' }))
    expect(() => decide(cancel(1), ended)).toThrow(/already finished/)
    expect(() => decide(cancel(2), ended)).toThrow(expect.objectContaining({ code: 'not-found' }))
    const cancelled = after(request(1), claim(1), cancel(1))
    expect(typesOf(succeed(1, 1), cancelled)).toEqual([])
    expect(cancelled.profiles).toMatchObject([{ status: 'aborted', by: 'ann', finishedAt: at }])
  })

  it('given more profiles than the maximum, then the oldest is dropped', () => {
    const all = Array.from({ length: keptProfiles + 1 }, (_, index) => [request(index + 1), cancel(index + 1)]).flat()
    const state = after(...all.slice(0, -1))
    expect(state.profiles).toHaveLength(keptProfiles)
    expect(state.dropped).toEqual([1])
  })
})
