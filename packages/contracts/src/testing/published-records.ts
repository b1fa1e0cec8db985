import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import * as admin from '../records/admin.ts'
import * as annotations from '../records/annotations.ts'
import * as assets from '../records/asset.ts'
import * as configuration from '../records/asset-configuration.ts'
import * as customAsset from '../records/custom-asset.ts'
import * as execution from '../records/execution.ts'
import * as notification from '../records/notification.ts'
import * as persistence from '../records/persistence.ts'
import { anomalyAnswer, anomalyItem } from '../records/policies/anomaly.ts'
import { arrivalItem, cadenceAnswer } from '../records/policies/arrival.ts'
import { dataDriftAnswer, dataDriftItem } from '../records/policies/data-drift.ts'
import { columnMapping, reconciliationAnswer, reconciliationItem } from '../records/policies/reconciliation.ts'
import { schemaDriftAnswer, schemaDriftItem } from '../records/policies/schema-drift.ts'
import * as policy from '../records/policy.ts'
import * as policyConfiguration from '../records/policy-configuration.ts'
import * as reference from '../records/reference-asset.ts'
import * as ruleTags from '../records/rule-tags.ts'
import * as sample from '../records/sample.ts'
import { sparkResourceRecord } from '../records/spark-resources.ts'
import * as tagService from '../records/tag-service.ts'
import * as udfTemplate from '../records/udf-template.ts'
import * as udfVariable from '../records/udf-variable.ts'

/**
 * Fields of the published records: names, then a colon and the JSON type of all names since the previous colon. Types:
 * `s` text, `i` integer, `n` number, `b` boolean, `a` list, `o` object. A `!` after a name: never null.
 */
export type Fields = string

const commonPolicy: Fields = `id! :i name! :s description :s type! :s subType :s version! :i tenantId :s
  enabled! archived! :b archivalReason :s autoCreated isProtectedResource! scheduled! :b schedule timeZone! :s
  jobSchedule thresholdLevel! :o policyScoreStrategy! :s includeInQualityScore! treatZeroRowsAsSuccess! :b
  isCompositeRule! :b parentId executionSequence! :i continueExecutionOnFailure! :b ruleSetId :i filter :s
  sparkSQLFilterType! :s sparkFilterSelectedColumns :a sparkSQLDynamicFilterVariableMapping :o engineType
  resourceStrategyType selectedResourceInventory :s sparkResourceConfig :o autoRetryEnabled :b
  executionTimeoutInMinutes totalExecutionTimeoutInMinutes :i additionalPersistedColumns! labels tags policyGroups
  segments :a notificationChannels :o createdAt! updatedAt! createdBy lastUpdatedBy :s`
const flags: Fields = 'isCompositeRule! isSegmented! continueExecutionOnFailure! :b segments :a id :i'
const side: Fields = `leftFilter rightFilter leftSparkSQLFilterType! rightSparkSQLFilterType! :s
  leftSparkFilterSelectedColumns rightSparkFilterSelectedColumns :a leftSparkSQLDynamicFilterVariableMapping
  rightSparkSQLDynamicFilterVariableMapping leftCustomSqlConfig rightCustomSqlConfig :o rightEngineType joinType :s
  timeSecondsOffset! delayInMinutes :i`
const genericExecution: Fields = `id ruleId! :i ruleName ruleType :s ruleVersion! parentId :i executionMode!
  executionStatus! resultStatus! executionType! startedAt! finishedAt executionError :s thresholdLevel :o
  includeInQualityScore! dataPersistenceEnabled! ruleSelectionEnabled! :b persistencePath :s resultPersistencePath
  markerConfig leftMarkerConfig rightMarkerConfig lastMarker leftLastMarker rightLastMarker :o resetPoint :i engineType
  resourceStrategyType selectedResourceInventory :s sparkResourceConfig :o autoRetries :i autoRetryEnabled :b
  analysisJob :o`
const unknownOfPipeline: Fields = `accessKeyExpiry connectionCount parentPipelineId :i autoRetryEnabled hbaseEnabled
  hdfsEnabled hiveEnabled kerberosEnabled upgradeAvailable :b createdAt updatedAt pausedAt lastStatusReportTime :s
  additionalConfiguration helmTemplateValues :o pipelineType resourceStrategyType cloudProvider dataplaneVersion
  deploymentStackId deploymentStackRegion deploymentStatus externalUrl globalStorageBasePath installationType
  measureResultFsType namespace pausedBy registryPrefix registryUrl selectedResourceInventory serviceUserId
  sparkMajorVersion sparkRuntime url :s deploymentDetails endpoint globalStorageConfig healthReport
  pipelineComputeConfig secretsManagerConfiguration :o`
const paged = (list: string): Fields => `${list}! :a meta! :o`

const of = (schema: { shape: object }, name: string): z.ZodType => Reflect.get(schema.shape, name)
const element = (schema: z.ZodType): z.ZodType => {
  const inner = schema instanceof z.ZodNullable ? schema.unwrap() : schema
  if (!(inner instanceof z.ZodArray) || !(inner.element instanceof z.ZodType)) throw new Error('This is not a list.')
  return inner.element
}
const details = (answer: { shape: { details: z.ZodType } }) => answer.shape.details
const rule = (answer: { shape: { rule: z.ZodType } }) => answer.shape.rule

export const published: readonly [string, z.ZodType, Fields][] = [
  [
    'Asset',
    assets.asset,
    `id :i uid! name! alias description! :s parentId :i assetType! sourceType! assembly! :o isActive! isCustom!
    isDeleted! isSegmented! :b customAssetType currentSnapshot :s snapshots :a imprint createdAt! updatedAt! :s`,
  ],
  ['MetaData', pageMeta, 'count! page! size! :i'],
  ['AssetType', assets.assetType, 'id :i name! :s canMonitor! canProfile! canSample! :b'],
  ['SourceType', assets.sourceType, 'id :i name! :s miniProfiling! :b connectionTypeId :i sourceModel :o'],
  [
    'Assembly',
    assets.assembly,
    `id :i name! description! :s sourceType! :o status! :s crawler! :o isVirtual! isSecured! autoProfile! :b tenantId!
    timeZone! createdAt! updatedAt! schedule currentSnapshot createdBy integrationId :s isProtectedResource :b
    analyticsPipelineId connectionId :i conn securityConfig assemblyProperties configuration :o`,
  ],
  [
    'AnalyticsPipeline',
    annotations.analyticsPipeline,
    `name! tenantId! version! dataplaneType! :s statusReportInterval! :i isHosted! isInternalCall! isPaused!
    isRequestSentByDataplane! isRotationInProgress! :b id :i description status :s ${unknownOfPipeline}`,
  ],
  ['ChildAssetRequestResponse', assets.childAssetList, 'childAssets :a'],
  [
    'ChildAsset',
    assets.childAsset,
    `assetId! :i uid! name! alias :s parentId :i childType! :o dataType bucketedDataType :s isCustom! protected :b
    reliabilityScore :n updatedAt :s`,
  ],
  ['AssetTagResponse', annotations.assetTagList, 'assetTags! :a'],
  [
    'AssetTag',
    annotations.assetTag,
    'id assetId! tagId :i name! state! :s autoTagged! protectedData :b domains! :a tenantId uid :s',
  ],
  [
    'TagDomain',
    element(of(annotations.assetTag, 'domains')),
    'id :i name! description createdAt! createdBy updatedAt lastUpdatedBy :s',
  ],
  ['IncrementalStrategiesResponse', annotations.incrementalStrategies, 'incremental! selective! :o'],
  ['Strategy', element(of(annotations.incrementalStrategies, 'strategies')), 'name! type! description! :s'],
  [
    'SampleDataApiResponse',
    sample.sampleAnswer,
    'requestId jobExecutionStatus executionId errorMsg :s sampleData file :o',
  ],
  ['AssetUDFVariable', udfVariable.udfVariable, 'id! assetId! :i key! value! createdAt! updatedAt! :s'],
  ['AssetUDFVariableResponse', udfVariable.udfVariableList, 'assetId! :i variables! :a'],
  [
    'PolicyScheduleResponse',
    policy.scheduleAnswer,
    'policyId! :i policyType! :s scheduled! :b version! :i cronExpression timeZone :s',
  ],
  ['RuleTag', ruleTags.ruleTag, 'name! :s id ruleId tagId :i tenantId :s'],
  ['RuleTag of a policy', element(of(policy.dataQualityRule, 'tags')), 'name! :s id ruleId tagId :i tenantId :s'],
  [
    'RuleConfig',
    policyConfiguration.ruleConfigRecord,
    'ruleId! id :i persistenceFolderPrefix :s categoriesPersistenceConfig categoriesResultHandlingConfig :o',
  ],
  [
    'CategoriesResultHandlingConfig',
    of(policyConfiguration.ruleConfigRecord, 'categoriesResultHandlingConfig'),
    'good! bad! :o',
  ],
  ['CategoriesPersistenceConfig', of(persistence.persistenceConfig, 'categoriesConfig'), 'good! bad! metadata :o'],
  [
    'PersistenceStorageConfig',
    persistence.persistenceConfig,
    `id :i tenantId! name! :s categoriesConfig! :o description :s isDefault! :b createdAt! updatedAt! :i createdBy!
    lastUpdatedBy! :s policyCount :i`,
  ],
  ['RuleResponse', policy.ruleAnswer, 'rule! details engine :o childRules :a'],
  ['DataQualityRule', policy.dataQualityRule, `${commonPolicy} backingAsset! customSqlConfig :o`],
  [
    'Rule',
    policy.ruleDetails,
    `${flags} ruleId! backingAssetId! :i items! :a executionSequence! :i policyScoreStrategy! :s
    treatZeroRowsAsSuccess! :b filter :s parentId :i subType engineType :s customSqlConfig jobSchedule :o tenantId :s
    transformUDFs :a`,
  ],
  [
    'Item',
    policy.itemRecord,
    `id ruleId ruleVersion! :i name! measurementType! columnName :s executionOrder! :i value :o ruleExpression :s
    resultThreshold! :n thresholdConfig :o weightage! :n aggregateType! :s isWarning! isDimension! isArchived! :b
    businessExplanation :s labels :a executionInputs :o associatedDQRecommendationId bulkPolicyDqRuleId :i`,
  ],
  [
    'QualityRule',
    policy.qualityRule,
    `${commonPolicy} backingAssets! policyTransformUDFS! :a markedForDeletion! :b markedForDeletionAt :i deletionReason :s
    analyticsPipelineId :i anomalyStrengthThreshold :s autoRetries :i leftCustomSqlConfig rightCustomSqlConfig :o
    rightEngineType rightFilter :s rightSparkFilterSelectedColumns :a rightSparkSQLDynamicFilterVariableMapping :o
    rightSparkSQLFilterType! :s`,
  ],
  [
    'BackingAsset',
    policy.backingAssetRecord,
    'id ruleId tableAssetId :i tableAssetUid tableAlias customQuery :s customTableAssetIds :a marker :o',
  ],
  [
    'JobSchedule',
    policy.jobSchedule,
    'cronExpression! timeZone! :s enabled! :b scheduleType! :s id :i name :s backingAssetId :i marker :o tenantId :s',
  ],
  [
    'SparkResourceConfig',
    sparkResourceRecord,
    'invalidFields! :a additionalConfiguration yunikorn databricks dataproc livy :o',
  ],
  [
    'ReconciliationRule',
    rule(reconciliationAnswer),
    `${commonPolicy} leftBackingAsset! rightBackingAsset! :o ${side} analyticsPipelineId :i`,
  ],
  [
    'Reconciliation.Rule',
    details(reconciliationAnswer),
    `${flags} ${side} ruleId! ruleVersion! leftBackingAssetId! rightBackingAssetId! :i items! columnMappings! :a
    treatZeroRowsAsSuccess! :b engineType leftEngineType subType :s`,
  ],
  [
    'Reconciliation.Item',
    reconciliationItem,
    'measurementType! :s executionOrder! version! id ruleId :i thresholdConfig :o',
  ],
  [
    'ColumnMapping',
    columnMapping,
    `leftColumnName! rightColumnName! name! operation! mappingType! :s useForJoining! ignoreNullValues!
    isJoinColumnUsedForMeasure! isWarning! isArchived! :b weightage! :n ruleVersion! id reconciliationRuleId :i
    businessExplanation :s labels :a deletedAt :s`,
  ],
  ['DataCadenceRule', rule(cadenceAnswer), `${commonPolicy} backingAsset! :o anomalyStrengthThreshold :s`],
  ['DataCadenceRule.Rule', details(cadenceAnswer), `${flags} backingAssetId! ruleId! version! :i items! :a`],
  [
    'DataCadenceRule.Item',
    arrivalItem,
    'displayName! measurementType! :s executionOrder! ruleVersion! id ruleId :i thresholdConfig :o',
  ],
  ['ProfileAnomalyRule', rule(anomalyAnswer), `${commonPolicy} backingAsset! :o anomalyStrengthThreshold :s`],
  ['ProfileAnomalyRule.Rule', details(anomalyAnswer), `${flags} assetId! ruleId! version! :i items! :a`],
  [
    'ProfileAnomalyRule.Item',
    anomalyItem,
    'name! :s executionOrder! ruleVersion! :i monitorColumns :a thresholdConfig :o id ruleId :i',
  ],
  ['DataDriftRule', rule(dataDriftAnswer), `${commonPolicy} backingAsset! :o interval! :s`],
  ['DataDriftRule.Rule', details(dataDriftAnswer), `${flags} backingAssetId! ruleId! :i interval! :s items! :a`],
  [
    'DataDriftRule.Item',
    dataDriftItem,
    `metricType! :s driftThreshold! :n executionOrder! :i name! :s weightage! :n isArchived! :b ruleVersion! :i
    columnName :s value thresholdConfig :o`,
  ],
  ['SchemaDriftRule', rule(schemaDriftAnswer), `${commonPolicy} backingAsset! :o assemblyId :i`],
  ['SchemaDriftRule.Rule', details(schemaDriftAnswer), `${flags} backingAssetId! ruleId! :i items! :a`],
  [
    'SchemaDriftRule.Item',
    schemaDriftItem,
    'assetId! executionOrder! ruleVersion! :i schemaDriftRuleConfig thresholdConfig :o',
  ],
  ['UnarchiveResponse', policy.unarchiveAnswer, 'status! :s'],
  [
    'Execution',
    execution.executionAnswer,
    'execution! :o items! :a policyScoreStrategy! :s treatZeroRowsAsSuccess! :b',
  ],
  ['DataQuality.ExecutionsResponse', execution.executionList, paged('executions')],
  [
    'RuleExecution',
    execution.ruleExecution,
    `${genericExecution} allowRerun! isProtectedResource! isResourceRequestedAtRunTime! :b participatingColumns! :a
    policyResultStatusStrategy! sparkSQLFilterType! rightSparkSQLFilterType! :s autoRetryEnabled! :b thresholdLevel! :o
    requestId jobState lastHealthUpdateAt executedBy :s executionRank :i scheduleInstanceId :s sourceExecutionId
    analyticsPipelineId :i driverPodName filter rightFilter rightEngineType :s sparkFilterSelectedColumns
    rightSparkFilterSelectedColumns :a sparkSQLDynamicFilterVariableMapping rightSparkSQLDynamicFilterVariableMapping
    pipelineAdditionalConfiguration :o treatZeroRowsAsSuccess :b`,
  ],
  [
    'ItemExecution',
    execution.itemExecution,
    `id executionId! ruleItemId! :i startedAt! finishedAt :s threshold! :n thresholdConfig :o weightage! :n isWarning! :b
    status result :s resultPercentage :n rowsScanned rowsFailed rowsWarning :i value error :s executionInputs item :o rca
    segments :a segmentHash :s businessItemId :i`,
  ],
  ['ExecutionsResponse', execution.ruleExecutionList, paged('executions')],
  [
    'ExecutionResponse',
    element(of(execution.ruleExecutionList, 'executions')),
    `execution! result :o leftBackingAssetId rightBackingAssetId :i leftBackingAssetUid rightBackingAssetUid
    leftDataSource rightDataSource leftDataSourceType rightDataSourceType :s`,
  ],
  ['RulesExecutionResponse', execution.ruleWithExecutionList, paged('executions')],
  ['RuleExecutionResponse', execution.ruleWithExecution, 'rule! execution result :o childExecutions :a'],
  [
    'RuleExecutionResult',
    execution.ruleExecutionResult,
    `ruleExecutionType! status! description :s successCount failureCount rows failedRows warningRows :i qualityScore :n
    rca :a executionStatus :s leftRowsScanned rightRowsScanned :i`,
  ],
  ['ExecutionResult', execution.executionResult, 'execution! :o items! :a meta! result! :o childExecutions :a'],
  [
    'RuleItemResult',
    execution.ruleItemResult,
    `id! ruleItemId! :i threshold! weightage! :n dimension! :s includeInQualityScore! :b name error :s resultPercent :n
    isWarning success :b status :s`,
  ],
  [
    'AssetReferenceValidationJob',
    reference.referenceJob,
    `id! assetId! :i assetUid! assetName! assetSourceType executionMode! executionStatus! jobState :s
    referenceCheckConfiguration! jobResult :o requestId errorMessage :s autoReferenceValidationId :i
    autoReferenceValidationExecutionId :s analysisServiceJob :o startedAt finishedAt lastHealthUpdateAt createdAt!
    updatedAt! :s`,
  ],
  ['AssetReferenceCheckConfiguration', reference.referenceCheckConfiguration, 'maxRowCount! timeOutMilliseconds! :i'],
  ['AssetReferenceValidatorResult', reference.referenceVerdict, 'count! :i status! message :s inferredSchema :a'],
  ['ColumnSchema', element(of(reference.referenceVerdict, 'inferredSchema')), 'name! dataType! :s nullable! :b'],
  [
    'AssetConfiguration',
    configuration.assetConfiguration,
    `id assetId! columnLevel! :i isPatternProfile! isReferenceCheckValid! isUserMarkedReference! scheduled! :b schedule
    timeZone! createdAt! updatedAt! :s assetReferenceValidationJob referenceCheckConfiguration :o inferredSchema :a
    profilingType :s markerConfiguration freshnessColumnInfo notificationChannels :o owner team :a
    partitionConfiguration patternConfiguration :o cadenceAnomalyModelSensitivity profileAnomalyModelSensitivity :s
    cadenceAnomalyTrainingWindowMinimumInDays profileAnomalyTrainingWindowMinimumInDays :i resourceStrategyType
    selectedResourceInventory :s sparkResourceConfig :o autoRetryEnabled :b`,
  ],
  [
    'AssetConfigurationResponse',
    configuration.assetConfigurationAnswer,
    'assetConfiguration assetJDBCPartitioningEnabled :o manualProfilingTriggers! :a',
  ],
  ['CustomAssetResponse', customAsset.customAssetAnswer, 'customAsset! :o'],
  [
    'SqlView',
    of(customAsset.customAssetAnswer, 'customAsset'),
    'asset! :o query! queryType! createdAt! updatedAt! :s id backingAssetId :i description tableAlias :s',
  ],
  [
    'UDFTemplate',
    udfTemplate.udfTemplate,
    `id! :i name! description! code! language! udfType! udfDataType! :s isTemplate! isPackage! isMetadata! isLookup! :b
    variables! usedInPolices! :a createdAt! updatedAt! className createdBy lastUpdatedBy :s labels :a packageId :i
    packageUdfDetail :o referenceAssets :a`,
  ],
  ['UdfValidationResult', udfTemplate.udfValidationResult, 'requestId! jobExecutionStatus! errorMsg :s'],
  ['TemplatePreviewResponse', persistence.templatePreview, 'resolvedSuffix! :s contextUsed! :o'],
  [
    'TemplateContext',
    persistence.templateContext,
    `policyType! policyName! :s policyId! executionId! executionDateTime! :i requestId! recordType! assetName!
    datasourceName! :s`,
  ],
  ['TemplateVariablesResponse', persistence.templateVariables, 'variables! :a'],
  ['ValidatePersistenceConfigResponse', persistence.persistenceValidation, 'valid! :b error :s categoryErrors :o'],
  ['TagsResponse', annotations.tagList, 'tags! :a metadata! :o'],
  [
    'Tag',
    annotations.tag,
    `name! :s autoGenerated! protectedData! :b createdAt! :s id :i tagType :s associatedItemId :i associatedItemType
    createdBy lastUpdatedBy updatedAt :s`,
  ],
  [
    'ApiKeyDetails',
    admin.apiKeyDetails,
    'accessKey! displayName! email! secretKey! :s createdAt! validTill! :i userName :s',
  ],
  ['ApiKeyResponse', admin.apiKeyResponse, 'accessKey! displayName! secretKey! :s validTill! :i email ingestKey :s'],
  [
    'ServiceUser',
    admin.serviceUser,
    `id! username! email! :s enabled! :b apiKeys! roles! domainRoleMappings! :a description createdBy updatedBy :s
    createdOn updatedOn :i`,
  ],
  ['Role', admin.role, 'id! :i name! type :s default :b description :s metadata :o'],
  ['Meta of the admin API', admin.adminMeta, 'page! size! total! :i'],
  ['Status', admin.adminStatus, 'message! :s status! :b'],
  [
    'TagKeyProto',
    tagService.tagKeyRecord,
    'id name description mergedIntoId createdBy updatedBy createdAt updatedAt tenantId type status :s',
  ],
  [
    'TagValueProto',
    tagService.tagValueRecord,
    `keyValueId keyId value mergedIntoId createdBy updatedBy createdAt updatedAt tenantId :s dataProtection :b status :s`,
  ],
  [
    'TagKeyValuePairProto',
    tagService.tagPairRecord,
    `keyId keyName keyValueId value valueCreatedBy valueCreatedAt keyType keyStatus valueStatus :s dataProtection :b`,
  ],
  ['TagDetail', tagService.tagDetail, 'keyValueId! keyId :i keyName keyType valueName valueStatus :s'],
]

/** Existing clients break on additional keys. */
export const closed: readonly [string, z.ZodType, Fields][] = [
  [
    'SourceType',
    assets.sourceType,
    'id! :i name! :s sourceModel :o connectionTypeId :i miniProfiling! :b propertyTemplates! :a',
  ],
  ['an item of metadata', element(of(assets.assetMetadata, 'items')), 'key! value! dataType! source! :s'],
  ['Label', annotations.label, 'key! value! :s'],
  ['Response of a watch', notification.watchAnswer, 'data! :o'],
  ['AssetWatcher', of(notification.watchAnswer, 'data'), 'id! assetId! :i userId! createdAt! updatedAt! :s'],
  [
    'AssetActivityInfo',
    annotations.assetActivity,
    'upVoteCount! downVoteCount! commentCount! :i upvoted! downvoted! :b',
  ],
  ['AssetCommentResponse', annotations.assetCommentList, 'comments! :a'],
  ['AssetComment', annotations.assetComment, 'comment! userName! createdAt! updatedAt! :s'],
  ['the answer to a started crawl', annotations.crawlerStarted, 'data! :o'],
  ['its data', of(annotations.crawlerStarted, 'data'), 'assemblyName! :s isSuccess! :b'],
  ['the answer about a crawl', annotations.crawlerStatus, 'data! :o'],
  ['its data', of(annotations.crawlerStatus, 'data'), 'assemblyName! status! :s'],
]
