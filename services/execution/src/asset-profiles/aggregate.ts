import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import {
  type AssetProfile,
  type AssetProfiles,
  assetProfile,
  evolve,
  hasEnded,
  noProfiles,
  type ProfileEvent,
} from './asset-profiles.ts'
import { decide, type ProfileCommand } from './decide.ts'

/** One document for each profile that is kept. */
export const assetProfiles = defineCollection<AssetProfile>({
  name: 'asset_profiles',
  version: 1,
  idType: 'integer',
  schema: assetProfile,
  fields: {
    assetId: { type: 'integer', of: ({ asked }) => asked.assetId },
    open: { type: 'boolean', of: (profile) => !hasEnded(profile) },
  },
})

/** Streams `<tenant>/assetprofiles-<asset id>`. */
export const assetProfilesAggregate: Aggregate<AssetProfiles, ProfileCommand, ProfileEvent> = {
  category: 'assetprofiles',
  decider: { initialState: noProfiles, decide, evolve },
  schemaVersion: 1,
  documents: ({ profiles, forgotten }, { tenant }, source) => [
    ...forgotten.map((id) => documentPut(assetProfiles, tenant, id, null, source)),
    ...profiles.map((profile) => documentPut(assetProfiles, tenant, profile.asked.id, profile, source)),
  ],
}
