import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredFile } from '../port.ts'
import { isAbsent } from './errors.ts'

const maxWalks = 20

/** Something was removed during the walk. */
const changed = Symbol('changed')

async function walk(path: string, key: string, found: StoredFile[]): Promise<typeof changed | undefined> {
  let names: { name: string; isDirectory(): boolean; isFile(): boolean }[]
  try {
    names = await readdir(path, { withFileTypes: true })
  } catch (error) {
    if (isAbsent(error)) return changed
    throw error
  }
  for (const entry of names) {
    const below = { path: join(path, entry.name), key: `${key}/${entry.name}` }
    if (entry.isDirectory()) {
      if ((await walk(below.path, below.key, found)) === changed) return changed
    } else if (entry.isFile()) {
      const size = await sizeOf(below.path)
      if (size === undefined) return changed
      found.push({ key: below.key, sizeBytes: size })
    }
  }
  return undefined
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const { size } = await lstat(path)
    return size
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/**
 * The files at or below `path`, by key. Links are skipped. If something is removed during the walk, the walk restarts,
 * so that a folder is listed either completely or not at all. After several restarts, the result of the last walk
 * counts.
 */
export async function listed(path: string, key: string): Promise<StoredFile[]> {
  let found: StoredFile[] = []
  for (let walks = 0; walks < maxWalks; walks++) {
    found = []
    let isFolder: boolean
    try {
      const stats = await lstat(path)
      if (stats.isFile()) return [{ key, sizeBytes: stats.size }]
      isFolder = stats.isDirectory()
    } catch (error) {
      if (isAbsent(error)) return []
      throw error
    }
    if (!isFolder || (await walk(path, key, found)) !== changed) break
  }
  return found.toSorted((a, b) => (a.key < b.key ? -1 : 1))
}
