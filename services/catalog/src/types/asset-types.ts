import type { AssetType } from '@assay/contracts'

/**
 * Names of the asset types in the order of their ids (1, 2, ...). The order must never change, and new names are
 * appended, because stored assets hold the ids.
 */
export const assetTypeNames = [
  ...['HBASE_NAMESPACE', 'DATABASE', 'SCHEMA', 'TABLE', 'COLUMN', 'COLUMN_FAMILY', 'BUCKET', 'OBJECT', 'DIRECTORY'],
  ...['ARCHIVE', 'FILE', 'FILE_COLUMN', 'BIG_QUERY_DATASET', 'BIG_QUERY_FIELD', 'KAFKA_TOPIC', 'KAFKA_TOPIC_COLUMN'],
  ...['PUBSUB_TOPIC', 'PUBSUB_TOPIC_COLUMN', 'CATALOG', 'PROJECT', 'WORKBOOK', 'SHEET', 'DASHBOARD', 'DATASOURCE'],
  ...['FIELD', 'VIEW', 'MATERIALIZED_VIEW', 'COLLECTION', 'DOCUMENT_KEY', 'ML_MODEL', 'ML_FEATURE', 'ML_FEATURE_SET'],
  ...['DICTIONARY', 'VIRTUAL_VIEW', 'KEY_SPACE', 'POWERBI_WORKSPACE', 'POWERBI_DATAFLOW', 'POWERBI_DATAFLOW_ENTITY'],
  ...['POWERBI_DATAFLOW_ATTRIBUTE', 'POWERBI_SEMANTIC_MODEL', 'POWERBI_SEMANTIC_MODEL_TABLE'],
  ...['POWERBI_SEMANTIC_MODEL_COLUMN', 'POWERBI_DATASOURCE', 'POWERBI_REPORT', 'POWERBI_DASHBOARD', 'POWERBI_TILE'],
  ...['POWERBI_PAGE', 'TABLEAU_PROJECT', 'TABLEAU_FLOW', 'TABLEAU_WORKBOOK', 'TABLEAU_SHEET', 'TABLEAU_DASHBOARD'],
  ...['TABLEAU_DATASOURCE', 'TABLEAU_FIELD', 'TABLEAU_DATABASE', 'TABLEAU_TABLE', 'TABLEAU_COLUMN', 'ADF_FACTORY'],
  ...['ADF_PIPELINE', 'ADF_LINKEDSERVICE', 'ADF_DATASET', 'ADF_DATAFLOW', 'SQL_VIEW', 'SQL_VIEW_COLUMN', 'VISUAL_VIEW'],
  ...['VISUAL_VIEW_COLUMN', 'CUSTOM_SQL', 'AUTOSYS_JOB', 'ICEBERG_NAMESPACE'],
] as const
export type AssetTypeName = (typeof assetTypeNames)[number]

/** Types with rows: policies can watch them, and they can be profiled and sampled. */
const rowHolders: ReadonlySet<string> = new Set([
  'TABLE',
  'VIEW',
  'MATERIALIZED_VIEW',
  'FILE',
  'KAFKA_TOPIC',
  'PUBSUB_TOPIC',
  'COLLECTION',
  'VIRTUAL_VIEW',
  'SQL_VIEW',
  'VISUAL_VIEW',
  'CUSTOM_SQL',
])
/** Parts of a row: profiled and sampled with their table, watched through its policies. */
const rowParts: ReadonlySet<string> = new Set([
  'COLUMN',
  'FILE_COLUMN',
  'BIG_QUERY_FIELD',
  'KAFKA_TOPIC_COLUMN',
  'PUBSUB_TOPIC_COLUMN',
  'FIELD',
  'DOCUMENT_KEY',
  'SQL_VIEW_COLUMN',
  'VISUAL_VIEW_COLUMN',
])

export const assetTypes: readonly AssetType[] = assetTypeNames.map((name, index) => {
  const hasRows = rowHolders.has(name)
  const inRow = rowParts.has(name)
  return { id: index + 1, name, canMonitor: hasRows, canProfile: hasRows || inRow, canSample: hasRows || inRow }
})

const byName = new Map<string, AssetType>(assetTypes.map((type) => [type.name, type]))
const byId = new Map<number, AssetType>(assetTypes.map((type) => [type.id, type]))

/** The asset type with that name. */
export function assetTypeNamed(name: AssetTypeName): AssetType {
  const type = byName.get(name)
  if (type === undefined) throw new RangeError(`There is no asset type ${name}.`)
  return type
}

/** The asset type with an id from a stored asset. */
export function assetTypeOf(id: number): AssetType {
  const type = byId.get(id)
  if (type === undefined) throw new RangeError(`There is no asset type with id ${id}.`)
  return type
}

/** Type of a table's columns, by the table's type id. */
export function columnTypeOf(tableTypeId: number): AssetType {
  const { name } = assetTypeOf(tableTypeId)
  if (name === 'SQL_VIEW') return assetTypeNamed('SQL_VIEW_COLUMN')
  if (name === 'KAFKA_TOPIC') return assetTypeNamed('KAFKA_TOPIC_COLUMN')
  return assetTypeNamed(name === 'FILE' ? 'FILE_COLUMN' : 'COLUMN')
}

/** Types that a crawl of current sources can find. */
export const crawlableTypes: readonly AssetType[] = [
  ...(['DIRECTORY', 'FILE', 'FILE_COLUMN', 'DATABASE', 'SCHEMA', 'TABLE', 'VIEW', 'COLUMN'] as const),
  ...(['KAFKA_TOPIC', 'KAFKA_TOPIC_COLUMN'] as const),
].map(assetTypeNamed)
