const api = '/catalog-server/api'

/** Paths that the reader can GET with their key. */
export const linkOfAsset = (assetId: number): string => `${api}/assets/${assetId}`
export const linkOfPolicy = (policyId: number): string => `${api}/rules/${policyId}`
/** `policyType` as in records: `DATA_QUALITY`. */
export const linkOfExecution = (policyType: string, executionId: number): string =>
  `${api}/rules/${policyType.toLowerCase().replaceAll('_', '-')}/executions/${executionId}/result`
