import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Checks whether a file is a hard link to a file below `folders`; its real path would not show this. Reads the folders
 * only once, at the first file that has several names.
 */
export function createHardLinks(folders: readonly string[]): (path: string) => Promise<boolean> {
  let known: Promise<ReadonlySet<string>> | undefined
  return async (path) => {
    const identity = await identityOf(path)
    if (identity === null) return false
    known ??= identitiesIn(folders)
    return (await known).has(identity)
  }
}

/** Device and inode of a file with several names; null for any other file, or if there is no file. */
async function identityOf(path: string): Promise<string | null> {
  const info = await orNothing(lstat(path, { bigint: true }))
  return info?.isFile() && info.nlink > 1n ? `${info.dev}:${info.ino}` : null
}

/**
 * `null` if the folder of a run disappeared because the run ended. Rethrows any other error: otherwise a hard link to
 * one of Assay's own files could be missed.
 */
async function orNothing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null
    throw error
  }
}

async function identitiesIn(folders: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const open = [...folders]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of (await orNothing(readdir(folder, { withFileTypes: true }))) ?? []) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) open.push(path)
      const identity = entry.isFile() ? await identityOf(path) : null
      if (identity !== null) found.add(identity)
    }
  }
  return found
}
