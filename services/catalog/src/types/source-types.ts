import { openableSourceTypes, type SourceType } from '@assay/contracts'

const models = {
  RELATIONAL: { id: 1, name: 'RELATIONAL' },
  FILE: { id: 2, name: 'FILE' },
  STREAM: { id: 3, name: 'STREAM' },
  DOCUMENT: { id: 4, name: 'DOCUMENT' },
  REPORT: { id: 5, name: 'REPORT' },
  PIPELINE: { id: 6, name: 'PIPELINE' },
} as const
type Model = keyof typeof models

/** In the order of the ids. New names must be appended, because stored assemblies hold the ids. */
const modelOfSource: readonly (readonly [name: string, model: Model | null])[] = [
  ['BIGQUERY', 'RELATIONAL'],
  ['AZURE_COSMOSDB_CASSANDRA', 'DOCUMENT'],
  ['CASSANDRA', 'DOCUMENT'],
  ['REDSHIFT', 'RELATIONAL'],
  ['SNOWFLAKE', 'RELATIONAL'],
  ['TERADATA', 'RELATIONAL'],
  ['HIVE', 'RELATIONAL'],
  ['HBASE', 'DOCUMENT'],
  ['ADF', 'PIPELINE'],
  ['AZURE_MSSQL', 'RELATIONAL'],
  ['AZURE_BLOB', 'FILE'],
  ['AZURE_COSMOSDB_NOSQL', 'DOCUMENT'],
  ['AZURE_COSMOSDB_POSTGRESQL', 'RELATIONAL'],
  ['AMAZON_RDS_POSTGRESQL', 'RELATIONAL'],
  ['AMAZON_AURORA_POSTGRESQL', 'RELATIONAL'],
  ['AZURE_DATALAKE', 'FILE'],
  ['AWS_GLUE', 'RELATIONAL'],
  ['AWS_S3', 'FILE'],
  ['HDFS', 'FILE'],
  ['GCS', 'FILE'],
  ['ICEBERG', 'RELATIONAL'],
  ['KAFKA', 'STREAM'],
  ['PUBSUB', 'STREAM'],
  ['MYSQL', 'RELATIONAL'],
  ['MARIADB', 'RELATIONAL'],
  ['MEMSQL', 'RELATIONAL'],
  ['POSTGRESQL', 'RELATIONAL'],
  ['POWERBI', 'REPORT'],
  ['TABLEAU', 'REPORT'],
  ['ORACLE', 'RELATIONAL'],
  ['AWS_ATHENA', 'RELATIONAL'],
  ['DATABRICKS', 'RELATIONAL'],
  ['MONGO', 'DOCUMENT'],
  ['MODEL_BAG', null],
  ['FEATURE_BAG', null],
  ['PRESTO', 'RELATIONAL'],
  ['TRINO', 'RELATIONAL'],
  ['DB2', 'RELATIONAL'],
  ['CLICKHOUSE', 'RELATIONAL'],
  ['SFTP', 'FILE'],
  ['SAP_HANA', 'RELATIONAL'],
  ['AMAZON_RDS_MYSQL', 'RELATIONAL'],
  ['AMAZON_AURORA_MYSQL', 'RELATIONAL'],
  ['AMAZON_RDS_MARIADB', 'RELATIONAL'],
  ['AZURE_SYNAPSE_ANALYTICS', 'RELATIONAL'],
  ['VIRTUAL_DATASOURCE', null],
  ['AUTOSYS', 'PIPELINE'],
  ['DBT_CLOUD', 'PIPELINE'],
  ['FIVETRAN', 'PIPELINE'],
  ['SNAPLOGIC', 'PIPELINE'],
  ['SALESFORCE', null],
  ['FILE', 'FILE'],
  ['SQLITE', 'RELATIONAL'],
  ['DUCKDB', 'RELATIONAL'],
]

const openable: ReadonlySet<string> = new Set(openableSourceTypes)

/** The record is closed: older clients refuse additional keys. */
export const sourceTypes: readonly SourceType[] = modelOfSource.map(([name, model], index) => ({
  id: index + 1,
  name,
  sourceModel: model === null ? null : models[model],
  // A connection type for each source that can be opened, with the same id.
  connectionTypeId: openable.has(name) ? index + 1 : null,
  miniProfiling: false,
  propertyTemplates: [],
}))

const byName = new Map(sourceTypes.map((type) => [type.name, type]))
const byId = new Map(sourceTypes.map((type) => [type.id, type]))

/** The source type with that name, `undefined` if there is none. */
export function sourceTypeNamed(name: string): SourceType | undefined {
  return byName.get(name)
}

/** The source type with an id from a stored assembly or asset. */
export function sourceTypeOf(id: number): SourceType {
  const type = byId.get(id)
  if (type === undefined) throw new RangeError(`There is no source type with id ${id}.`)
  return type
}
