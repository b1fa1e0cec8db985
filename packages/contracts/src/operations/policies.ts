import { z } from 'zod'
import { policyRequests } from '../records/policy-families.ts'
import { policyRecords } from '../records/policy-kinds.ts'
import type { PolicyType } from '../records/policy-types.ts'
import { idText } from '../values/scalars.ts'
import { type Operation, operation } from './operation.ts'
import { policiesOf } from './policies-of-kind.ts'
import { identifierParams, idOrNameParams, idParams, none } from './shapes.ts'

// The examples use the data of the first start.
const weather = { tableAssetUid: 'samples.seattle-weather.csv' }
const twoSided = {
  rule: {
    name: 'Weather arrives in the warehouse',
    leftBackingAsset: weather,
    rightBackingAsset: { tableAssetUid: 'warehouse.seattle-weather.csv' },
  },
  items: [{ measurementType: 'EQUALITY' }],
  mappings: [
    { leftColumnName: 'date', rightColumnName: 'date', useForJoining: true },
    { leftColumnName: 'temp_max', rightColumnName: 'temp_max', tolerance: { absolute: 0.05 } },
  ],
}
const anomaly = {
  rule: { name: 'The weather has no outliers', backingAsset: weather, anomalyStrengthThreshold: 'MEDIUM' },
  items: [{ monitorColumns: ['precipitation', 'temp_max'] }],
}

/** Types that the guide's contract does not schedule. */
const neverScheduled = { schedule: [501] } as const

/** Definitions of policies, by type. */
export const policyKinds = {
  DATA_QUALITY: policiesOf({
    segment: 'data-quality',
    name: 'DataQuality',
    title: 'a data quality',
    params: identifierParams,
    records: policyRecords.quality,
    requests: policyRequests.quality,
    example: {
      rule: {
        name: 'Movies are complete and plausible',
        description: 'Titles are there, ratings are known ones.',
        backingAsset: { tableAssetUid: 'samples.movies.json' },
      },
      items: [
        { name: 'every movie has a title', measurementType: 'MISSING_VALUES', columnName: 'Title' },
        {
          name: 'the rating is one of the MPAA list',
          measurementType: 'VALUES_IN_LIST',
          columnName: 'MPAA Rating',
          value: { values: ['G', 'PG', 'PG-13', 'R', 'NC-17', 'Not Rated'] },
        },
      ],
    },
  }),
  RECONCILIATION: policiesOf({
    segment: 'reconciliation',
    name: 'Reconciliation',
    title: 'a reconciliation',
    params: identifierParams,
    records: policyRecords.reconciliation,
    requests: policyRequests.reconciliation,
    example: twoSided,
    errors: { get: [422] },
  }),
  EQUALITY: policiesOf({
    segment: 'equality',
    name: 'Equality',
    title: 'an equality',
    params: identifierParams,
    records: policyRecords.reconciliation,
    requests: policyRequests.reconciliation,
    example: { ...twoSided, rule: { ...twoSided.rule, name: 'The warehouse has the same weather' } },
  }),
  DATA_DRIFT: policiesOf({
    segment: 'data-drift',
    name: 'DataDrift',
    title: 'a data drift',
    params: identifierParams,
    records: policyRecords['data-drift'],
    requests: policyRequests['data-drift'],
    example: {
      rule: { name: 'The climate stays as it is', backingAsset: weather, baseline: { type: 'PREVIOUS' } },
      items: [{ columnName: 'temp_max', metricType: 'MEAN', driftThreshold: 0.1 }],
    },
    errors: neverScheduled,
  }),
  SCHEMA_DRIFT: policiesOf({
    segment: 'schema-drift',
    name: 'SchemaDrift',
    title: 'a schema drift',
    params: idOrNameParams,
    parameter: 'id',
    records: policyRecords['schema-drift'],
    requests: policyRequests['schema-drift'],
    example: {
      rule: {
        name: 'The weather keeps its columns',
        backingAsset: weather,
        severity: { added: 'WARNING', removed: 'ERROR' },
      },
    },
    errors: neverScheduled,
  }),
  PROFILE_ANOMALY: policiesOf({
    segment: 'profile-anomaly',
    name: 'ProfileAnomaly',
    title: 'a profile anomaly',
    createId: 'createProfileAnomaly',
    params: identifierParams,
    records: policyRecords.anomaly,
    requests: policyRequests.anomaly,
    example: anomaly,
    errors: neverScheduled,
  }),
  AUTO_ANOMALY: policiesOf({
    segment: 'auto-anomaly',
    name: 'AutoAnomaly',
    title: 'an auto anomaly',
    params: identifierParams,
    records: policyRecords.anomaly,
    requests: policyRequests.anomaly,
    example: { ...anomaly, rule: { ...anomaly.rule, name: 'The weather is as usual' } },
  }),
  DATA_CADENCE: policiesOf({
    segment: 'data-cadence',
    name: 'DataCadence',
    title: 'a data cadence',
    params: identifierParams,
    records: policyRecords.cadence,
    requests: policyRequests.cadence,
    example: {
      rule: { name: 'Weather arrives', backingAsset: weather },
      items: [{ measurementType: 'RECORD_COUNT_DRIFT' }],
    },
  }),
  DATA_FRESHNESS: policiesOf({
    segment: 'data-freshness',
    name: 'DataFreshness',
    title: 'a data freshness',
    params: identifierParams,
    records: policyRecords.cadence,
    requests: policyRequests.cadence,
    example: {
      rule: { name: 'The weather is fresh', backingAsset: weather },
      items: [{ measurementType: 'DATA_FRESHNESS', columnName: 'date', value: { maxAge: 'PT36H' } }],
    },
  }),
} as const satisfies Record<PolicyType, unknown>

function byAsset<Answer extends z.ZodType>(segment: string, name: string, answer: Answer) {
  return operation({
    id: `get${name}ByAsset`,
    method: 'GET',
    path: `/catalog-server/api/rules/${segment}/byAsset/{identifier}`,
    service: 'policy',
    permissions: ['ASSET_VIEW', 'POLICY_VIEW'],
    summary: 'Reads the policy of this type on an asset; with several, the one with the lowest id.',
    params: z.object({ identifier: idText }),
    query: none,
    answer,
    errors: [404],
  })
}

/** For the types with normally one policy per asset. */
export const policyByAsset = {
  PROFILE_ANOMALY: byAsset('profile-anomaly', 'ProfileAnomaly', policyRecords.anomaly.answer),
  AUTO_ANOMALY: byAsset('auto-anomaly', 'AutoAnomaly', policyRecords.anomaly.answer),
  DATA_CADENCE: byAsset('data-cadence', 'DataCadence', policyRecords.cadence.answer),
  DATA_FRESHNESS: byAsset('data-freshness', 'DataFreshness', policyRecords.cadence.answer),
} as const

/** `created`: tables that got a policy; `existing`: tables that have one already, or whose policy was archived. */
export const createAutoAnomalyPolicies = operation({
  id: 'createAutoAnomalyPolicies',
  method: 'POST',
  path: '/catalog-server/api/assemblies/{id}/auto-anomaly',
  service: 'policy',
  permissions: ['ASSET_VIEW', 'POLICY_CREATE'],
  summary:
    'Creates an auto anomaly policy for each table of an assembly that has none. Repeating the call changes nothing.',
  params: idParams,
  query: none,
  answer: z.object({ created: z.int(), existing: z.int() }).meta({ id: 'AutoAnomalyPolicies' }),
  errors: [404],
})

/** All operations on policies of one type, for the table. */
export const policyKindOperations: readonly Operation[] = [
  ...Object.values(policyKinds).flatMap((kind) => Object.values<Operation>(kind)),
  ...Object.values<Operation>(policyByAsset),
  createAutoAnomalyPolicies,
]
