import { publicMessage, publicTopics, withoutValues } from '@assay/contracts'
import { eventOf, type RecordedEvent } from '@assay/event-store'
import type { Publication } from '@assay/message-bus'
import { assetProfilesAggregate } from '../asset-profiles/aggregate.ts'
import { type AssetProfiles, hasEnded, isOfOneProfile } from '../asset-profiles/asset-profiles.ts'
import { profileStatusOf } from '../profiles/profile-record.ts'

/** The public message for an event of a profile. `state`: the asset's profiles after it. Pure. */
export function profileMessages(recorded: RecordedEvent, { profiles }: AssetProfiles): Publication[] {
  const event = eventOf(assetProfilesAggregate, recorded)
  if (!isOfOneProfile(event)) return []
  const profileId = event.type === 'ProfileRequested' ? event.data.profile.id : event.data.profileId
  const profile = profiles.find(({ asked }) => asked.id === profileId)
  if (profile === undefined) return []
  const { assetId, assetUid, requestedAt, profilingType } = profile.asked
  const data = {
    ...(hasEnded(profile) ? { before: { status: 'IN_PROGRESS' } } : {}),
    profileId,
    assetId,
    assetUid,
    profilingType,
    status: profileStatusOf(profile),
    rowCount: profile.status === 'succeeded' ? profile.result.rows : null,
    requestedAt,
    finishedAt: hasEnded(profile) ? profile.finishedAt : null,
    error: profile.status === 'failed' ? withoutValues(profile.error) : null,
  }
  const of = { key: `profile-${profileId}`, subject: `profile/${profileId}`, data }
  return [{ topic: publicTopics.executions, message: publicMessage('execution', recorded, of) }]
}
