import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { openWorkPut } from '@assay/work'
import {
  type AssetProfile,
  type AssetProfiles,
  assetProfile,
  evolve,
  noProfiles,
  type ProfileEvent,
} from './asset-profiles.ts'
import { decide, type ProfileCommand } from './decide.ts'

/** One document per kept profile. */
export const assetProfiles = defineCollection<AssetProfile>({
  name: 'asset_profiles',
  version: 2,
  idType: 'integer',
  schema: assetProfile,
  fields: {
    assetId: { type: 'integer', of: ({ asked }) => asked.assetId },
  },
})

/** The `kind` of profiles in `openWork`. */
export const profileWork = 'profile'

/** Streams `<tenant>/assetprofiles-<asset id>`. */
export const assetProfilesAggregate: Aggregate<AssetProfiles, ProfileCommand, ProfileEvent> = {
  category: 'assetprofiles',
  decider: { initialState: noProfiles, decide, evolve },
  schemaVersion: 1,
  documents: ({ profiles, dropped }, { tenant }, source) => [
    ...dropped.map((id) => documentPut(assetProfiles, tenant, id, null, source)),
    ...profiles.flatMap((profile) => {
      const { id, requestedAt: since } = profile.asked
      return [
        documentPut(assetProfiles, tenant, id, profile, source),
        openWorkPut({ kind: profileWork, tenant, id, since }, profile, source),
      ]
    }),
  ],
}
