import { operations } from '@assay/contracts'

/** The kinds of policies in the table, as in paths: `data-quality` ... */
export const policyKinds: readonly string[] = operations.flatMap(({ method, path, service }) => {
  const kind = /^\/catalog-server\/api\/rules\/([a-z-]+)$/.exec(path)?.[1]
  return method === 'POST' && service === 'policy' && kind !== undefined ? [kind] : []
})

export function policyNameOf(kind: string, uniqueName: string): string {
  return `${uniqueName} ${kind}`
}

const items: Record<string, unknown[]> = {
  'data-quality': [{ name: 'has a name', measurementType: 'MISSING_VALUES', columnName: 'name' }],
  reconciliation: [{ measurementType: 'EQUALITY' }],
  equality: [{ measurementType: 'EQUALITY' }],
  'data-drift': [{ columnName: 'age', metricType: 'COMPLETENESS', driftThreshold: 10 }],
  'profile-anomaly': [{ monitorColumns: ['age'] }],
  'data-freshness': [{ measurementType: 'DATA_FRESHNESS', value: { maxAge: 'P1D' } }],
  'data-cadence': [{ measurementType: 'RECORD_COUNT_TOTAL' }],
}
const mappings = [{ leftColumnName: 'id', rightColumnName: 'id', useForJoining: true }]

/** A definition of a policy of that kind on one asset. If the kind needs two assets, it is both. */
export function policyBody(kind: string, { uniqueName, assetId }: { uniqueName: string; assetId: string }) {
  const name = policyNameOf(kind, uniqueName)
  const asset = { tableAssetId: Number(assetId) }
  const sent = items[kind]
  if (kind === 'reconciliation' || kind === 'equality')
    return { rule: { name, leftBackingAsset: asset, rightBackingAsset: asset }, items: sent, mappings }
  return { rule: { name, backingAsset: asset }, ...(sent ? { items: sent } : {}) }
}
