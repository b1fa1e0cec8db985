import { isDeepStrictEqual } from 'node:util'
import { AssayError } from '@assay/service-kit/errors'
import { type ClaimRequest, type DueTime, decideClaim, dueAfterChange, holds, type Schedule } from '@assay/work'
import type { RunProgress } from '../execution/run.ts'
import {
  type AskedProfile,
  type AssetProfile,
  type AssetProfiles,
  hasEnded,
  mayHaveStates,
  type ProfileCause,
  type ProfileEvent,
  type ProfileResult,
} from './asset-profiles.ts'

type OfProfile = { profileId: number; at: string }
type OfAsset = { assetId: number; at: string }
type Crawl = { begunAt: string; endedAt: string }

/** Times are ISO 8601 UTC. `until` is when the claim expires unless it is renewed. */
export type ProfileCommand =
  /** `refusal`: why the profile cannot start, so that it fails at once and is shown as failed. */
  | { type: 'RequestProfile'; profile: AskedProfile; cause?: ProfileCause; refusal?: string }
  | ({ type: 'ScheduleProfiles'; schedule: Schedule | null } & OfAsset)
  | ({ type: 'SkipScheduledProfile'; scheduled: DueTime; reason: string } & OfAsset)
  /**
   * A crawl has found the table, or a change of it. `revision`: of the table that the profile must read. `crawl`: the times
   * of the whole crawl, if it is unknown what it changed.
   */
  | ({ type: 'TriggerProfile'; revision: number; crawl: Crawl | null } & OfAsset)
  | ({ type: 'DropProfileTrigger' } & OfAsset)
  | ({ type: 'RemoveProfileStates'; profileIds: readonly number[] } & OfAsset)
  | ({ type: 'ClaimProfile' } & ClaimRequest & OfProfile)
  | ({ type: 'ProgressProfile'; fence: number; until: string; progress: RunProgress | null } & OfProfile)
  | ({ type: 'ReleaseProfile'; fence: number } & OfProfile)
  | ({ type: 'SucceedProfile'; fence: number; result: ProfileResult } & OfProfile)
  | ({ type: 'FailProfile'; fence: number; error: string } & OfProfile)
  | ({ type: 'CancelProfile'; by: string } & OfProfile)

/** Commands of a worker that has lost its claim give no events. An asset has at most one open profile. */
export function decide(command: ProfileCommand, state: AssetProfiles): ProfileEvent[] {
  switch (command.type) {
    case 'RequestProfile':
      return request(command, state)
    case 'ScheduleProfiles': {
      const { type: _, schedule, assetId, at } = command
      if (isDeepStrictEqual(schedule, state.bySchedule.schedule)) return []
      const due = dueAfterChange(state.bySchedule, schedule, at)
      return [{ type: 'ProfilesScheduled', data: { assetId, at, schedule, due } }]
    }
    case 'SkipScheduledProfile': {
      const { type: _, ...data } = command
      return data.scheduled.due === state.bySchedule.due ? [{ type: 'ScheduledProfileSkipped', data }] : []
    }
    case 'TriggerProfile': {
      const { assetId, at, revision, crawl } = command
      if (isTriggered(state, revision, crawl)) return []
      return [{ type: 'ProfileTriggered', data: { assetId, at, revision, crawledAt: crawl?.endedAt ?? null } }]
    }
    case 'DropProfileTrigger': {
      const { assetId, at } = command
      return state.afterCrawl.waiting === null ? [] : [{ type: 'ProfileTriggerDropped', data: { assetId, at } }]
    }
    case 'RemoveProfileStates': {
      const { assetId, at } = command
      const kept = new Set(state.profiles.filter(mayHaveStates).map(({ asked }) => asked.id))
      const profileIds = command.profileIds.filter((id) => kept.has(id))
      return profileIds.length === 0 ? [] : [{ type: 'ProfileStatesRemoved', data: { assetId, at, profileIds } }]
    }
    default:
      return decideOne(command, state)
  }
}

/** Whether a profile that begins after the crawl is already to come, or has begun since. */
function isTriggered({ profiles, afterCrawl }: AssetProfiles, revision: number, crawl: Crawl | null): boolean {
  const { waiting, crawledAt } = afterCrawl
  if (waiting !== null) return waiting.revision >= revision
  if (crawl === null) return revision <= afterCrawl.revision
  const last = profiles.at(-1)?.asked.requestedAt ?? ''
  return crawl.endedAt <= (crawledAt ?? '') || last >= crawl.begunAt
}

function request(
  { profile, cause, refusal }: Extract<ProfileCommand, { type: 'RequestProfile' }>,
  state: AssetProfiles,
): ProfileEvent[] {
  const { bySchedule, afterCrawl } = state
  // Another replica took the due time.
  if (cause?.kind === 'SCHEDULE' && cause.scheduled.due !== bySchedule.due) return []
  const { waiting } = afterCrawl
  if (cause?.kind === 'CRAWL' && (waiting === null || waiting.revision > cause.revision)) return []
  if (state.profiles.some((one) => !hasEnded(one)))
    throw new AssayError('unprocessable', 'The previous profile has not ended: wait for it, or cancel it.')
  const requested: ProfileEvent = { type: 'ProfileRequested', data: { profile, ...(cause ? { cause } : {}) } }
  if (refusal === undefined) return [requested]
  const { id: profileId, requestedAt: at } = profile
  return [requested, { type: 'ProfileFailed', data: { profileId, at, error: refusal } }]
}

type OneCommand = Extract<ProfileCommand, { profileId: number }>

function decideOne(command: OneCommand, state: AssetProfiles): ProfileEvent[] {
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
