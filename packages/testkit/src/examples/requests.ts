import { exampleOf, type Operation, policyTypes, segmentOf } from '@assay/contracts'
import { fixturesIn } from '../http-suite/requests.ts'
import type { Request } from './recorder.ts'

/** Ids and names of things by fixture name: the fixtures of http-suite/requests.ts, and a few more. */
export type Facts = Record<string, string>

const numberOf = (facts: Facts, name: string) => Number(facts[name])

/** Bodies for operations whose table example and schema are not enough. */
export const bodies: Readonly<Record<string, (facts: Facts) => unknown>> = {
  createTenant: () => ({ name: 'research' }),
  createApiKey: () => ({
    displayName: 'dashboard',
    validTill: '2099-01-01',
    permissions: ['ASSET_VIEW', 'POLICY_VIEW'],
  }),
  rotateApiKey: () => ({ overlapSeconds: 3600 }),
  createServiceUser: () => ({ username: 'nightly-loader', description: 'Starts the policies when the load is done.' }),
  updateServiceUser: () => ({ enabled: true, description: 'Starts the policies when the nightly load is done.' }),
  addServiceUserRoles: () => ({ clientId: 'assay', roles: [1, 11, 14] }),
  removeServiceUserRoles: () => ({ clientId: 'assay', roles: [14] }),
  testAssembly: ({ samples }) => source('samples', `${samples}`),
  createAssembly: ({ assemblyName, samples }) => source(`${assemblyName}`, `${samples}`),
  updateAssembly: ({ samples }) => ({
    ...source('samples', `${samples}`),
    schedule: '0 5 * * *',
    timeZone: 'Europe/Berlin',
  }),
  addAssetComment: () => ({ comment: 'The budgets are in US dollars of the year of release.' }),
  editAssetComment: () => ({ comment: 'The budgets are in US dollars of the year of release; see the publisher.' }),
  addAssetTag: () => ({ name: 'movies' }),
  createWatch: (facts) => ({ tagId: numberOf(facts, 'tagId'), kinds: ['SCHEMA_CHANGED', 'ASSET_DELETED'] }),
  changeWatch: () => ({ kinds: null, minSeverity: 'WARNING' }),
  createNotificationRule: (facts) => ({
    name: 'errors to on-call',
    when: { minSeverity: 'ERROR' },
    channelIds: [numberOf(facts, 'sharedChannelId')],
  }),
  dryRunNotificationRules: (facts) => ({ kind: 'INCIDENT_OPENED', assetId: numberOf(facts, 'assetId') }),
  addCustomMetadata: () => ({ license: 'BSD-3-Clause', refreshed: 'never' }),
  updateAssetConfiguration: () => ({ description: 'Movies up to 2010.', owner: 'ada', team: ['research'] }),
  updateAssetLabels: () => ({ labels: [{ key: 'domain', value: 'film' }] }),
  voteOnAsset: () => ({ vote: 'UP' }),
  createTag: () => ({ name: 'personal', protectedData: true }),
  updateTag: () => ({ name: 'personal data' }),
  mergeTag: (facts) => ({ into: numberOf(facts, 'intoTagId') }),
  createTagKey: () => ({ key: 'sensitivity', values: ['open', 'internal'], keyDescription: 'Who may see it.' }),
  addTagValues: () => ({ values: ['secret'] }),
  associateTags: (facts) => ({
    entityId: numberOf(facts, 'assetId'),
    entityType: 'ASSET',
    keyValueIds: [numberOf(facts, 'tagValueId')],
  }),
  setRuleConfiguration: ({ storageId }) => configuration(storageId),
  setRuleConfigurationByName: ({ storageId }) => configuration(storageId),
  updateIncident: () => ({ acknowledged: true, assignee: 'ada', snoozedUntil: '2099-01-01T08:00:00.000Z' }),
  acceptSuggestions: ({ suggestionIds }) => ({
    ids: JSON.parse(`${suggestionIds}`),
    name: 'Movies stay as complete as they are',
  }),
  requestAssetSampleAsync: () => ({ invalidateCache: true }),
  validateUdfTemplateAsync: (facts) => ({
    assetId: numberOf(facts, 'assetId'),
    analyticsPipelineId: 1,
    variables: [
      { key: 'column', value: 'IMDB Rating', isColumnVariable: true },
      { key: 'high', value: '10' },
    ],
  }),
}

function source(name: string, path: string) {
  return {
    name,
    description: 'Real public data with real defects, from the npm package vega-datasets.',
    sourceType: 'FILE',
    configuration: { path },
  }
}
const configuration = (storageId: string | undefined) => ({
  persistenceFolderPrefix: 'movies',
  categoriesPersistenceConfig: { type: 'SAVED', configId: Number(storageId) },
})

/** Query parameters other than the size of a page. */
const queries: Readonly<Record<string, (facts: Facts) => Record<string, string>>> = {
  getAssembly: () => ({ properties: 'true' }),
  getChildAssets: () => ({ inferDataType: 'true', size: '2' }),
  listAssetTypes: () => ({ onlyCrawledAssetTypes: 'true' }),
  listAssets: () => ({ uid: 'samples.movies.json' }),
  listAudit: () => ({ type: 'PolicyCreated', size: '2' }),
  listServiceUsers: () => ({ searchString: 'loader', max: '2' }),
  listTagsOfAssets: () => ({ name: 'mov', size: '2' }),
  listTags: () => ({ name: 'mov', size: '2' }),
  listTagAssociations: () => ({ entityType: 'ASSET' }),
  searchTagValues: () => ({ keyName: 'sensitivity', size: '2' }),
  discoverAssets: () => ({ name: 'movie', size: '2' }),
  searchAssets: () => ({ name: 'imdb', size: '2' }),
  listRules: () => ({ name: 'weather', size: '2' }),
  listNotifications: () => ({ unread: 'true', size: '2' }),
  listUdfTemplates: () => ({ isPaginated: 'true', size: '2' }),
  streamEvents: () => ({ type: 'io.assay.policy.*' }),
}

const kinds = policyTypes.map(segmentOf)

/** The kind of policy in a path; data quality for paths without one. */
function kindOf(path: string): string {
  const segments = path.replaceAll('_', '-').split('/')
  return kinds.find((kind) => segments.includes(kind)) ?? 'data-quality'
}

/** The request of an operation, with the things in `facts`. */
export function requestOf(operation: Operation, facts: Facts): Request {
  const { id, path, body, query } = operation
  const kind = kindOf(path)
  const known: Facts = {
    ...facts,
    ...(facts[`${kind}ExecutionId`] === undefined ? {} : { executionId: `${facts[`${kind}ExecutionId`]}` }),
    ...(path.includes('/byAsset/') ? { assetId: `${facts.weatherId}` } : {}),
  }
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  const values = fixturesIn(operation).map((name) => known[name])
  const params = Object.fromEntries(names.flatMap((name, at) => (values[at] === undefined ? [] : [[name, values[at]]])))
  const has = (field: string) => 'shape' in query && Object.hasOwn(query.shape as object, field)
  const sent = bodies[id]?.(facts) ?? operation.example?.body ?? (body ? exampleOf(body) : undefined)
  return {
    params,
    query:
      queries[id]?.(facts) ?? (has('size') ? { size: '2' } : has('message') ? { message: 'No longer needed.' } : {}),
    ...(body ? { body: sent } : {}),
  }
}
