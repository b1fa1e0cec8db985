import { AssayError } from '@assay/service-kit/errors'
import { type DatasetLocator, isDatabaseSource, type SkippedFiles, type Source } from '../../dataset.ts'
import { readLocator } from '../../locators.ts'
import type { MountContext, Mounted } from '../mount.ts'
import { discoverDuckdb, mountDuckdb, probeDuckdb } from './duckdb/file.ts'
import type { Emit } from './emit.ts'
import { discoverFiles, probeFiles } from './files/discover.ts'
import { mountFiles } from './files/mount.ts'
import { discoverTopics, probeTopics } from './kafka/discover.ts'
import { mountTopic } from './kafka/mount.ts'
import { mountQuery } from './query/mount.ts'
import { discoverSqlite, probeSqlite } from './sqlite/discover.ts'
import { mountSqlite } from './sqlite/mount.ts'

/**
 * Makes one table of a crawl readable by SQL, before the lock-down. Throws `unprocessable` with the file's name, the
 * reason (missing, truncated, no permission, wrong format) and what to do.
 */
export async function mountDataset(context: MountContext, dataset: DatasetLocator): Promise<Mounted> {
  const locator = readLocator(dataset)
  if (locator.kind === 'query') return mountQuery(context, locator, mountDataset)
  if (locator.kind === 'files') return mountFiles(context, locator)
  if (locator.kind === 'topic') return mountTopic(context, locator)
  if (locator.kind === 'relation')
    throw new AssayError('unprocessable', `The table ${locator.table} is in a database that another engine reads.`)
  switch (locator.engine) {
    case 'SQLITE':
      return mountSqlite(context, locator)
    case 'DUCKDB':
      return mountDuckdb(context, locator)
  }
}

const otherEngine = (type: string) =>
  new AssayError('not-implemented', `Another engine reads sources of the type ${type}.`)

/** Emits everything in a source, as it is found. Rejects only if the source itself cannot be opened. */
export async function discoverSource(context: MountContext, source: Source, emit: Emit): Promise<void> {
  switch (source.sourceType) {
    case 'FILE':
    case 'AWS_S3':
      await discoverFiles(context, source, emit)
      break
    case 'SQLITE':
      await discoverSqlite(context, source.path, emit)
      break
    case 'DUCKDB':
      await discoverDuckdb(context, source.path, emit)
      break
    case 'KAFKA':
      await discoverTopics(context, source, emit)
      break
    case 'POSTGRESQL':
    case 'MYSQL':
    case 'MARIADB':
    case 'TRINO':
      throw otherEngine(source.sourceType)
    default:
      source satisfies never
  }
  context.crawl.assertReached()
}

/**
 * Opens a source and counts the tables that its names suggest; reads no data. Throws the errors of `discoverSource`,
 * and `invalid` if the source may not be read.
 */
export async function probeSource(
  context: MountContext,
  source: Source,
): Promise<{ tables: number; skipped: SkippedFiles }> {
  if (source.sourceType === 'KAFKA') return probeTopics(context, source)
  if (isDatabaseSource(source)) throw otherEngine(source.sourceType)
  if (source.sourceType === 'AWS_S3') return probeFiles(context, source)
  const refusal = await context.guard.refusal(source.path)
  if (refusal !== null) throw new AssayError('invalid', refusal)
  switch (source.sourceType) {
    case 'FILE':
      return probeFiles(context, source)
    case 'SQLITE':
      return probeSqlite(context, source.path)
    case 'DUCKDB':
      return probeDuckdb(context, source.path)
    default:
      return source satisfies never
  }
}
