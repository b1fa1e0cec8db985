import { segmentOf } from '@assay/contracts'

const api = '/catalog-server/api'

/** Paths that the reader can GET with their key. */
export const linkOfAsset = (assetId: number): string => `${api}/assets/${assetId}`
export const linkOfPolicy = (policyId: number): string => `${api}/rules/${policyId}`
/** `policyType` as in records: `DATA_QUALITY`. */
export const linkOfExecution = (policyType: string, executionId: number): string =>
  `${api}/rules/${segmentOf(policyType)}/executions/${executionId}/result`
export const linkOfIncident = (incidentId: number): string => `${api}/incidents/${incidentId}`
export const linkOfList = `${api}/notifications`
/** The notifications that the recipient's mutes and quiet hours held. */
export const linkOfHeld = `${api}/notifications?held=true`
export const linkOfDeletedAssets = (assemblyId: number): string =>
  `${api}/assets?assembly_ids=${assemblyId}&includeDeleted=true`
export const linkOfCrawl = (crawlId: number): string => `${api}/crawls/${crawlId}`
export const linkOfChannel = (channelId: number): string => `${api}/notification-channels/${channelId}`
