export { apiPage } from './documents/api-page.ts'
export { asyncApiDocument } from './documents/asyncapi.ts'
export { documentedPathOf } from './documents/templates.ts'
export { exampleOf, exampleOfJson, jsonSchemaOf } from './example.ts'
export { type Example, examplePath, recordedEvents, recordedExamples } from './examples/recorded.ts'
export { type FieldRules, strictly, withFieldRules } from './fields/field-rules.ts'
export { asSentence, didYouMean, spellingsNear } from './fields/nearest-name.ts'
export { type UnknownField, unknownFieldSentence, unknownFields } from './fields/unknown-fields.ts'
export { type ErrorEnvelope, errorEnvelope, unauthorisedBody } from './http/envelope.ts'
export { asOfText, type PageMeta, pageMeta, pagingQuery } from './http/paging.ts'
export { openApiDocument } from './openapi.ts'
export * as adminOperations from './operations/admin.ts'
export * as annotationOperations from './operations/annotations.ts'
export * as catalogOperations from './operations/catalog.ts'
export * as customAssetOperations from './operations/custom-assets.ts'
export * as executionOperations from './operations/execution.ts'
export { executionKindOperations, executionKinds, executionsByOldPaths } from './operations/executions-by-kind.ts'
export { rowNumber } from './operations/executions-of-kind.ts'
export * as gatewayOperations from './operations/gateway.ts'
export * as incidentOperations from './operations/incident.ts'
export * as notificationOperations from './operations/notification.ts'
export * as channelOperations from './operations/notification-channels.ts'
export * as notificationRuleOperations from './operations/notification-rules.ts'
export * as notificationSettingsOperations from './operations/notification-settings.ts'
export type { AnswerOf, BodyOf, Method, Operation, ParamsOf, QueryOf, ServiceName } from './operations/operation.ts'
export * as persistenceOperations from './operations/persistence.ts'
export {
  acceptSuggestions,
  createAutoAnomalyPolicies,
  policyByAsset,
  policyKindOperations,
  policyKinds,
} from './operations/policies.ts'
export * as policyOperations from './operations/policy.ts'
export * as profileOperations from './operations/profiles.ts'
export * as referenceAssetOperations from './operations/reference-assets.ts'
export * as ruleTagOperations from './operations/rule-tags.ts'
export * as samplingOperations from './operations/sampling.ts'
export * as searchOperations from './operations/search.ts'
export { operations } from './operations/table.ts'
export * as tagServiceOperations from './operations/tag-service.ts'
export * as udfOperations from './operations/udf.ts'
export * as udfVariableOperations from './operations/udf-variables.ts'
export { narrowestLimits } from './problems/narrowest-limits.ts'
export { pathText } from './problems/plain-words.ts'
export { type ApiKeyDetails, permissionOfRole, roleOf, type ServiceUser } from './records/admin.ts'
export {
  type AssetActivity,
  type AssetTag,
  activityDenied,
  type Label,
  type Strategy,
  type Tag,
  type ThreadComment,
  unknownOfPipelineRecord,
} from './records/annotations.ts'
export { type Anomaly, anomalyFigures } from './records/anomaly.ts'
export { type ApiKey, type ApiKeySecret, apiKey, apiKeySecret, createApiKeyRequest } from './records/api-key.ts'
export { type ArrivalClock, arrivalClock, freshnessSources } from './records/arrival.ts'
export {
  type Assembly,
  type Asset,
  type AssetMetadata,
  type AssetType,
  assembly,
  asset,
  assetMetadata,
  type ChildAsset,
  childAsset,
  type SourceType,
  shortAssetType,
} from './records/asset.ts'
export {
  type AssetConfiguration,
  type AssetSettingsInput,
  assetConfiguration,
  type ColumnSchema,
  type ManualProfilingTrigger,
} from './records/asset-configuration.ts'
export { type AuditLine, auditEntityTypes, auditLine, entityIdOf } from './records/audit.ts'
export {
  type BackfilledPeriods,
  type BackfillInput,
  type BackfillRecord,
  backfilledPeriods,
  backfillRecord,
} from './records/backfill.ts'
export { type ComparedRow, type ComparisonFigures, comparisonFigures } from './records/comparison-figures.ts'
export { customComparisonValue, timelinessValue } from './records/comparison-items.ts'
export { type AssemblyRequest, assemblyRequest, type Crawl, crawl, openableSourceTypes } from './records/crawl.ts'
export type { CustomAsset, SqlViewDetails } from './records/custom-asset.ts'
export { driftFigures } from './records/data-drift.ts'
export type { DatasetColumn } from './records/dataset-column.ts'
export {
  type ExecutionAnswer,
  type ExecutionMetrics,
  type ExecutionResult,
  type ExecutionStatus,
  executionStatus,
  type ItemExecution,
  type ItemVerdict,
  type ResultStatus,
  type RuleExecution,
  type RuleWithExecution,
  resultStatus,
  rulesOfAssetDenied,
  type StartAnswer,
} from './records/execution.ts'
export { type RunMarkerConfig, type RunMarkers, runMarkerConfig, runMarkers } from './records/execution-markers.ts'
export type { IncidentHint, IncidentRecord } from './records/incident.ts'
export {
  type Comparison,
  type ComparisonOperator,
  comparison,
  type ItemKind,
  itemKindOf,
  itemKinds,
  type MeasurementType,
  measurementType,
  measurementTypes,
} from './records/item-kinds.ts'
export {
  type AssetWatch,
  type AssetWatcher,
  assetWatcher,
  type Notification,
  notification,
  type WatchedAsset,
  type WatchRecord,
  watchDenied,
} from './records/notification.ts'
export {
  type ChannelMessage,
  type ChannelType,
  channelConfigurations,
  channelDigest,
  channelType,
  type DeliveryRecord,
  deliveryStatus,
  type NotificationChannel,
} from './records/notification-channel.ts'
export {
  incidentKinds,
  isPersonal,
  type NotificationKind,
  type NotificationSeverity,
  notificationKind,
  notificationSeverity,
  severityOfKind,
  severityRank,
} from './records/notification-kinds.ts'
export { notificationPayload } from './records/notification-payload.ts'
export type { DryRunRoute, NotificationRule } from './records/notification-rule.ts'
export {
  type NotificationMute,
  type NotificationSettings,
  notificationSettings,
} from './records/notification-settings.ts'
export type { PersistenceConfigRecord, TemplateContext } from './records/persistence.ts'
export {
  type AnomalyItemInput,
  type AnomalyStrength,
  anomalyItem,
  type ProfileMetric,
  profileMetrics,
  type WatchedMetric,
  watchedMetrics,
} from './records/policies/anomaly.ts'
export {
  type ArrivalItemInput,
  type ArrivalMeasurement,
  arrivalItem,
  cadenceMeasurements,
  type ExecutedArrivalItem,
  freshnessMeasurements,
} from './records/policies/arrival.ts'
export {
  type BaselineInput,
  baselineRecord,
  type DataDriftItemInput,
  type DriftMeasure,
  type DriftMetric,
  dataDriftItem,
} from './records/policies/data-drift.ts'
export type { PolicyRow } from './records/policies/family.ts'
export {
  columnMapping,
  type ExecutedReconciliationItem,
  type MappingInput,
  type ReconciliationItemInput,
  type ReconciliationMeasurement,
  reconciliationItem,
  type SuggestedMapping,
  wholeMeasurement,
} from './records/policies/reconciliation.ts'
export { type SchemaDriftItemInput, schemaDriftItem, severityRecord } from './records/policies/schema-drift.ts'
export {
  type ChangeOf,
  isChangeOf,
  isOfFamily,
  type PolicyAnswer,
  type PolicyAnswerOf,
  type PolicyChange,
  type PolicyCreation,
  type PolicyFamily,
  policyAnswer,
  policyRow,
  policyTable,
  segmentOf,
} from './records/policies/table.ts'
export {
  type DataQualityRule,
  type ItemRecord,
  itemRecord,
  type JobSchedule,
  type QualityRule,
  type RuleAnswer,
  ruleAnswer,
} from './records/policy.ts'
export type { CategoriesConfig, RuleConfigInput } from './records/policy-configuration.ts'
export {
  type BackingAssetInput,
  type ItemInput,
  itemInput,
  type RuleFrameInput,
  type RuleInput,
  ruleInput,
  type ScheduleRequest,
} from './records/policy-input.ts'
export {
  type PolicyType,
  policyType,
  policyTypes,
  type ScheduledExecutionType,
  type ScoreStrategy,
  type VerdictBasis,
} from './records/policy-types.ts'
export type { PolicyVersion, VersionChange } from './records/policy-versions.ts'
export { type ProfileFigures, type ProfileRequest, profileFigures } from './records/profiles.ts'
export { type PolicyRecordFrame, qualityRuleOf } from './records/quality-rule.ts'
export {
  type ReferenceAsset,
  type ReferenceJob,
  type ReferenceVerdict,
  referenceDenied,
  referenceVerdict,
} from './records/reference-asset.ts'
export type { RuleTag } from './records/rule-tags.ts'
export { type SampleAnswer, type SampleData, sampleData } from './records/sample.ts'
export {
  type SchemaChange,
  type SchemaChangeKind,
  type SchemaDrift,
  schemaChange,
  schemaChangeKinds,
} from './records/schema-drift.ts'
export type { AssetFacets } from './records/search.ts'
export {
  type Feedback,
  type FeedbackRequest,
  feedbacks,
  type SeriesPoint,
  type WhatIfRequest,
} from './records/series.ts'
export { sparkResourceRecordOf } from './records/spark-resources.ts'
export type { StartRequest } from './records/start-request.ts'
export { type StoredMarker, storedMarkers } from './records/stored-marker.ts'
export {
  type TagDetail,
  type TaggableType,
  type TagKeyRecord,
  type TagPairRecord,
  type TagValueRecord,
  tagKeyTypes,
} from './records/tag-service.ts'
export { shareProblem, type Threshold, threshold, thresholdRecord, wholeThreshold } from './records/threshold.ts'
export {
  type UdfTemplate,
  type UdfTemplateRequest,
  type UdfValidationRequest,
  type UdfValidationResult,
  type UdfVariableInput,
  udfTemplate,
} from './records/udf-template.ts'
export { type UdfVariable, udfVariable } from './records/udf-variable.ts'
export { type EventType, eventEntities, eventTypes, publicEventTypes } from './topics/event-types.ts'
export {
  type AssemblyMessage,
  type AssetLabelsMessage,
  type AssetSettingsMessage,
  assemblyMessage,
  assetLabelsMessage,
  assetSettingsMessage,
  type CloudEvent,
  type ContainerMessage,
  changesBetween,
  cloudEvent,
  containerMessage,
  type ExecutedVersionMessage,
  executedRevision,
  executedVersionMessage,
  type InternalMessages,
  internalMessages,
  internalTopics,
  type KeyMessage,
  keyMessage,
  type PolicyMessage,
  policyMessage,
  publicTopics,
  type TableMessage,
  type TagMessage,
  tableMessage,
  tagMessage,
  type UdfTemplateMessage,
  type UdfVariablesMessage,
  udfTemplateMessage,
  udfVariablesMessage,
  type WatchMessage,
  watchMessage,
} from './topics/messages.ts'
export { cloudEventOf, publicMessage } from './topics/public-message.ts'
export { viewSources } from './topics/view-sources.ts'
export { cutText, shortText } from './values/cut-text.ts'
export {
  booleanText,
  cronProblem,
  id,
  idListText,
  idText,
  isTimeZone,
  listText,
  nextRuns,
  optional,
  timeInput,
} from './values/index.ts'
export { maskText, withoutValues } from './values/masking.ts'
export { type Permission, permissions } from './values/permissions.ts'
export {
  categoriesProblem,
  defaultTemplate,
  prefixProblem,
  type RecordType,
  resolveTemplate,
  type TemplateValues,
  templateProblem,
} from './values/persistence-template.ts'
export { policyStatusesOf } from './values/policy-status.ts'
export { unnumbered } from './values/uid.ts'
