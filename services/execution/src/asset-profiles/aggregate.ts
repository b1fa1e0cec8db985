import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { duePut, openWorkPut } from '@assay/work'
import {
  type AssetProfile,
  type AssetProfiles,
  assetProfile,
  evolve,
  mayHaveStates,
  noProfiles,
  type ProfileEvent,
} from './asset-profiles.ts'
import { decide, type ProfileCommand } from './decide.ts'

/** One document per kept profile. */
export const assetProfiles = defineCollection<AssetProfile>({
  name: 'asset_profiles',
  version: 3,
  idType: 'integer',
  schema: assetProfile,
  fields: {
    assetId: { type: 'integer', of: ({ asked }) => asked.assetId },
    mayHaveStates: { type: 'boolean', of: mayHaveStates },
  },
})

/** The `kind` of profiles in `openWork`. */
export const profileWork = 'profile'

/** The kinds of due-book entries for profiles of an asset: by schedule, and after a crawl. */
export const profileDue = { schedule: 'profile', crawl: 'profile-crawl' } as const

/** Streams `<tenant>/assetprofiles-<asset id>`. */
export const assetProfilesAggregate: Aggregate<AssetProfiles, ProfileCommand, ProfileEvent> = {
  category: 'assetprofiles',
  decider: { initialState: noProfiles, decide, evolve },
  schemaVersion: 3,
  documents: ({ profiles, dropped, assetId: id, bySchedule, afterCrawl }, { tenant }, source) => [
    ...dropped.map((id) => documentPut(assetProfiles, tenant, id, null, source)),
    ...profiles.flatMap((profile) => {
      const { id, requestedAt: since } = profile.asked
      return [
        documentPut(assetProfiles, tenant, id, profile, source),
        openWorkPut({ kind: profileWork, tenant, id, since }, profile, source),
      ]
    }),
    ...(id === 0
      ? []
      : [
          duePut({ kind: profileDue.schedule, tenant, id }, bySchedule.due, source),
          duePut({ kind: profileDue.crawl, tenant, id }, afterCrawl.waiting?.at ?? null, source),
        ]),
  ],
}
