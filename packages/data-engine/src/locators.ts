import { basename } from 'node:path'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import { csvOptions, type DatasetLocator, fileFormat, type QueryLocator } from './dataset.ts'

const found = {
  columns: z.array(z.object({ name: z.string(), dataType: z.string() })),
  fingerprint: z.string(),
}

/** `pattern` is one file's absolute path, or a glob for a partitioned or globbed set. */
const files = z.object({
  kind: z.literal('files'),
  /** Absolute. Nothing outside it is read. */
  root: z.string(),
  pattern: z.string(),
  format: fileFormat,
  /** Columns that stand in the folder names, `year=2026`. */
  partitioned: z.boolean(),
  csv: csvOptions.optional(),
  ...found,
})
export type FilesLocator = z.infer<typeof files>

const table = z.object({
  kind: z.literal('table'),
  engine: z.enum(['SQLITE', 'DUCKDB']),
  path: z.string(),
  /** Absolute: the folder of the source that the file was found in. Nothing outside it is read. */
  root: z.string().optional(),
  schema: z.string().nullable(),
  table: z.string(),
  ...found,
})
export type FileTableLocator = z.infer<typeof table>

/** A table of a database that is read there. Which database, and how it is reached, only its engine knows. */
const relation = z.object({ kind: z.literal('relation'), schema: z.string(), table: z.string(), ...found })
export type RelationLocator = z.infer<typeof relation>

const known = z.discriminatedUnion('kind', [files, table, relation])

type KnownLocator = FilesLocator | FileTableLocator | RelationLocator | QueryLocator

/** What a locator says to the engine that made it; `undefined`: an engine before this one wrote another form. */
export function knownLocator(locator: DatasetLocator): KnownLocator | undefined {
  return locator.kind === 'query' ? locator : known.safeParse(locator).data
}

/** As `knownLocator`. Error: `unprocessable`, where an engine before this one wrote another form. */
export function readLocator(locator: DatasetLocator): KnownLocator {
  const read = knownLocator(locator)
  if (read !== undefined) return read
  throw new AssayError('unprocessable', 'The asset cannot be opened as it was found; crawl its assembly again.')
}

/** Whether the rows lie in files that a marker on changes of files can tell apart. */
export function isOfFiles(locator: DatasetLocator): boolean {
  return locator.kind === 'files'
}

/** Whether it is a table among others of one database. */
export function isOfDatabase(locator: DatasetLocator): boolean {
  return locator.kind === 'table' || locator.kind === 'relation'
}

/** Whether a table called `name` is made of files that have other names: partitions, or those that a glob gathers. */
export function isSetOfFiles(locator: DatasetLocator, name: string): boolean {
  const read = files.safeParse(locator)
  return read.success && basename(read.data.pattern) !== name
}
