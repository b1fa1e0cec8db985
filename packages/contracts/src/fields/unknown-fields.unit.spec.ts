import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { operations } from '../operations/table.ts'
import { strictly } from './field-rules.ts'
import { didYouMean, editDistance, spellingsNear } from './nearest-name.ts'
import { unknownFieldSentence, unknownFields } from './unknown-fields.ts'

function operationOf(id: string) {
  const found = operations.find((operation) => operation.id === id)
  if (found === undefined) throw new Error(`There is no operation ${id}.`)
  return found
}

function checked(id: string, part: 'query' | 'body', sent: unknown) {
  const schema = operationOf(id)[part]
  if (schema === undefined) throw new Error(`${id} reads no ${part}.`)
  const { refused, ignored } = unknownFields(schema, sent)
  return { refused: refused.map(unknownFieldSentence), ignored: ignored.map(({ path }) => path) }
}

const create = 'createDataQualityRule'
const item = (fields: object, type = 'RANGE_MATCH') => ({ rule: {}, items: [{ measurementType: type, ...fields }] })

describe('given an unknown field, when it is checked', () => {
  test.each([
    ['its rule', create, { rule: { fliter: 'a > 1' } }, 'rule: "fliter" is not known here; did you mean "filter"?'],
    ['its item', create, item({ isWaring: true }), 'items[0]: "isWaring" is not known here; did you mean "isWarning"?'],
    [
      'its item',
      create,
      item({ resultTreshold: 95 }),
      'items[0]: "resultTreshold" is not known here; did you mean "resultThreshold"?',
    ],
    [
      'an item without its kind',
      create,
      { rule: {}, items: [{ measurmentType: 'RANGE_MATCH' }] },
      'items[0]: "measurmentType" is not known here; did you mean "measurementType"?',
    ],
    [
      'the start',
      'triggerDataQualityExecution',
      { executionTyp: 'FULL' },
      '"executionTyp" is not known here; did you mean "executionType"?',
    ],
    [
      'a start by webhook',
      'startByWebhook',
      { executionTyp: 'FULL' },
      '"executionTyp" is not known here; did you mean "executionType"?',
    ],
    ['the schedule', 'setRuleSchedule', { schedule: true }, '"schedule" is not known here; did you mean "scheduled"?'],
    ['a sample', 'requestAssetSampleAsync', { Filter: 'a > 1' }, '"Filter" is not known here; did you mean "filter"?'],
  ])('then the misspelling of %s is refused', (_, id, sent, sentence) => {
    expect(checked(id, 'body', sent)).toEqual({ refused: [sentence], ignored: [] })
  })

  test.each([
    [
      'a value',
      item({ value: { min: 0, maximum: 5 } }),
      'items[0].value: "maximum" is not known here. Known fields: min, max, inclusive.',
    ],
    [
      'a value of another kind',
      item({ value: { min: 1 } }, 'CUSTOM'),
      'items[0].value: "min" is not known here; no fields are allowed.',
    ],
    [
      'a value of an older kind',
      item({ value: { addEmtyCheck: true } }, 'NULL_VALUES'),
      'items[0].value: "addEmtyCheck" is not known here; did you mean "addEmptyCheck"?',
    ],
    [
      'a threshold',
      item({ thresholdConfig: { type: 'ABSOLUTE', config: { direction: 'ABOVE', success: 9, other: 1 } } }),
      'items[0].thresholdConfig.config: "other" is not known here. Known fields: direction, unit, success, warning.',
    ],
    [
      'a threshold of the older form',
      item({ thresholdConfig: { success: 9, wraning: 8 } }),
      'items[0].thresholdConfig: "wraning" is not known here; did you mean "warning"?',
    ],
    [
      'a marker',
      { rule: { backingAsset: { marker: { type: 'IdMarkerConfig', columnName: 'id', offset: 1 } } } },
      'rule.backingAsset.marker: "offset" is not known here. Known fields: type, columnName, initialOffset.',
    ],
  ])('then %s is strict', (_, sent, sentence) => {
    expect(checked(create, 'body', sent)).toEqual({ refused: [sentence], ignored: [] })
  })

  test.each<[string, (settings: object) => object]>([
    ['', (settings) => settings],
    ['assetConfiguration.', (settings) => ({ assetConfiguration: settings })],
  ])('then the marker in the settings of an asset is strict: %s', (at, body) => {
    const sent = body({ markerConfiguration: { type: 'IdMarkerConfig', column: 'id' } })
    expect(checked('updateAssetConfiguration', 'body', sent).refused).toEqual([
      `${at}markerConfiguration: "column" is not known here. Known fields: type, columnName, initialOffset.`,
    ])
    expect(checked('updateAssetConfiguration', 'body', body({ markerConfiguration: {} })).refused).toEqual([])
  })

  test.each([
    ['far from every name', create, 'body', { rule: { colour: 'red' }, extra: 1 }, ['rule.colour', 'extra']],
    ['close to a name that is present too', create, 'body', { rule: { filter: 'a', fliter: 'b' } }, ['rule.fliter']],
    ['from a system that knows nothing of Assay', 'startByWebhook', 'body', { ref: 'main' }, ['ref']],
    ['short, and two edits away', 'discoverAssets', 'query', { tags: 'gold' }, ['tags']],
    ['null in a strict object', create, 'body', item({ value: { min: 1, foo: null } }), ['items[0].value.foo']],
    ['an invalid version', 'getDataQualityRule', 'query', { version: 'two' }, ['version']],
  ] as const)('then a field that is %s is reported as ignored', (_, id, part, sent, ignored) => {
    expect(checked(id, part, sent)).toEqual({ refused: [], ignored })
  })

  test.each([
    ['labels of assets', 'updateAssetLabels', { labels: [{ key: 'lable', value: 'x' }] }],
    ['custom metadata', 'addCustomMetadata', { onwer: 'ada', ownr: 'bo' }],
    ['parameters by name', create, item({ value: { udfId: 1, parameters: { colum: 1 } } }, 'UDF_PREDICATE')],
    [
      'a marker of the short name',
      'triggerDataQualityExecution',
      {
        markerConfigs: [
          { assetId: 1, markerConfig: { type: 'id', idColumnName: 'a', initialOffset: 1, baseAssetId: null } },
        ],
      },
    ],
  ])('then %s accept any names', (_, id, sent) => {
    expect(checked(id, 'body', sent).refused).toEqual([])
  })

  test('then the error suggests the path of a nested field with this name', () => {
    const schema = strictly(z.object({ path: z.string(), csv: z.object({ encoding: z.string() }).optional() }))
    const { refused } = unknownFields(schema, { path: '/', encoding: 'latin-1' }, 'configuration')
    expect(refused.map(unknownFieldSentence)).toEqual([
      'configuration: "encoding" is not known here; did you mean "csv.encoding"?',
    ])
  })

  test('then at most twenty fields are reported, and the number of comparisons is bounded', () => {
    const sent = { rule: Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`name${index}`, index])) }
    expect(checked(create, 'body', sent).ignored).toHaveLength(20)
  })
})

/** The requests of the three client libraries, and the records that they send back. */
const rule = [
  'id name description type subType version tenantId enabled archived archivalReason autoCreated isProtectedResource scheduled',
  'schedule timeZone jobSchedule backingAsset thresholdLevel policyScoreStrategy includeInQualityScore treatZeroRowsAsSuccess',
  'isCompositeRule parentId executionSequence continueExecutionOnFailure ruleSetId filter sparkSQLFilterType',
  'sparkFilterSelectedColumns sparkSQLDynamicFilterVariableMapping customSqlConfig engineType resourceStrategyType',
  'selectedResourceInventory sparkResourceConfig autoRetryEnabled executionTimeoutInMinutes totalExecutionTimeoutInMinutes',
  'additionalPersistedColumns labels tags policyGroups segments notificationChannels createdAt updatedAt createdBy lastUpdatedBy',
  'details interval backingAssets policyTransformUDFS markedForDeletion markedForDeletionAt deletionReason analyticsPipelineId',
  'anomalyStrengthThreshold autoRetries leftCustomSqlConfig rightCustomSqlConfig rightEngineType rightFilter',
  'rightSparkFilterSelectedColumns rightSparkSQLDynamicFilterVariableMapping rightSparkSQLFilterType leftBackingAsset',
  'rightBackingAsset timeSecondsOffset',
].join(' ')
const items =
  'id ruleId ruleVersion name measurementType columnName executionOrder value ruleExpression resultThreshold thresholdConfig weightage aggregateType isWarning isDimension isArchived businessExplanation labels executionInputs associatedDQRecommendationId bulkPolicyDqRuleId createdAt createdBy isLookup pattern filter'
const start =
  'executionType includeInQualityScore resourceStrategyType columnVariables markerConfigs ruleItemSelections sparkResourceConfig engineType rightEngineType analyticsPipelineId selectedResourceInventory sparkFilterSelectedColumns rightSparkFilterSelectedColumns sparkSQLDynamicFilterVariableMapping rightSparkSQLDynamicFilterVariableMapping sparkAppName assetDirection analysisJobRequestId autoRetryEnabled monitorExecutionId pipelineAutomationExecutionId pipelineRunId profileId sourceExecutionId'
const paging = 'page size sortBy'

/** An object per name: a present sibling could prevent a name from counting as a misspelling. */
const alone = (names: string): Record<string, unknown>[] => names.split(' ').map((name) => ({ [name]: 'x' }))

describe('given the names that existing clients send, when one is sent alone, then it never counts as a misspelling', () => {
  test.each([
    [
      'listRules',
      `${paging} withLatestExecution ruleStatus ruleType resultStatus enabled assetIds assemblyIds startedAfter finishedBefore`,
    ],
    [
      'listRuleExecutions',
      `${paging} ruleId ruleType executionStatus assetIds assemblyIds sourceTypeIds includeSubPolicies resultStatus startedAfter finishedBefore`,
    ],
    ['listDataQualityRules', `${paging} ruleStatus onlyActive`],
    ['getDataQualityExecutions', paging],
    ['getDataQualityRule', 'version onlyExecutedVersion'],
    ['deleteDataQualityRule', 'message'],
    ['listAssemblies', 'sourceType'],
    ['getAssembly', 'properties'],
    ['listAssets', 'ids uid'],
    ['listAssetTypes', 'onlyCrawledAssetTypes'],
    ['discoverAssets', `${paging} name assembly_ids asset_type_ids source_type_ids tag_ids labels parent_ids watched`],
    [
      'searchAssets',
      `${paging} name ids parentHierarchy profileableAssets forLineage flattenedParentHierarchy excludeLeafLevelAssetTypes`,
    ],
    ['listTagsOfAssets', paging],
    [
      'searchTagValues',
      `${paging} keyName keyType keyStatus keyIds keyCreatedBy value valueStatus dataProtection keyValueIds valueCreatedBy`,
    ],
    ['listTagAssociations', 'entityType'],
  ])('in the query of %s', (id, names) => {
    for (const sent of alone(names)) expect(checked(id, 'query', sent).refused).toEqual([])
  })

  test.each<[string, (field: Record<string, unknown>) => unknown, string]>([
    [create, (field) => ({ rule: field }), rule],
    [
      create,
      (field) => ({
        rule: {},
        items: [{ measurementType: 'MISSING_VALUES', ...field, ...('value' in field ? { value: null } : {}) }],
      }),
      items.replace('measurementType ', '').replace('thresholdConfig ', ''),
    ],
    [create, (field) => field, 'rule items transformUDFs engineType cloningDetails childRules'],
    [
      create,
      (field) => ({ rule: { backingAsset: field } }),
      'id ruleId tableAssetId tableAssetUid tableAlias customQuery customTableAssetIds',
    ],
    [create, (field) => ({ rule: { thresholdLevel: field } }), 'type success warning config operationalConfig'],
    ['updateReconciliationRule', (field) => ({ rule: field }), rule],
    ['updateDataCadenceRule', (field) => ({ rule: field }), rule],
    [
      'setRuleConfiguration',
      (field) => field,
      'ruleId id persistenceFolderPrefix categoriesPersistenceConfig categoriesResultHandlingConfig',
    ],
    ['triggerDataQualityExecution', (field) => field, start],
    ['triggerReconciliationExecution', (field) => field, start],
    ['setRuleSchedule', (field) => field, 'scheduled cronExpression timeZone'],
    ['enableRule', (field) => field, 'enable'],
    ['addRuleTag', (field) => ({ ruleTag: field }), 'name id ruleId tagId tenantId'],
    ['addAssetTag', (field) => field, 'id name'],
    ['updateAssetLabels', (field) => ({ labels: [field] }), 'key value labelType'],
    [
      'requestAssetSampleAsync',
      (field) => field,
      'invalidateCache filterAssetSelections enableSyncForPushdown transformUDFs filter',
    ],
    [
      'requestAssetSampleAsync',
      (field) => ({ transformUDFs: [field] }),
      'assetId udfId name parameters columnNames id ruleId',
    ],
    ['startProfile', (field) => ({ data: field }), 'profilingType markerConfig selectedColumns profileCapabilities'],
    ['createAssetUdfVariable', (field) => field, 'key value assetId uid'],
    ['updateAssetUdfVariable', (field) => field, 'key value assetId uid'],
    ['createTagKey', (field) => field, 'key values type keyDescription'],
    ['addTagValues', (field) => field, 'keyId values'],
    ['associateTags', (field) => field, 'entityId entityType keyValueIds'],
  ])('in the body of %s', (id, bodyOf, names) => {
    for (const field of alone(names)) expect(checked(id, 'body', bodyOf(field)).refused).toEqual([])
  })
})

describe('given two names, when their distance is computed', () => {
  test.each([
    ['fliter', 'filter', 1],
    ['cuont', 'count', 1],
    ['abcd', 'badc', 2],
    ['ca', 'abc', 3],
    ['patth', 'path', 1],
    ['abc', 'ABC', 3],
    ['', 'ab', 2],
    ['same', 'same', 0],
  ])('then %s and %s are %i edits apart', (one, other, distance) => {
    expect(editDistance(one, other, 3)).toBe(distance)
    expect(editDistance(one, other, 1)).toBe(Math.min(distance, 2))
  })

  test('then an exchange counts as two edits if names are refused', () => {
    expect(editDistance('form', 'from', 3, 2)).toBe(2)
    expect(editDistance('fliter', 'filter', 3, 2)).toBe(2)
    expect(editDistance('abcd', 'badc', 3, 2)).toBe(3)
    const read = z.object({ from: z.string().optional(), filter: z.string().optional() })
    expect(unknownFields(read, { form: 'x', fliter: 'y' }).refused).toMatchObject([{ name: 'fliter', meant: 'filter' }])
  })

  test('then the nearest name is suggested, whatever its case', () => {
    expect(didYouMean('AMOUNT', ['id', 'amount'])).toBe("; did you mean 'amount'?")
    expect(didYouMean('amuont', ['id', 'amount', 'account'])).toBe("; did you mean 'amount'?")
    expect(didYouMean('zzz', ['id', 'amount'])).toBe('')
  })

  test('then the spellings near a name include all that are one edit away, and their number is bounded', () => {
    const near = spellingsNear('sales.odrers')
    for (const one of ['sales.orders', 'sales.odrer', 'sales.odrers1', 'sales-odrers']) expect(near).toContain(one)
    expect(near).not.toContain('sales.odrers')
    for (const length of [0, 1, 60, 109, 200]) expect(spellingsNear('A'.repeat(length)).length).toBeLessThan(10_000)
    expect(spellingsNear('a'.repeat(109)).length).toBeLessThan(10_000)
  })
})
