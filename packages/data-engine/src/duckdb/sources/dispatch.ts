import type { DatasetLocator, Source } from '../../dataset.ts'
import type { MountContext, Mounted } from '../mount.ts'
import { discoverDuckdb, mountDuckdb, probeDuckdb } from './duckdb/file.ts'
import type { Emit } from './emit.ts'
import { discoverFiles, probeFiles } from './files/discover.ts'
import { mountFiles } from './files/mount.ts'
import { mountQuery } from './query/mount.ts'
import { discoverSqlite, probeSqlite } from './sqlite/discover.ts'
import { mountSqlite } from './sqlite/mount.ts'

/**
 * Makes one table of a crawl readable by SQL, before the lock-down.
 * Errors: `unprocessable` with the file's name and what to do (vanished, cut, no rights, not that format).
 */
export async function mountDataset(context: MountContext, locator: DatasetLocator): Promise<Mounted> {
  if (locator.kind === 'query') return mountQuery(context, locator, mountDataset)
  if (locator.kind === 'files') return mountFiles(context, locator)
  switch (locator.engine) {
    case 'SQLITE':
      return mountSqlite(context, locator)
    case 'DUCKDB':
      return mountDuckdb(context, locator)
  }
}

/** Tells everything that a source holds, as it comes to light. Rejects only where the source itself cannot be opened. */
export async function discoverSource(context: MountContext, source: Source, emit: Emit): Promise<void> {
  switch (source.sourceType) {
    case 'FILE':
      return discoverFiles(context, source, emit)
    case 'SQLITE':
      return discoverSqlite(context, source.path, emit)
    case 'DUCKDB':
      return discoverDuckdb(context, source.path, emit)
  }
}

/** Whether a source opens and how many tables its names promise; nothing is read. Errors as `discoverSource`. */
export async function probeSource(context: MountContext, source: Source): Promise<{ tables: number }> {
  switch (source.sourceType) {
    case 'FILE':
      return probeFiles(context, source)
    case 'SQLITE':
      return probeSqlite(source.path)
    case 'DUCKDB':
      return probeDuckdb(context, source.path)
  }
}
