import { lstat, open, opendir, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isWithin, type PathGuard } from '../../../path-access.ts'
import { type DatabaseEngine, databaseEngineOf, formatOf, maybeDatabase, mustBeDatabase } from './format.ts'
import { requireInside } from './inside.ts'
import { type TableFormat, tableFormatAt } from './table-formats.ts'
import type { FileTree, FoundAt } from './tree.ts'
import { assertUnchanged } from './unchanged.ts'
import { whyUnread } from './unread.ts'

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = []
  for await (const entry of await opendir(folder)) names.push(entry.name)
  return names.sort((a, b) => (a < b ? -1 : 1))
}

/** The engine whose signature is at the beginning of a file, or null. */
async function engineAt(path: string): Promise<DatabaseEngine | null> {
  const handle = await open(path, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(16), 0, 16, 0)
    return databaseEngineOf(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}

async function fileAt(root: string, relative: string, guard: PathGuard): Promise<FoundAt> {
  const path = relative === '' ? root : join(root, relative)
  const format = formatOf(relative === '' ? root : relative)
  const database = maybeDatabase(relative === '' ? root : relative)
  const own = await lstat(path)
  if (own.isSymbolicLink()) {
    const target = await realpath(path).catch(() => null)
    if (target === null) return format === null && !database ? null : { failed: 'is a broken link: it was skipped' }
    if (!isWithin(root, target)) return { failed: 'is a link that leads out of the source: it was skipped' }
    if (guard.isOwn(target)) return { failed: "is a link into Assay's own data folder: it was skipped" }
  }
  const info = own.isSymbolicLink() ? await stat(path) : own
  if (info.isDirectory()) return own.isSymbolicLink() ? { unread: 'Links to folders are not followed.' } : null
  if (!info.isFile()) return { unread: 'Only files are read: this is a pipe, a socket or a device.' }
  if (info.nlink > 1 && (await guard.refusal(path)) !== null)
    return { failed: "is a link into Assay's own data folder: it was skipped" }
  if (database) {
    const engine = await engineAt(path)
    if (engine !== null) return { relative, path, engine }
    return mustBeDatabase(path)
      ? { failed: 'is not a database file of SQLite or DuckDB: it is damaged or encrypted' }
      : { unread: 'This is not a database of SQLite or DuckDB.' }
  }
  if (format === null) return { unread: whyUnread(path) }
  return { relative, path, format, size: info.size, mtimeMs: info.mtimeMs }
}

/** The format of the table that contains a folder (absolute). Reads only folders that may be read. */
async function tableFormatAround(folder: string, guard: PathGuard): Promise<TableFormat | null> {
  if ((await guard.refusal(folder)) !== null) return null
  const format = await tableFormatAt(folder)
  if (format !== null) return format
  const parent = dirname(folder)
  return parent === folder ? null : tableFormatAround(parent, guard)
}

/** The files below a folder of this machine. `root`: absolute, links resolved. */
export function createLocalTree(root: string, guard: PathGuard): FileTree {
  return {
    root,
    names: (folder) => namesIn(join(root, folder)),
    async kindOf(relative) {
      const info = await lstat(join(root, relative))
      // The root is a real path, and links to folders are not followed. So this is the folder's real path.
      if (info.isDirectory() && guard.isOwn(join(root, relative))) return 'own'
      return info.isDirectory() ? 'folder' : 'file'
    },
    fileAt: (relative) => fileAt(root, relative, guard),
    tableFormatAt: (folder) => tableFormatAt(join(root, folder)),
    tableFormatAround: (folder) => tableFormatAround(join(root, folder), guard),
    async opened(_, set) {
      await requireInside(guard, root, set)
      return set.files
    },
    requireReadable: (set) => requireInside(guard, root, set),
    assertUnchanged: ({ files, name }, mayGrow) => assertUnchanged(files, name, mayGrow),
  }
}
