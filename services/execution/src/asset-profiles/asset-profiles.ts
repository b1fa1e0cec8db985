import { runMarkerConfig } from '@assay/contracts'
import { afterClaim, afterRelease, afterRenewal, claimed, type DueTime, newWork, waiting } from '@assay/work'
import { z } from 'zod'
import { progress, type RunProgress } from '../execution/run.ts'
import {
  type AutomaticProfiles,
  type AutomaticProfilesEvent,
  evolveAutomatic,
  noAutomaticProfiles,
} from './automatic-profiles.ts'

/** A requested profile. Times are ISO 8601 UTC. */
export const askedProfile = z.object({
  id: z.int(),
  assetId: z.int(),
  assetUid: z.string(),
  /** For a view: its `ViewState`, in two fields. */
  view: z.string().exactOptional(),
  sourceIds: z.array(z.int()).exactOptional(),
  /** `profile-<uuid>`. */
  requestId: z.string(),
  profilingType: z.enum(['FULL', 'SELECTIVE', 'INCREMENTAL']),
  /** SELECTIVE: the rows to read. INCREMENTAL: how to recognise new rows. */
  markerConfig: runMarkerConfig.nullable(),
  /** Empty means all columns. */
  selectedColumns: z.array(z.string()),
  requestedAt: z.string(),
  requestedBy: z.string(),
})
export type AskedProfile = z.infer<typeof askedProfile>

/**
 * The artifact that holds the statistics, and its size. `hasStates`: whether the states of the columns are next to it;
 * absent in older results, which may have them.
 */
export const profileResult = z.object({
  key: z.string(),
  file: z.string(),
  rows: z.int(),
  columns: z.int(),
  hasStates: z.boolean().exactOptional(),
})
export type ProfileResult = z.infer<typeof profileResult>

/** What started a profile, if no caller did: its schedule, or a crawl that found the table new, changed, or unknown. */
export type ProfileCause = { kind: 'SCHEDULE'; scheduled: DueTime } | { kind: 'CRAWL'; revision: number }

type OfProfile = { profileId: number; at: string }
type OfAsset = { assetId: number; at: string }
/** Events of single profiles. */
export type SingleProfileEvent =
  | { type: 'ProfileRequested'; data: { profile: AskedProfile; cause?: ProfileCause } }
  | { type: 'ProfileClaimed'; data: OfProfile & { worker: string; fence: number; until: string } }
  | { type: 'ProfileProgressed'; data: OfProfile & { fence: number; until: string; progress: RunProgress | null } }
  | { type: 'ProfileReleased'; data: OfProfile & { fence: number } }
  | { type: 'ProfileSucceeded'; data: OfProfile & { fence: number; result: ProfileResult } }
  | { type: 'ProfileFailed'; data: OfProfile & { error: string } }
  | { type: 'ProfileAborted'; data: OfProfile & { by: string } }
/** The files that only later profiles and runs would have read were removed: states, and what failed attempts left. */
export type ProfileStatesRemoved = { type: 'ProfileStatesRemoved'; data: OfAsset & { profileIds: number[] } }
export type ProfileEvent = SingleProfileEvent | AutomaticProfilesEvent | ProfileStatesRemoved

/** Whether an event is of a single profile. */
export function isOfOneProfile(event: ProfileEvent): event is SingleProfileEvent {
  return event.type === 'ProfileRequested' || 'profileId' in event.data
}

const shown = { asked: askedProfile, startedAt: z.string().nullable(), updatedAt: z.string() }
const ended = { ...shown, finishedAt: z.string(), statesRemoved: z.literal(true).exactOptional() }
/** The state of one profile, as the documents hold it. */
export const assetProfile = z.discriminatedUnion('status', [
  waiting.extend(shown),
  claimed.extend({ ...shown, progress: progress.nullable() }),
  z.object({ status: z.literal('succeeded'), ...ended, result: profileResult }),
  z.object({ status: z.literal('failed'), ...ended, error: z.string() }),
  z.object({ status: z.literal('aborted'), ...ended, by: z.string() }),
])
export type AssetProfile = z.infer<typeof assetProfile>
export type EndedProfile = Extract<AssetProfile, { finishedAt: string }>
export type RunningProfile = Extract<AssetProfile, { status: 'running' }>

/** Maximum number of profiles kept per asset. */
export const keptProfiles = 20

/**
 * The kept profiles of one asset, oldest first, and when the next one starts by itself. They share one stream, so only
 * one of several concurrent requests is accepted. `dropped`: the profiles that the last event removed.
 */
export interface AssetProfiles extends AutomaticProfiles {
  profiles: AssetProfile[]
  dropped: number[]
  /** 0 if nothing has happened yet. */
  assetId: number
}

export const noProfiles: AssetProfiles = { ...noAutomaticProfiles, profiles: [], dropped: [], assetId: 0 }

/** Whether a profile succeeded, failed or was cancelled. */
export function hasEnded(profile: AssetProfile): profile is EndedProfile {
  return profile.status === 'succeeded' || profile.status === 'failed' || profile.status === 'aborted'
}

/**
 * Whether a profile that ended may have stored more than its figures: states of columns, or files of an attempt that was
 * interrupted.
 */
export function mayHaveStates(profile: AssetProfile): profile is EndedProfile {
  if (!hasEnded(profile) || profile.statesRemoved || profile.asked.profilingType === 'SELECTIVE') return false
  return profile.status === 'succeeded' ? profile.result.hasStates !== false : profile.startedAt !== null
}

export function evolve(state: AssetProfiles, event: ProfileEvent): AssetProfiles {
  switch (event.type) {
    case 'ProfileRequested':
      return requested(state, event.data)
    case 'ProfilesScheduled':
    case 'ScheduledProfileSkipped':
    case 'ProfileTriggered':
    case 'ProfileTriggerDropped':
      return { ...state, ...evolveAutomatic(state, event), dropped: [], assetId: event.data.assetId }
    case 'ProfileStatesRemoved': {
      const removed = new Set(event.data.profileIds)
      const profiles = state.profiles.map((profile) =>
        removed.has(profile.asked.id) && hasEnded(profile) ? { ...profile, statesRemoved: true as const } : profile,
      )
      return { ...state, profiles, dropped: [] }
    }
    default: {
      const { profileId } = event.data
      const profiles = state.profiles.map((profile) =>
        profile.asked.id === profileId && !hasEnded(profile) ? changed(profile, event) : profile,
      )
      return { ...state, profiles, dropped: [] }
    }
  }
}

function requested(
  state: AssetProfiles,
  { profile: asked, cause }: Extract<ProfileEvent, { type: 'ProfileRequested' }>['data'],
): AssetProfiles {
  const all: AssetProfile[] = [...state.profiles, { ...newWork, asked, startedAt: null, updatedAt: asked.requestedAt }]
  const surplus = all.slice(0, Math.max(0, all.length - keptProfiles))
  return {
    ...state,
    profiles: all.slice(surplus.length),
    dropped: surplus.map(({ asked: { id } }) => id),
    assetId: asked.assetId,
    ...(cause?.kind === 'SCHEDULE' ? { bySchedule: { ...state.bySchedule, due: cause.scheduled.next } } : {}),
    ...(cause?.kind === 'CRAWL' ? { afterCrawl: { ...state.afterCrawl, waiting: null } } : {}),
  }
}

type OpenProfile = Exclude<AssetProfile, EndedProfile>

function changed(profile: OpenProfile, event: Exclude<SingleProfileEvent, { type: 'ProfileRequested' }>): AssetProfile {
  const { at } = event.data
  const { asked, startedAt } = profile
  const ended = { asked, startedAt, updatedAt: at, finishedAt: at }
  switch (event.type) {
    case 'ProfileClaimed':
      return {
        ...afterClaim(profile, event.data),
        ...{ asked, startedAt: startedAt ?? at, updatedAt: at, progress: null },
      }
    case 'ProfileProgressed': {
      if (profile.status !== 'running') return profile
      const { progress } = event.data
      return {
        ...profile,
        ...afterRenewal(profile, event.data),
        ...{ updatedAt: at, progress: progress ?? profile.progress },
      }
    }
    case 'ProfileReleased':
      return profile.status === 'running' ? { ...afterRelease(profile), asked, startedAt, updatedAt: at } : profile
    case 'ProfileSucceeded':
      return { status: 'succeeded', ...ended, result: event.data.result }
    case 'ProfileFailed':
      return { status: 'failed', ...ended, error: event.data.error }
    case 'ProfileAborted':
      return { status: 'aborted', ...ended, by: event.data.by }
    default:
      return event satisfies never
  }
}
