import { stat } from 'node:fs/promises'
import { refused } from '../failures.ts'
import type { FoundFile } from './walk.ts'

/**
 * Rejects with `unprocessable` when one of the files is not what it was when it was mounted. A run reads its files more
 * than once, and its figures have to be of one state of them. `mayGrow`: files may have got longer, and the answer is
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
