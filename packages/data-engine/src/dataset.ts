import { z } from 'zod'
import { brokerPattern } from './broker-access.ts'
import { databaseSettings, hasSafePassword, trinoSettings } from './databases/settings.ts'
import { storeSettings } from './stores/settings.ts'
import { strptimeFormat } from './strptime.ts'

/**
 * Encodings by their common names, with the decoder's names for them. `utf-16` without a byte order mark is
 * little-endian.
 */
const encodings: { readonly [name: string]: string } = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'utf-16': 'utf-16le',
  utf16: 'utf-16le',
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
  'latin-1': 'windows-1252',
  latin1: 'windows-1252',
  'iso-8859-1': 'windows-1252',
  'windows-1252': 'windows-1252',
  cp1252: 'windows-1252',
  ascii: 'utf-8',
  'us-ascii': 'utf-8',
}

/** The decoder's name of an encoding, or null. Ignores case and surrounding blanks. */
export function knownEncoding(named: string): string | null {
  if (named.length > 100) return null
  const name = named.trim().toLowerCase()
  return Object.hasOwn(encodings, name) ? (encodings[name] ?? null) : null
}

function isDelimiter(text: string): boolean {
  return text.length > 0 && text.length <= 2 && [...text].length === 1 && !/[\n\r\0]/.test(text)
}

const dateFormat = z
  .string()
  .max(100)
  .refine(
    (format) => strptimeFormat(format) !== undefined,
    'Give a format such as dd.MM.yyyy, yyyy-MM-dd HH:mm:ss, or %d.%m.%Y.',
  )

/** How CSV and TSV text is read. Options that are absent are detected from the whole file. */
export const csvOptions = z.object({
  delimiter: z
    .string()
    .refine(isDelimiter, 'Give one character that separates fields, such as a comma or a tab, and no line break.')
    .optional(),
  quote: z.string().max(1).optional(),
  header: z.boolean().optional(),
  encoding: z
    .string()
    .refine((named) => knownEncoding(named) !== null, 'Use utf-8, utf-16, latin-1 or windows-1252.')
    .optional(),
  nullValues: z.array(z.string().max(100)).max(20).optional(),
  /** `,` means that numbers are written as 1.234,56. */
  decimalSeparator: z.enum(['.', ','], { error: 'Use "." or ",".' }).optional(),
  dateFormat: dateFormat.optional(),
  timestampFormat: dateFormat.optional(),
})
export type CsvOptions = z.infer<typeof csvOptions>

/** Which files of a source are read, and how. */
const selection = {
  include: z.array(z.string().min(1)).max(100).optional(),
  exclude: z.array(z.string().min(1)).max(100).optional(),
  csv: csvOptions.optional(),
  /**
   * Options for files that match a pattern of paths below the source. If several patterns match, the last one applies.
   */
  files: z
    .array(z.object({ pattern: z.string().min(1).max(4096), csv: csvOptions }))
    .max(1000)
    .optional(),
}

/** The location of an assembly's data. `path`: a folder, a file or a glob; for databases, the file. */
export const source = z.discriminatedUnion('sourceType', [
  z.object({
    sourceType: z.literal('FILE'),
    path: z.string().min(1).max(4096),
    ...selection,
  }),
  z.object({ sourceType: z.literal('SQLITE'), path: z.string().min(1).max(4096) }),
  z.object({ sourceType: z.literal('DUCKDB'), path: z.string().min(1).max(4096) }),
  z.object({
    sourceType: z.literal('KAFKA'),
    brokers: z.array(z.string().regex(brokerPattern, 'must be an address such as kafka-1:9092')).min(1).max(20),
    /** Names or patterns of topics. Default: all topics but the cluster's own. */
    topics: z.array(z.string().min(1).max(249)).min(1).max(100).optional(),
    format: z.literal('JSON', 'must be JSON, because messages of other formats cannot be read yet').default('JSON'),
  }),
  z.object({ sourceType: z.literal('POSTGRESQL'), ...databaseSettings(5432) }),
  z.object({ sourceType: z.literal('MYSQL'), ...databaseSettings(3306) }),
  z.object({ sourceType: z.literal('MARIADB'), ...databaseSettings(3306) }),
  z.object({ sourceType: z.literal('TRINO'), ...trinoSettings }).refine(hasSafePassword, {
    path: ['password'],
    message: 'is sent only over https: give an https address, or no password',
  }),
  z.object({ sourceType: z.literal('AWS_S3'), ...storeSettings, ...selection }),
])
export type Source = z.infer<typeof source>
/** A database server: PostgreSQL, MariaDB or MySQL. */
export type ServerSource = Extract<Source, { database: string }>
/** A catalog of a Trino cluster. */
export type TrinoSource = Extract<Source, { catalog: string }>
/** A database that its own engine reads over the network. */
export type DatabaseSource = ServerSource | TrinoSource

/** An object store. */
export type StoreSource = Extract<Source, { bucket: string }>
/** A source that is reached over the network with a secret of its own. */
export type RemoteSource = DatabaseSource | StoreSource
/** A source whose tables are files or objects. */
export type FileSource = Extract<Source, { sourceType: 'FILE' | 'AWS_S3' }>

/** The stored source of an assembly, if it has a secret of its own; otherwise `undefined`. */
export function readRemoteSource(stored: unknown): RemoteSource | undefined {
  const read = source.safeParse(stored).data
  return read !== undefined && isRemoteSource(read) ? read : undefined
}

/** Whether a source is a database that its own engine reads over the network. */
export function isDatabaseSource(of: Source): of is DatabaseSource {
  return isServerSource(of) || isTrinoSource(of)
}

/** Whether a source is a database server. */
export function isServerSource(of: Source): of is ServerSource {
  return 'database' in of
}

/** Whether a source is a catalog of a Trino cluster. */
export function isTrinoSource(of: Source): of is TrinoSource {
  return 'catalog' in of
}

/** Whether a source is an object store. */
export function isStoreSource(of: Source): of is StoreSource {
  return 'bucket' in of
}

/** Whether the tables of a source are files or objects. */
export function isFileSource(of: Source): of is FileSource {
  return of.sourceType === 'FILE' || isStoreSource(of)
}

/** Whether a source is reached over the network with a secret of its own. */
export function isRemoteSource(of: Source): of is RemoteSource {
  return isDatabaseSource(of) || isStoreSource(of)
}

export const fileFormat = z.enum(['CSV', 'TSV', 'JSON', 'NDJSON', 'PARQUET'])
export type FileFormat = z.infer<typeof fileFormat>

const columns = z.array(z.object({ name: z.string(), dataType: z.string() }))

/**
 * One table of a source, as the crawl found it. The catalog stores the locator and returns it. `kind`: the engine that
 * made it; all other fields are private to this engine. `columns`: types found by the crawl. If `fingerprint` has
 * changed, the engine detects them again.
 */
const tableLocator = z
  .object({ kind: z.enum(['files', 'table', 'relation', 'topic']), columns, fingerprint: z.string() })
  .catchall(z.json().optional())
export type TableLocator = z.infer<typeof tableLocator>

/**
 * A SELECT that reads only the named tables. `variables`: values of `${key}` in it. `columns`: empty until they are
 * determined.
 */
const query = z.object({
  kind: z.literal('query'),
  sql: z.string(),
  variables: z
    .record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean(), z.object({ text: z.string() }), z.object({ column: z.string() })]),
    )
    .optional(),
  tables: z.array(z.object({ name: z.string(), dataset: tableLocator })),
  columns,
  fingerprint: z.string(),
})

/** A dataset: a table of a source, or a SELECT over such tables. */
export const datasetLocator = z.discriminatedUnion('kind', [tableLocator, query])
export type DatasetLocator = z.infer<typeof datasetLocator>
export type QueryLocator = z.infer<typeof query>

/** A line that is malformed (decision 47): it has missing or surplus fields, or undecodable bytes. */
export interface LineWarning {
  line: number
  message: string
}
export interface LineWarnings {
  total: number
  /** The first 100 lines. */
  first: LineWarning[]
}

/** Files of a source in formats that Assay does not read. */
export interface SkippedFiles {
  total: number
  /** The first 100 files, by path relative to the source. */
  first: { path: string; message: string }[]
}

export interface DiscoveredColumn {
  name: string
  /** The engine's name of the type: VARCHAR, BIGINT, DOUBLE, DECIMAL(18,3), DATE, TIMESTAMP, BOOLEAN, STRUCT(...), VARCHAR[] ... */
  dataType: string
  nullable: boolean
  /** Leaves of a STRUCT, shown as columns below it. */
  children: DiscoveredColumn[]
}

const names = z.array(z.string())

/** Comments and keys of a table in a database. Columns are named as in the table. */
export const declared = z.object({
  comment: z.string().exactOptional(),
  columnComments: z.record(z.string(), z.string()).exactOptional(),
  primaryKey: names.exactOptional(),
  uniqueKeys: z.array(names).exactOptional(),
  foreignKeys: z
    .array(
      z.object({ columns: names, references: z.object({ schema: z.string(), table: z.string(), columns: names }) }),
    )
    .exactOptional(),
})
export type Declared = z.infer<typeof declared>

/** An item of a crawl's output, in order. `path`: names from the assembly down to the parent, without the assembly. */
export type Discovered =
  /** The number of tables to read. It is sent first, and again when more tables are found. */
  | { kind: 'found'; tables: number }
  | { kind: 'container'; path: string[]; name: string; assetType: 'DIRECTORY' | 'DATABASE' | 'SCHEMA' }
  | {
      kind: 'table'
      path: string[]
      name: string
      assetType: 'FILE' | 'TABLE' | 'VIEW' | 'KAFKA_TOPIC'
      locator: DatasetLocator
      columns: DiscoveredColumn[]
      /** For a topic: the number of its stored messages. */
      rowCount: number | null
      sizeBytes: number | null
      /** The newest change of its files, or its newest message, ISO 8601 UTC. */
      lastChangedAt: string | null
      fileCount: number | null
      warnings: LineWarnings
      /** Notes about the table, for the crawl report. */
      notes?: readonly string[]
      /**
       * For a view: paths (name last) of the tables and views of its database that it reads, directly or through other
       * views. If these are unknown, all tables and views of the database; otherwise they were sent before the view.
       * Omitted for tables and files.
       */
      reads?: string[][]
      /** What a database says about a table besides its columns. */
      declared?: Declared
    }
  /** A table or file that could not be read. The crawl continues after it. `path` is relative to the source. */
  | { kind: 'failed'; path: string; message: string }
  /** Files that are not read, sent once at the end. */
  | ({ kind: 'skipped' } & SkippedFiles)
