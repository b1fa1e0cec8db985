import type {
  BackfillRecord,
  ItemRecord,
  PolicyAnswer,
  PolicyAnswerOf,
  PolicyMessage,
  RuleAnswer,
  TableMessage,
  TagMessage,
} from '@assay/contracts'
import { tableMessageOf } from '@assay/hosting/testing'
import { type KindPolicy, kindOf } from '@assay/reliability'
import { startedStatements } from '../running/started-statements.ts'
import type { KnownRun } from '../versions/versions.ts'

const at = '2026-11-20T10:00:00.000Z'
const threshold = {
  type: 'ABSOLUTE' as const,
  config: { direction: 'ABOVE', success: 100, warning: 80 },
  success: 100,
  warning: 80,
}

/** An item that requires values in `amount`. */
export function itemFixture(changes: Partial<ItemRecord> = {}): ItemRecord {
  return {
    id: 1,
    ruleId: 7,
    ruleVersion: 1,
    name: 'amount is there',
    measurementType: 'MISSING_VALUES',
    columnName: 'amount',
    executionOrder: 0,
    value: null,
    ruleExpression: null,
    resultThreshold: 100,
    thresholdConfig: threshold,
    weightage: 1,
    aggregateType: 'COUNT',
    isWarning: false,
    isDimension: false,
    isArchived: false,
    filter: null,
    businessExplanation: null,
    labels: [],
    executionInputs: null,
    associatedDQRecommendationId: null,
    bulkPolicyDqRuleId: null,
    ...changes,
  }
}

type Rule = RuleAnswer['rule']

/** The message about a policy on table 11 with these items. */
export function policyFixture(
  rule: Partial<Rule> = {},
  items: ItemRecord[] = [itemFixture()],
): PolicyMessage & { policy: RuleAnswer } {
  const { id = 7, version = 3 } = rule
  return {
    revision: 0,
    policy: {
      rule: {
        id,
        name: 'orders are sound',
        description: '',
        type: 'DATA_QUALITY',
        subType: 'ASSET',
        version,
        tenantId: 'default',
        enabled: true,
        archived: false,
        archivalReason: null,
        autoCreated: false,
        isProtectedResource: false,
        scheduled: false,
        schedule: null,
        timeZone: 'UTC',
        jobSchedule: null,
        scheduleExecutionType: null,
        thresholdLevel: threshold,
        verdictBy: 'SCORE',
        policyScoreStrategy: 'WEIGHTAGE',
        scoreItems: [],
        includeInQualityScore: true,
        treatZeroRowsAsSuccess: false,
        isCompositeRule: false,
        parentId: null,
        executionSequence: 0,
        continueExecutionOnFailure: true,
        ruleSetId: null,
        filter: null,
        sparkSQLFilterType: 'STATIC',
        sparkFilterSelectedColumns: [],
        sparkSQLDynamicFilterVariableMapping: null,
        engineType: null,
        resourceStrategyType: null,
        selectedResourceInventory: null,
        sparkResourceConfig: null,
        autoRetryEnabled: false,
        executionTimeoutInMinutes: null,
        totalExecutionTimeoutInMinutes: null,
        additionalPersistedColumns: [],
        labels: [],
        tags: [],
        policyGroups: [],
        segments: [],
        notificationChannels: null,
        createdAt: at,
        updatedAt: at,
        createdBy: 'ann',
        lastUpdatedBy: 'ann',
        backingAsset: {
          id: 1,
          ruleId: id,
          tableAssetId: 11,
          tableAssetUid: 'sales.orders.csv',
          tableAlias: null,
          customQuery: null,
          customTableAssetIds: null,
          marker: null,
        },
        customSqlConfig: null,
        ...rule,
      },
      details: {
        id,
        ruleId: id,
        backingAssetId: 11,
        items: items.map((item) => ({ ...item, ruleVersion: version })),
        isCompositeRule: false,
        isSegmented: false,
        segments: [],
        continueExecutionOnFailure: true,
        executionSequence: 0,
        policyScoreStrategy: 'WEIGHTAGE',
        treatZeroRowsAsSuccess: false,
        filter: null,
        parentId: null,
        subType: 'ASSET',
        engineType: null,
        customSqlConfig: null,
        jobSchedule: null,
        transformUDFs: [],
        tenantId: 'default',
      },
      childRules: [],
      engine: null,
    },
    configuration: {
      good: { store: false, format: 'PARQUET', template: '{{POLICY_NAME}}/{{REQUEST_ID}}/{{RECORD_TYPE}}' },
      bad: { store: true, format: 'CSV', template: '{{POLICY_NAME}}/{{REQUEST_ID}}/{{RECORD_TYPE}}' },
      metadata: { template: '{{POLICY_NAME}}/{{REQUEST_ID}}/{{RECORD_TYPE}}' },
      prefix: null,
    },
  }
}

/** A policy that stores its bad rows in `format`. */
export function policyKeeping(format: 'CSV' | 'PARQUET' | 'JSON', rule: Partial<Rule>, items: ItemRecord[]) {
  const message = policyFixture(rule, items)
  const { configuration } = message
  return { ...message, configuration: { ...configuration, bad: { ...configuration.bad, format } } }
}

/** Tag 1, which protects the assets that have it. */
export const tagFixture = (changes: Partial<Extract<TagMessage, { kind: 'tag' }>> = {}): TagMessage => ({
  kind: 'tag',
  revision: 0,
  tagId: 1,
  name: 'pii',
  protected: true,
  mergedIntoId: null,
  ...changes,
})

/** Tag 1 on an asset of table 11. */
export const associationFixture = (assetId: number): TagMessage => ({
  kind: 'association',
  revision: 0,
  associationId: 1,
  tagId: 1,
  assetId,
  tableId: 11,
  present: true,
})

/** The parts of `policyFixture` that policies of every type have. */
function partsOf(rule: Partial<Rule> = {}) {
  const { policy, ...message } = policyFixture(rule)
  const { customSqlConfig: _, ...frame } = policy.rule
  const { version } = frame
  return { message, frame, details: { ...policy.details, version, ruleVersion: version } }
}

/** An anomaly policy on table 11. */
export function anomalyFixture(
  rule: Partial<Rule> = {},
  type: 'AUTO_ANOMALY' | 'PROFILE_ANOMALY' = 'AUTO_ANOMALY',
  { items = [], ...own }: { items?: PolicyAnswerOf<'anomaly'>['details']['items']; backfill?: BackfillRecord } = {},
): PolicyMessage {
  const { message, frame, details } = partsOf(rule)
  return {
    ...message,
    policy: {
      rule: { ...frame, ...own, type, anomalyStrengthThreshold: 'MEDIUM', expectedFalseAlarmsPerMonth: 0.011 },
      details: { ...details, assetId: 11, items },
    },
  }
}

/** A schema drift policy on table 11. */
export function schemaDriftFixture(rule: Partial<Rule> = {}): PolicyMessage {
  const { message, frame, details } = partsOf(rule)
  const [error, warning, ignore] = ['ERROR' as const, 'WARNING' as const, 'IGNORE' as const]
  const severity = {
    ...{ added: warning, removed: error, renamed: error, typeWidened: warning, typeChanged: error },
    ...{ nullability: warning, order: ignore },
  }
  return {
    ...message,
    policy: {
      rule: { ...frame, type: 'SCHEMA_DRIFT', assemblyId: null, severity },
      details: { ...details, items: [] },
    },
  }
}

type Baseline = PolicyAnswerOf<'data-drift'>['rule']['baseline']

/** A data drift policy on table 11, with one item. */
export function dataDriftFixture(rule: Partial<Rule> = {}, baseline: Baseline = { type: 'PREVIOUS' }): PolicyMessage {
  const { message, frame, details } = partsOf(rule)
  const item = {
    ...{
      id: 1,
      ruleId: frame.id,
      ruleVersion: frame.version,
      executionOrder: 0,
      thresholdConfig: null,
      name: 'amount',
    },
    ...{ columnName: 'amount', metricType: 'MEAN' as const, driftThreshold: 10, measure: null, weightage: 1 },
    ...{ isArchived: false, value: null },
  }
  return {
    ...message,
    policy: {
      rule: { ...frame, type: 'DATA_DRIFT', interval: '1d', baseline },
      details: { ...details, interval: '1d', items: [item] },
    },
  }
}

type Reconciliation = PolicyAnswerOf<'reconciliation'>

/** A comparison of table 11 with table 30, by `order_id`. `items`: the kinds of its items, with their values. */
export function reconciliationFixture(
  rule: Partial<Reconciliation['rule']>,
  items: readonly Pick<Reconciliation['details']['items'][number], 'measurementType' | 'columnName' | 'value'>[],
): PolicyMessage {
  const { message, details, ...parts } = partsOf()
  const { backingAsset, ...frame } = parts.frame
  const { id = frame.id, version = frame.version, delayInMinutes = null } = rule
  const sides = {
    ...{ leftFilter: null, rightFilter: null, joinType: null, timeSecondsOffset: 0, delayInMinutes },
    ...{ leftSparkSQLFilterType: 'STATIC' as const, rightSparkSQLFilterType: 'STATIC' as const },
    ...{ leftSparkFilterSelectedColumns: [], rightSparkFilterSelectedColumns: [] },
    ...{ leftSparkSQLDynamicFilterVariableMapping: null, rightSparkSQLDynamicFilterVariableMapping: null },
    ...{ leftCustomSqlConfig: null, rightCustomSqlConfig: null, rightEngineType: null },
  }
  const mapping = (name: string, useForJoining: boolean) => ({
    ...{ id: 1, reconciliationRuleId: id, ruleVersion: version, leftColumnName: name, rightColumnName: name, name },
    ...{ operation: 'EQ' as const, mappingType: 'MANUAL' as const, useForJoining, ignoreNullValues: false },
    ...{ isJoinColumnUsedForMeasure: false, isWarning: false, isArchived: false, weightage: 1, tolerance: null },
    ...{ businessExplanation: null, labels: [], deletedAt: null },
  })
  return {
    ...message,
    policy: {
      rule: {
        ...frame,
        type: 'RECONCILIATION',
        ...{ leftBackingAsset: backingAsset, rightBackingAsset: { ...backingAsset, tableAssetId: 30 } },
        ...sides,
        analyticsPipelineId: null,
        ...rule,
      },
      details: {
        ...details,
        ...sides,
        ...{ version, ruleVersion: version, leftBackingAssetId: 11, rightBackingAssetId: 30 },
        ...{ engineType: null, leftEngineType: null, subType: 'ASSET' },
        items: items.map((item, index) => ({
          ...{ id: index + 1, ruleId: id, ruleVersion: version, version, executionOrder: index, ...item },
          ...{ thresholdConfig: null, weightage: 1, isArchived: false, businessExplanation: null, labels: [] },
        })),
        columnMappings: [mapping('order_id', true), mapping('amount', false)],
      },
    },
  }
}

/** A policy on table 11 without items, which infers when data arrives. */
export function arrivalFixture(type: 'DATA_CADENCE' | 'DATA_FRESHNESS', rule: Partial<Rule> = {}): PolicyMessage {
  const { message, frame, details } = partsOf(rule)
  return {
    ...message,
    policy: {
      rule: { ...frame, type, anomalyStrengthThreshold: 'MEDIUM' },
      details: { ...details, items: [] },
    },
  }
}

/** Table 11, a CSV file with `order_id` and `amount`. */
export const tableFixture = (changes: Partial<TableMessage> = {}): TableMessage =>
  tableMessageOf(
    [
      { name: 'order_id', dataType: 'BIGINT' },
      { name: 'amount', dataType: 'DOUBLE' },
    ],
    { assemblyId: 2, ...changes },
  )

/** Of a run that nobody else has begun. */
export const noStatements = startedStatements({
  earlier: undefined,
  note: async () => true,
  isTakenOver: async () => false,
})

/** The definition of a policy for its runs. */
export function openedOf(policy: PolicyAnswer): KindPolicy {
  const kind = kindOf(policy.rule.type)
  return kind.open(kind.keep(policy, { timeZone: null, freshnessColumn: null }))(policy.rule.version)
}

/** A run of the policy fixture, or of another one. */
export function runFixture(changes: Partial<KnownRun> = {}, message = policyFixture()): KnownRun {
  const { id, version, type, name } = message.policy.rule
  const { columns, ...table } = tableFixture()
  const { assetId, uid, assemblyId, assemblyName, sourceTypeId, sourceTypeName } = table
  const of = { assetId, uid, name: table.name, assemblyId, assemblyName, sourceTypeId, sourceTypeName }
  const side = { side: 'ONE' as const, ...of, schema: 's' }
  return {
    executionId: 5,
    startedAt: at,
    requestId: 'data-quality-00000000-0000-4000-8000-000000000005',
    executionMode: 'API',
    executionType: 'FULL',
    executedBy: 'ann',
    cause: { kind: 'REQUEST' },
    includeInQualityScore: true,
    itemSelection: null,
    sparkResourceConfig: null,
    markerConfigs: null,
    policy: { id, version, type, name, definition: 'd' },
    sides: [side],
    configuration: message.configuration,
    definition: openedOf(message.policy),
    tables: [{ ...side, columns }],
    ...changes,
  }
}
