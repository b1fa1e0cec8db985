import { stat } from 'node:fs/promises'
import { refused } from '../failures.ts'
import type { FoundFile } from './tree.ts'

/**
 * Rejects with `unprocessable` if one of the files has changed since it was mounted. A run reads its files several
 * times, and its results must describe one state of them. `mayGrow`: files may have become longer, and the result says
 * whether one has.
 */
export async function assertUnchanged(files: readonly FoundFile[], name: string, mayGrow: boolean): Promise<boolean> {
  let hasGrown = false
  for (const { path, size, mtimeMs } of files) {
    const now = await stat(path).catch(() => null)
    const isSame = now !== null && now.size === size && now.mtimeMs === mtimeMs
    if (isSame) continue
    if (!mayGrow || now === null || now.size <= size)
      throw refused(name, 'changed while it was being read: run it again')
    hasGrown = true
  }
  return hasGrown
}
