import { type ProfileRequest, withoutValues } from '@assay/contracts'
import { type AssetProfile, hasEnded } from '../asset-profiles/asset-profiles.ts'
import { statusOfEnd } from '../execution/statuses.ts'
import { shownMarker } from '../reading/shown-marker.ts'

/** A waiting profile is IN_PROGRESS too, because clients poll only while they see this status. Pure. */
export function profileStatusOf(profile: AssetProfile): ProfileRequest['status'] {
  return hasEnded(profile) ? statusOfEnd(profile.status) : 'IN_PROGRESS'
}

/** A profile as the API shows it. `hides`: whether anything of its asset is hidden from the caller. Pure. */
export function profileRecord(profile: AssetProfile, hides: boolean): ProfileRequest {
  const { asked, startedAt, updatedAt } = profile
  const { id, assetId, assetUid, requestId, profilingType, markerConfig, selectedColumns } = asked
  return {
    id,
    assetId,
    assetUid,
    requestId,
    status: profileStatusOf(profile),
    profilingType,
    markerConfig: shownMarker(markerConfig),
    profileCapabilities: [],
    selectedColumns,
    isProfileAnomalous: false,
    rowCount: profile.status === 'succeeded' ? profile.result.rows : null,
    columnCount: profile.status === 'succeeded' ? profile.result.columns : null,
    progress: profile.status === 'running' ? profile.progress : null,
    errorMessage: profile.status !== 'failed' ? null : hides ? withoutValues(profile.error) : profile.error,
    createdBy: asked.requestedBy,
    createdAt: asked.requestedAt,
    updatedAt,
    startedAt,
    finishedAt: hasEnded(profile) ? profile.finishedAt : null,
    jobId: null,
    sparkClusterContext: null,
  }
}
