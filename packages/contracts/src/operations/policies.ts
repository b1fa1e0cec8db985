import { z } from 'zod'
import type { PolicyType } from '../records/policy.ts'
import { policyRequests } from '../records/policy-families.ts'
import { policyRecords } from '../records/policy-kinds.ts'
import { idText } from '../values/scalars.ts'
import { type Operation, operation } from './operation.ts'
import { policiesOf } from './policies-of-kind.ts'
import { identifierParams, idParams, none } from './shapes.ts'

const backingAsset = { tableAssetId: 11 }
const twoSided = {
  rule: {
    name: 'orders arrive in the warehouse',
    leftBackingAsset: { tableAssetId: 11 },
    rightBackingAsset: { tableAssetId: 21 },
  },
  items: [{ measurementType: 'EQUALITY' }],
  mappings: [
    { leftColumnName: 'id', rightColumnName: 'order_id', useForJoining: true },
    { leftColumnName: 'amount', rightColumnName: 'amount', tolerance: { absolute: 0.01 } },
  ],
}

/** Kinds that the guide's contract does not schedule. */
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
      rule: { name: 'orders are sound', backingAsset },
      items: [{ measurementType: 'MISSING_VALUES', columnName: 'amount' }],
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
    example: twoSided,
  }),
  DATA_DRIFT: policiesOf({
    segment: 'data-drift',
    name: 'DataDrift',
    title: 'a data drift',
    params: identifierParams,
    records: policyRecords['data-drift'],
    requests: policyRequests['data-drift'],
    example: {
      rule: { name: 'amounts stay as they are', backingAsset, baseline: { type: 'PREVIOUS' } },
      items: [{ columnName: 'amount', metricType: 'MEAN', driftThreshold: 0.1 }],
    },
    errors: neverScheduled,
  }),
  SCHEMA_DRIFT: policiesOf({
    segment: 'schema-drift',
    name: 'SchemaDrift',
    title: 'a schema drift',
    params: idParams,
    parameter: 'id',
    records: policyRecords['schema-drift'],
    requests: policyRequests['schema-drift'],
    example: {
      rule: { name: 'orders keep their columns', backingAsset, severity: { added: 'WARNING', removed: 'ERROR' } },
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
    example: {
      rule: { name: 'nothing odd in orders', backingAsset, anomalyStrengthThreshold: 'MEDIUM' },
      items: [{ monitorColumns: ['amount'] }],
    },
    errors: neverScheduled,
  }),
  AUTO_ANOMALY: policiesOf({
    segment: 'auto-anomaly',
    name: 'AutoAnomaly',
    title: 'an auto anomaly',
    params: identifierParams,
    records: policyRecords.anomaly,
    requests: policyRequests.anomaly,
    example: {
      rule: { name: 'nothing odd in orders', backingAsset, anomalyStrengthThreshold: 'MEDIUM' },
      items: [{ monitorColumns: ['amount'] }],
    },
  }),
  DATA_CADENCE: policiesOf({
    segment: 'data-cadence',
    name: 'DataCadence',
    title: 'a data cadence',
    params: identifierParams,
    records: policyRecords.cadence,
    requests: policyRequests.cadence,
    example: { rule: { name: 'orders arrive', backingAsset }, items: [{ measurementType: 'RECORD_COUNT_DRIFT' }] },
  }),
  DATA_FRESHNESS: policiesOf({
    segment: 'data-freshness',
    name: 'DataFreshness',
    title: 'a data freshness',
    params: identifierParams,
    records: policyRecords.cadence,
    requests: policyRequests.cadence,
    example: {
      rule: { name: 'orders are fresh', backingAsset },
      items: [{ measurementType: 'DATA_FRESHNESS', columnName: 'created_at', value: { maxAge: 'PT36H' } }],
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
    summary: 'Reads the policy of this kind on an asset; the one with the lowest id, when there are several.',
    params: z.object({ identifier: idText }),
    query: none,
    answer,
    errors: [404],
  })
}

/** Kinds of which an asset has, as a rule, one policy. */
export const policyByAsset = {
  PROFILE_ANOMALY: byAsset('profile-anomaly', 'ProfileAnomaly', policyRecords.anomaly.answer),
  AUTO_ANOMALY: byAsset('auto-anomaly', 'AutoAnomaly', policyRecords.anomaly.answer),
  DATA_CADENCE: byAsset('data-cadence', 'DataCadence', policyRecords.cadence.answer),
  DATA_FRESHNESS: byAsset('data-freshness', 'DataFreshness', policyRecords.cadence.answer),
} as const

/** All of them, for the table. */
export const policyKindOperations: readonly Operation[] = [
  ...Object.values(policyKinds).flatMap((kind) => Object.values<Operation>(kind)),
  ...Object.values<Operation>(policyByAsset),
]
