import { z } from 'zod'
import { brokerPattern } from './broker-access.ts'
import { strptimeFormat } from './strptime.ts'

/** Encodings by their common names, as the decoder calls them. `utf-16` without a byte order mark is little-endian. */
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

/** How CSV and TSV text is read. Absent options are detected from the whole file. */
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
  /** `,`: numbers are written as 1.234,56. */
  decimalSeparator: z.enum(['.', ','], { error: 'Use "." or ",".' }).optional(),
  dateFormat: dateFormat.optional(),
  timestampFormat: dateFormat.optional(),
})
export type CsvOptions = z.infer<typeof csvOptions>

/** The location of an assembly's data. `path`: a folder, a file or a glob; for databases, their file. */
export const source = z.discriminatedUnion('sourceType', [
  z.object({
    sourceType: z.literal('FILE'),
    path: z.string().min(1).max(4096),
    include: z.array(z.string().min(1)).max(100).optional(),
    exclude: z.array(z.string().min(1)).max(100).optional(),
    csv: csvOptions.optional(),
    /** Options for matching files, by path below the source; the last match wins. */
    files: z
      .array(z.object({ pattern: z.string().min(1).max(4096), csv: csvOptions }))
      .max(1000)
      .optional(),
  }),
  z.object({ sourceType: z.literal('SQLITE'), path: z.string().min(1).max(4096) }),
  z.object({ sourceType: z.literal('DUCKDB'), path: z.string().min(1).max(4096) }),
  z.object({
    sourceType: z.literal('KAFKA'),
    brokers: z.array(z.string().regex(brokerPattern, 'must be an address such as kafka-1:9092')).min(1).max(20),
    /** Names or patterns of topics. Default: all but the cluster's own. */
    topics: z.array(z.string().min(1).max(249)).min(1).max(100).optional(),
    format: z.literal('JSON', 'must be JSON, because messages of other formats cannot be read yet').default('JSON'),
  }),
])
export type Source = z.infer<typeof source>

export const fileFormat = z.enum(['CSV', 'TSV', 'JSON', 'NDJSON', 'PARQUET'])
export type FileFormat = z.infer<typeof fileFormat>

const columns = z.array(z.object({ name: z.string(), dataType: z.string() }))

/**
 * One table of a source, as the crawl found it. The catalog stores it and returns it; all other fields are private to
 * the engine that made it. `kind`: that engine. `columns`: types found by the crawl. If `fingerprint` has changed, the
 * engine detects them again.
 */
const tableLocator = z
  .object({ kind: z.enum(['files', 'table', 'relation', 'topic']), columns, fingerprint: z.string() })
  .catchall(z.json().optional())
export type TableLocator = z.infer<typeof tableLocator>

/** A SELECT over the named tables only; `variables`: values of `${key}` in it. `columns` empty: not determined yet. */
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

/** A line that is malformed (decision 47): missing or surplus fields, or undecodable bytes. */
export interface LineWarning {
  line: number
  message: string
}
export interface LineWarnings {
  total: number
  /** The first 100. */
  first: LineWarning[]
}

/** Files of a source in formats that Assay does not read. */
export interface SkippedFiles {
  total: number
  /** The first 100, by path relative to the source. */
  first: { path: string; message: string }[]
}

export interface DiscoveredColumn {
  name: string
  /** The engine's name of the type: VARCHAR, BIGINT, DOUBLE, DECIMAL(18,3), DATE, TIMESTAMP, BOOLEAN, STRUCT(...), VARCHAR[] ... */
  dataType: string
  nullable: boolean
  /** Leaves of a STRUCT, as columns below it. */
  children: DiscoveredColumn[]
}

/** An item of a crawl's output, in order. `path`: names from below the assembly down to the parent. */
export type Discovered =
  /** The number of tables to read; sent first, and again when more are found. */
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
      /** ISO 8601 UTC: newest change of its files, or newest message. */
      lastChangedAt: string | null
      fileCount: number | null
      warnings: LineWarnings
      /** Notes about the table, for the crawl report. */
      notes?: readonly string[]
      /**
       * For a view: paths (name last) of the tables and views of its database that it reads, directly or through other
       * views; all of the database if unknown. Known ones were sent before. Omitted for tables and files.
       */
      reads?: string[][]
    }
  /** A table or file that could not be read; the crawl continues. `path` is relative to the source. */
  | { kind: 'failed'; path: string; message: string }
  /** Files that are not read, sent once at the end. */
  | ({ kind: 'skipped' } & SkippedFiles)
