import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Says whether a file is another name of one below `folders`, of which its real path tells nothing. The folders are read once,
 * and only when a file comes that has several names.
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

/** Device and inode of a file that has several names; null for any other, and where nothing is. */
async function identityOf(path: string): Promise<string | null> {
  const info = await orNothing(lstat(path, { bigint: true }))
  return info?.isFile() && info.nlink > 1n ? `${info.dev}:${info.ino}` : null
}

/** A run that ends meanwhile takes its folder with it. Whatever else goes wrong leaves unknown what is ours, and is told. */
async function orNothing<T>(look: Promise<T>): Promise<T | null> {
  try {
    return await look
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
