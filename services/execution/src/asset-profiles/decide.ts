import { AssayError } from '@assay/service-kit/errors'
import { type ClaimRequest, decideClaim, holds } from '@assay/work'
import type { RunProgress } from '../execution/run.ts'
import {
  type AskedProfile,
  type AssetProfile,
  type AssetProfiles,
  hasEnded,
  type ProfileEvent,
  type ProfileResult,
} from './asset-profiles.ts'

type OfProfile = { profileId: number; at: string }

/** Times are ISO 8601 UTC. `until` is when the claim expires unless it is renewed. */
export type ProfileCommand =
  | { type: 'RequestProfile'; profile: AskedProfile }
  | ({ type: 'ClaimProfile' } & ClaimRequest & OfProfile)
  | ({ type: 'ProgressProfile'; fence: number; until: string; progress: RunProgress | null } & OfProfile)
  | ({ type: 'ReleaseProfile'; fence: number } & OfProfile)
  | ({ type: 'SucceedProfile'; fence: number; result: ProfileResult } & OfProfile)
  | ({ type: 'FailProfile'; fence: number; error: string } & OfProfile)
  | ({ type: 'CancelProfile'; by: string } & OfProfile)

/** Commands of a worker that has lost its claim give no events. An asset has at most one open profile. */
export function decide(command: ProfileCommand, state: AssetProfiles): ProfileEvent[] {
  if (command.type === 'RequestProfile') {
    if (state.profiles.some((profile) => !hasEnded(profile)))
      throw new AssayError('unprocessable', 'The previous profile has not ended: wait for it, or cancel it.')
    return [{ type: 'ProfileRequested', data: { profile: command.profile } }]
  }
  const { profileId, at } = command
  const profile = state.profiles.find(({ asked }) => asked.id === profileId)
  switch (command.type) {
    case 'ClaimProfile':
      return profile === undefined ? [] : claim(command, profile)
    case 'ProgressProfile': {
      const { fence, until, progress } = command
      return holds(profile, fence)
        ? [{ type: 'ProfileProgressed', data: { profileId, at, fence, until, progress } }]
        : []
    }
    case 'ReleaseProfile': {
      const { fence } = command
      return holds(profile, fence) ? [{ type: 'ProfileReleased', data: { profileId, at, fence } }] : []
    }
    case 'SucceedProfile': {
      const { fence, result } = command
      return holds(profile, fence) ? [{ type: 'ProfileSucceeded', data: { profileId, at, fence, result } }] : []
    }
    case 'FailProfile': {
      const { fence, error } = command
      return holds(profile, fence) ? [{ type: 'ProfileFailed', data: { profileId, at, error } }] : []
    }
    case 'CancelProfile':
      if (profile === undefined) throw new AssayError('not-found', 'There is no such profile.')
      if (hasEnded(profile))
        throw new AssayError('method-not-allowed', 'The profile has already finished and cannot be cancelled.')
      return [{ type: 'ProfileAborted', data: { profileId, at, by: command.by } }]
    default:
      return command satisfies never
  }
}

function claim(command: Extract<ProfileCommand, { type: 'ClaimProfile' }>, profile: AssetProfile): ProfileEvent[] {
  const { profileId, at } = command
  const granted = decideClaim(profile, command)
  if (granted === 'taken') return []
  if (granted === 'died')
    return [{ type: 'ProfileFailed', data: { profileId, at, error: 'The profile ended unexpectedly three times.' } }]
  return [{ type: 'ProfileClaimed', data: { profileId, ...granted } }]
}
