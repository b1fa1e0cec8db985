import type { DueTime, Schedule } from '@assay/work'

/** A scheduled time at which no profile started. ISO 8601 UTC. */
export type SkippedTime = { nominalTime: string; reason: string }
const skipsKept = 20

/** Profiles at the times of a schedule. `due`: the next time. `skipped`: newest first. */
export interface BySchedule {
  schedule: Schedule | null
  due: string | null
  skipped: readonly SkippedTime[]
}

/**
 * A profile after a crawl. `waiting`: it is still to start, since `at`, and must read this revision of the table or a
 * later one. `revision`: the highest one that was to be profiled. `crawledAt`: the end of the last crawl after which
 * nobody could tell whether the table had changed.
 */
export interface AfterCrawl {
  waiting: { at: string; revision: number } | null
  revision: number
  crawledAt: string | null
}

/** When the next profiles of an asset start by themselves. */
export interface AutomaticProfiles {
  bySchedule: BySchedule
  afterCrawl: AfterCrawl
}

export const noAutomaticProfiles: AutomaticProfiles = {
  bySchedule: { schedule: null, due: null, skipped: [] },
  afterCrawl: { waiting: null, revision: -1, crawledAt: null },
}

type OfAsset = { assetId: number; at: string }
export type AutomaticProfilesEvent =
  | { type: 'ProfilesScheduled'; data: OfAsset & { schedule: Schedule | null; due: string | null } }
  | { type: 'ScheduledProfileSkipped'; data: OfAsset & { scheduled: DueTime; reason: string } }
  /** A profile is to start after a crawl. */
  | { type: 'ProfileTriggered'; data: OfAsset & { revision: number; crawledAt: string | null } }
  | { type: 'ProfileTriggerDropped'; data: OfAsset }

export function evolveAutomatic(
  { bySchedule, afterCrawl }: AutomaticProfiles,
  event: AutomaticProfilesEvent,
): AutomaticProfiles {
  switch (event.type) {
    case 'ProfilesScheduled': {
      const { schedule, due } = event.data
      return { bySchedule: { ...bySchedule, schedule, due }, afterCrawl }
    }
    case 'ScheduledProfileSkipped': {
      const { scheduled, reason } = event.data
      const skipped = [{ nominalTime: scheduled.nominal, reason }, ...bySchedule.skipped].slice(0, skipsKept)
      return { bySchedule: { ...bySchedule, due: scheduled.next, skipped }, afterCrawl }
    }
    case 'ProfileTriggered': {
      const { at, revision, crawledAt } = event.data
      const after = {
        waiting: { at, revision },
        revision: Math.max(revision, afterCrawl.revision),
        crawledAt: crawledAt ?? afterCrawl.crawledAt,
      }
      return { bySchedule, afterCrawl: after }
    }
    case 'ProfileTriggerDropped':
      return { bySchedule, afterCrawl: { ...afterCrawl, waiting: null } }
    default:
      return event satisfies never
  }
}
