import * as catalog from './clients-catalog-readers.ts'
import * as policy from './clients-policy-readers.ts'
import type { Client, Reader } from './clients-reader.ts'

/** A call of the clients: its path with `~` and `{fixture}`, its body, and the schemas of the answer for each client. */
export interface ClientCall {
  readonly by: readonly Client[]
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: (names: Readonly<Record<string, string>>) => unknown
  readonly reads: Reader
}

const all: readonly Client[] = ['A', 'B', 'C']
const get = (path: string, reads: Reader, by: readonly Client[] = all): ClientCall => ({
  by,
  method: 'GET',
  path,
  reads,
})

export const catalogCalls: readonly ClientCall[] = [
  get('~/assemblies', catalog.assemblyListAnswer),
  get('~/assemblies?sourceType=FILE', catalog.assemblyListAnswer),
  ...['true', 'false'].flatMap((value) => [
    get(`~/assemblies/{assemblyId}?properties=${value}`, catalog.assemblyAnswer, ['A']),
    get(`~/assemblies/{assemblyName}?properties=${value}`, catalog.assemblyAnswer, ['A']),
  ]),
  ...['True', 'False'].flatMap((value) => [
    get(`~/assemblies/{assemblyId}?properties=${value}`, catalog.assemblyAnswer, ['B', 'C']),
    get(`~/assemblies/{assemblyName}?properties=${value}`, catalog.assemblyAnswer, ['B', 'C']),
  ]),
  get('~/crawler/{assemblyName}', catalog.crawlStatusAnswer),
  get('~/asset-types', catalog.assetTypesAnswer),
  get('~/source-types', catalog.sourceTypesAnswer),
  get('~/connection-types', catalog.connectionTypesAnswer),
  get('~/analytics-pipelines/1', catalog.pipelineAnswer),
  get('~/analytics-pipelines/default', catalog.pipelineAnswer),
  get('~/sdk/compatible-versions', catalog.compatibleVersionsAnswer),
  get('/admin/api/build-details', catalog.buildDetailsAnswer),
]

export const assetCalls: readonly ClientCall[] = [
  get('~/assets?ids={assetId}', catalog.assetListAnswer),
  // An unescaped UID, with characters that no client escapes.
  get('~/assets?uid={assetUid}', catalog.assetListAnswer, ['A', 'B']),
  get('~/assets?uid={oddUid}', catalog.assetListAnswer, ['A', 'B']),
  get('~/assets/{assetId}/metadata', catalog.metadataAnswer),
  {
    by: all,
    method: 'POST',
    path: '~/assets/{assetId}/metadata/custom',
    body: () => ({ team: 'growth', tier: 'gold' }),
    reads: catalog.metadataAnswer,
  },
  get('~/assets/{assetId}/metadata', catalog.metadataAnswer),
  {
    by: all,
    method: 'POST',
    path: '~/assets/{assetId}/tag',
    body: ({ uniqueName }) => ({ name: `tag ${uniqueName}` }),
    reads: catalog.assetTag,
  },
  get('~/assets/{assetId}/tags', catalog.assetTagsAnswer),
  get('~/assets/tags', catalog.tagsAnswer),
  {
    by: ['A'],
    method: 'PUT',
    path: '~/assets/{assetId}/labels',
    body: () => ({
      labels: [
        { key: 'confidentiality', value: 'high', labelType: null },
        { key: 'region', value: 'eu', labelType: null, createdBy: null },
      ],
    }),
    reads: catalog.labelsAnswer,
  },
  {
    by: ['B', 'C'],
    method: 'PUT',
    path: '~/assets/{assetId}/labels',
    body: () => ({ labels: [{ key: 'confidentiality', value: 'high' }] }),
    reads: catalog.labelsAnswer,
  },
  get('~/assets/{assetId}/labels', catalog.labelsAnswer),
  get('~/assets/{assetId}/activity', catalog.activityAnswer),
  get('~/assets/{assetId}/comments', catalog.commentsAnswer),
  get('~/assets/discover?page=0&size=25', catalog.discoverAnswer),
]

export const tagServiceCalls: readonly ClientCall[] = [
  get('/api/tags/v1/search', catalog.tagSearchAnswer, ['A']),
  get('~/tag-associations/entity/{assetId}?entityType=ASSET', catalog.associationsAnswer, ['A']),
]

const listQueries = [
  '?page=0&size=25&withLatestExecution=True&sortBy=updatedAt:DESC&ruleStatus=ALL',
  '?page=0&size=25&withLatestExecution=True&sortBy=updatedAt:DESC&ruleStatus=ACTIVE&ruleType=DATA_QUALITY',
  '?page=0&size=25&withLatestExecution=False&sortBy=name:ASC&ruleType=RECONCILIATION,EQUALITY',
  '?page=0&size=25&withLatestExecution=True&sortBy=finishedAt:DESC&resultStatus=SUCCESSFUL&enabled=True',
  '?page=0&size=25&withLatestExecution=True&sortBy=id:DESC&assetIds={assetId}&assemblyIds={assemblyId}',
  '?page=0&size=25&withLatestExecution=True&startedAfter=1577836800000&finishedBefore=4102444800000',
  '?page=0&size=0',
]
const kinds = [
  'data-quality',
  'reconciliation',
  'equality',
  'data-drift',
  'schema-drift',
  'profile-anomaly',
  'auto-anomaly',
  'data-cadence',
  'data-freshness',
]
export const policyCalls: readonly ClientCall[] = [
  ...listQueries.map((query) => get(`~/rules${query}`, policy.ruleListAnswer)),
  ...kinds.flatMap((kind) => [
    get(`~/rules/{${kind}Id}`, policy.qualityRule),
    get(`~/rules/{${kind}Name}`, policy.qualityRule),
  ]),
  get('~/rules/data-quality/{data-qualityId}', policy.dataQualityAnswer),
  get('~/rules/data-quality/{data-qualityName}', policy.dataQualityAnswer),
  get('~/rules/reconciliation/{reconciliationId}', policy.reconciliationAnswer),
  get('~/rules/reconciliation/{reconciliationName}', policy.reconciliationAnswer),
  get('~/rules/data-cadence/{data-cadenceId}', policy.dataCadenceAnswer),
  get('~/rules/data-cadence/{data-cadenceName}', policy.dataCadenceAnswer),
  ...[false, true].map(
    (enable): ClientCall => ({
      by: all,
      method: 'PUT',
      path: '~/rules/{data-qualityId}/enable',
      body: () => ({ enable }),
      reads: policy.enabledAnswer,
    }),
  ),
]

/** For a policy with or without runs. */
export const runListCalls: readonly ClientCall[] = [
  ...(['data-quality', 'reconciliation', 'data-cadence'] as const).flatMap((kind) => [
    get(
      `~/rules/${kind}/{${kind}Id}/executions?page=0&size=25&sortBy=finishedAt:DESC`,
      policy.runsOfKind(kind === 'data-quality' ? policy.dataQualityRun : policy.otherRun),
    ),
    get(`~/rules/executions?ruleId={${kind}Id}&page=0&size=25&sortBy=finishedAt:DESC`, policy.runsOfAllKinds),
  ]),
  ...(
    [
      ['equality', 'equality'],
      ['data-drift', 'data-drift'],
      ['schema_drift', 'schema-drift'],
      ['data_cadence', 'data-cadence'],
    ] as const
  ).map(([segment, kind]) => get(`~/rules/${segment}/{${kind}Id}/executions`, policy.runsOfOldPath)),
]
