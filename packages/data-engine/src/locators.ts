import { basename } from 'node:path'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import { csvOptions, type DatasetLocator, fileFormat, type QueryLocator } from './dataset.ts'

const found = {
  columns: z.array(z.object({ name: z.string(), dataType: z.string() })),
  fingerprint: z.string(),
}

/** `pattern`: the absolute path of one file, or a glob for a set of files (partitions, or matches of a glob). */
const files = z.object({
  kind: z.literal('files'),
  /** Absolute path. Nothing outside of it is read. */
  root: z.string(),
  pattern: z.string(),
  format: fileFormat,
  /** Whether folder names contain column values, such as `year=2026`. */
  partitioned: z.boolean(),
  /** The columns whose values these folder names contain. Absent in locators of earlier versions. */
  partitions: z.array(z.string()).optional(),
  /** Whether the names of all files contain dates, such as `sales-2026-01-31.csv`. */
  datedNames: z.literal(true).optional(),
  csv: csvOptions.optional(),
  /** Set if the files are in an object store. `source`: the assembly whose configuration has the connection. */
  store: z.object({ source: z.int().optional() }).optional(),
  ...found,
})
export type FilesLocator = z.infer<typeof files>

const table = z.object({
  kind: z.literal('table'),
  engine: z.enum(['SQLITE', 'DUCKDB']),
  path: z.string(),
  /** Absolute path of the source's folder in which the file was found. Nothing outside of it is read. */
  root: z.string().optional(),
  schema: z.string().nullable(),
  table: z.string(),
  /** Only for views: a hash of the definition. */
  definition: z.string().optional(),
  ...found,
})
export type FileTableLocator = z.infer<typeof table>

/** A table of a database that another engine reads. */
const relation = z.object({
  kind: z.literal('relation'),
  engine: z.enum(['POSTGRESQL', 'MYSQL', 'MARIADB', 'TRINO']),
  /** The assembly whose configuration has the connection. */
  source: z.int().optional(),
  schema: z.string(),
  table: z.string(),
  /** Only for views: a hash of the definition. */
  definition: z.string().optional(),
  ...found,
})
export type RelationLocator = z.infer<typeof relation>

/** A topic of a Kafka cluster. Each message with a JSON object is a row. */
const topic = z.object({ kind: z.literal('topic'), brokers: z.array(z.string()), topic: z.string(), ...found })
export type TopicLocator = z.infer<typeof topic>

const known = z.discriminatedUnion('kind', [files, table, relation, topic])

type KnownLocator = FilesLocator | FileTableLocator | RelationLocator | TopicLocator | QueryLocator

/** A parsed locator; `undefined` if another version wrote it in an unknown form. */
export function knownLocator(locator: DatasetLocator): KnownLocator | undefined {
  return locator.kind === 'query' ? locator : known.safeParse(locator).data
}

/** Like `knownLocator`. Error: `unprocessable` instead of `undefined`. */
export function readLocator(locator: DatasetLocator): KnownLocator {
  const read = knownLocator(locator)
  if (read !== undefined) return read
  throw new AssayError('unprocessable', 'The stored location of the asset cannot be read. Crawl its assembly again.')
}

/** Whether two tables of databases belong to the same source, so that one statement can read both. */
export function isOfSameSource(one: RelationLocator, other: RelationLocator): boolean {
  return one.engine === other.engine && one.source === other.source
}

/** The tables of databases that a dataset reads. */
export const relationsIn = (dataset: DatasetLocator): RelationLocator[] => {
  const locator = knownLocator(dataset)
  const all = locator?.kind === 'query' ? locator.tables.map((table) => knownLocator(table.dataset)) : [locator]
  return all.flatMap((one) => (one?.kind === 'relation' ? [one] : []))
}

/**
 * Whether the engine of a table can itself read the allowed values of a lookup: both are in the same database, or
 * neither is in a database that measures its own tables.
 */
export function canLookUp(dataset: DatasetLocator, lookup: DatasetLocator): boolean {
  const [own, others] = [relationsIn(dataset), relationsIn(lookup)]
  const [table] = own
  return table === undefined
    ? others.length === 0
    : others.length > 0 && others.every((other) => isOfSameSource(table, other))
}

/** Whether the regular expressions of its items are those of RE2, such as `\p{Lu}`. PostgreSQL has others. */
export function usesRe2(dataset: DatasetLocator): boolean {
  return relationsIn(dataset).every(({ engine }) => engine !== 'POSTGRESQL')
}

/** Whether the rows are in files, so that a marker on modification times can select them. */
export function isOfFiles(locator: DatasetLocator): boolean {
  return locator.kind === 'files'
}

/** Whether the rows are messages, so that a marker on their times can select them. */
export function isOfTopic(locator: DatasetLocator): boolean {
  return locator.kind === 'topic'
}

/** The columns that come from folder names, such as `dt=2026-01-31`. */
export function partitionsOf(locator: DatasetLocator): readonly string[] {
  return files.safeParse(locator).data?.partitions ?? []
}

/** Whether the names of its files contain dates. */
export function hasDatedNames(locator: DatasetLocator): boolean {
  return files.safeParse(locator).data?.datedNames === true
}

/** Whether the types of its columns come from its values, so that they are unknown if there are no rows. */
export function infersTypes(locator: DatasetLocator): boolean {
  if (isOfTopic(locator)) return true
  const read = files.safeParse(locator)
  return read.success && read.data.format !== 'PARQUET'
}

/** Whether it is a table of a database. */
export function isOfDatabase(locator: DatasetLocator): boolean {
  return locator.kind === 'table' || locator.kind === 'relation'
}

/** Whether the table `name` consists of files with other names: partitions, or the matches of a glob. */
export function isSetOfFiles(locator: DatasetLocator, name: string): boolean {
  const read = files.safeParse(locator)
  return read.success && basename(read.data.pattern) !== name
}
