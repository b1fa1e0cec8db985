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
  const info = await lstat(path, { bigint: true }).catch(() => null)
  return info?.isFile() && info.nlink > 1n ? `${info.dev}:${info.ino}` : null
}

async function identitiesIn(folders: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const open = [...folders]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    // A run that ends meanwhile takes its folder with it.
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) open.push(path)
      const identity = entry.isFile() ? await identityOf(path) : null
      if (identity !== null) found.add(identity)
    }
  }
  return found
}
