import { basename, dirname } from 'node:path'
import type { Discovered } from '../../../dataset.ts'
import type { MountContext } from '../../mount.ts'
import { discoverDuckdb, probeDuckdb } from '../duckdb/file.ts'
import type { Emit } from '../emit.ts'
import { failedAt, hasBrokenDown } from '../failures.ts'
import { discoverSqlite, probeSqlite } from '../sqlite/discover.ts'
import { folderParts } from './tables.ts'
import type { FoundDatabase } from './tree.ts'

/**
 * The number of tables of a database file in a folder. A database that cannot be opened counts as one table, like other
 * files.
 */
export async function probeDatabase(context: MountContext, root: string, file: FoundDatabase): Promise<number> {
  try {
    const probed =
      file.engine === 'SQLITE'
        ? await probeSqlite(context, file.path, root)
        : await probeDuckdb(context, file.path, root)
    return probed.tables
  } catch (error) {
    context.signal.throwIfAborted()
    if (hasBrokenDown(error)) throw error
    return 1
  }
}

/**
 * Turns a discovery of a database into one of the folder. Its path is below the file's folders and the file's name; its
 * locator has the source's root. The number of tables is left out, because the crawl of the folder reports it.
 */
function inFolder(found: Discovered, file: FoundDatabase, root: string): Discovered | null {
  const folders = folderParts(dirname(file.relative))
  const name = basename(file.relative)
  const below = (path: readonly string[]) => [...folders, name, ...path.slice(1)]
  switch (found.kind) {
    case 'found':
      return null
    case 'container':
      return found.assetType === 'DATABASE' ? { ...found, path: folders, name } : { ...found, path: below(found.path) }
    case 'table':
      return {
        ...found,
        path: below(found.path),
        locator: found.locator.kind === 'table' ? { ...found.locator, root } : found.locator,
        ...(found.reads === undefined ? {} : { reads: found.reads.map(below) }),
      }
    case 'failed':
      return { ...found, path: `${file.relative}/${found.path}` }
    case 'skipped':
      return null
    default:
      return found satisfies never
  }
}

/** Crawls a database in a folder. A database that cannot be opened is reported as failed. */
export async function discoverDatabase(
  context: MountContext,
  root: string,
  file: FoundDatabase,
  emit: Emit,
): Promise<void> {
  const emitInFolder = (found: Discovered) => {
    const here = inFolder(found, file, root)
    return here === null ? undefined : emit(here)
  }
  const { crawl } = context
  // Opening the database may kill the child.
  if (!(await crawl.shouldOpen(file.relative)) && crawl.endedAt(file.relative)) return
  const pathOf = (table: string) => `${file.relative}/${table}`
  try {
    if (file.engine === 'SQLITE') await discoverSqlite(context, file.path, emitInFolder, root, pathOf)
    else await discoverDuckdb(context, file.path, emitInFolder, root, pathOf)
  } catch (error) {
    context.signal.throwIfAborted()
    emit(failedAt(file.relative, error))
  }
}
