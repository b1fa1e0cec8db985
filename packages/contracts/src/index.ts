export { exampleOf, exampleOfJson, jsonSchemaOf } from './example.ts'
export { type ErrorEnvelope, errorEnvelope, unauthorisedBody } from './http/envelope.ts'
export { type PageMeta, pageMeta, pagingQuery } from './http/paging.ts'
export { openApiDocument } from './openapi.ts'
export * as annotationOperations from './operations/annotations.ts'
export * as catalogOperations from './operations/catalog.ts'
export * as executionOperations from './operations/execution.ts'
export * as gatewayOperations from './operations/gateway.ts'
export * as notificationOperations from './operations/notification.ts'
export type { AnswerOf, BodyOf, Method, Operation, ParamsOf, QueryOf, ServiceName } from './operations/operation.ts'
export { policyByAsset, policyKindOperations, policyKinds } from './operations/policies.ts'
export * as policyOperations from './operations/policy.ts'
export * as samplingOperations from './operations/sampling.ts'
export { operations } from './operations/table.ts'
export * as searchOperations from './operations/search.ts'
export * as tagServiceOperations from './operations/tag-service.ts'
export {
  type AssetActivity,
  type AssetConfiguration,
  type AssetSettingsInput,
  type AssetTag,
  activityDenied,
  assetConfiguration,
  type ColumnSchema,
  type Label,
  type Strategy,
  type Tag,
  type ThreadComment,
} from './records/annotations.ts'
export { type ApiKey, type ApiKeySecret, apiKey, apiKeySecret, createApiKeyRequest } from './records/api-key.ts'
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
} from './records/asset.ts'
export { type AssemblyRequest, assemblyRequest, type Crawl, crawl, openableSourceTypes } from './records/crawl.ts'
export type { DatasetColumn } from './records/dataset-column.ts'
export type {
  ExecutionAnswer,
  ExecutionResult,
  ExecutionStatus,
  ItemExecution,
  ItemVerdict,
  ResultStatus,
  RuleExecution,
  StartRequest,
} from './records/execution.ts'
export {
  type AssetWatcher,
  assetWatcher,
  type Notification,
  type NotificationKind,
  notification,
  notificationKind,
  watchDenied,
} from './records/notification.ts'
export {
  type BackingAssetInput,
  type CategoriesConfig,
  type DataQualityRule,
  type ItemInput,
  type ItemRecord,
  itemInput,
  type MeasurementType,
  measurementTypes,
  type PolicyType,
  policyTypes,
  type QualityRule,
  type RuleAnswer,
  type RuleConfigInput,
  type RuleFrameInput,
  type RuleInput,
  ruleAnswer,
  type ScheduleRequest,
  type ScoreStrategy,
} from './records/policy.ts'
export {
  type AnomalyItemInput,
  type AnomalyStrength,
  type ArrivalItemInput,
  type ArrivalMeasurement,
  type BaselineInput,
  cadenceMeasurements,
  type DataDriftItemInput,
  type DriftMeasure,
  type DriftMetric,
  freshnessMeasurements,
  type MappingInput,
  type PolicyChange,
  type PolicyCreation,
  type PolicyFamily,
  type ReconciliationItemInput,
  type ReconciliationMeasurement,
  type SchemaDriftItemInput,
} from './records/policy-families.ts'
export {
  type AnomalyAnswer,
  type CadenceAnswer,
  type DataDriftAnswer,
  familyOfType,
  isDataQuality,
  isReconciliation,
  type PolicyAnswer,
  policyAnswer,
  type ReconciliationAnswer,
  type SchemaDriftAnswer,
} from './records/policy-kinds.ts'
export { qualityRuleOf } from './records/quality-rule.ts'
export { type SampleAnswer, type SampleData, sampleData } from './records/sample.ts'
export {
  type TagDetail,
  type TagKeyRecord,
  type TagPairRecord,
  type TagValueRecord,
  tagKeyTypes,
} from './records/tag-service.ts'
export { type Threshold, threshold, thresholdRecord } from './records/threshold.ts'
export {
  type CloudEvent,
  cloudEvent,
  type ExecutedVersionMessage,
  executedVersionMessage,
  internalTopics,
  type PolicyMessage,
  policyMessage,
  publicTopics,
  type TableMessage,
  type TagMessage,
  type WatchMessage,
  watchMessage,
  tableMessage,
  tagMessage,
} from './topics/messages.ts'
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
export type { AssetFacets } from './records/search.ts'
