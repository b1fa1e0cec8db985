import { realpath } from 'node:fs/promises'
import { isWithin, type PathGuard } from '../../../path-access.ts'
import { refused, unreadable } from '../failures.ts'
import type { ReadableFiles } from './tree.ts'

const atOnce = 32

/**
 * Rejects with `unprocessable` unless every file of a set is still in its source and may be read. A file, or a folder
 * above it, may have been replaced by a link since it was found. A missing file is ignored here and reported when it is
 * opened.
 */
export async function requireInside(guard: PathGuard, root: string, { name, files }: ReadableFiles): Promise<void> {
  for (let first = 0; first < files.length; first += atOnce) {
    await Promise.all(
      files.slice(first, first + atOnce).map(async ({ path, relative }) => {
        const real = await realpath(path).catch((error: unknown) => {
          throw unreadable(error, relative || name)
        })
        if (!isWithin(root, real)) throw refused(relative || name, 'is a link that leads out of the source')
        const refusal = await guard.refusal(real)
        if (refusal !== null) throw refused(relative || name, refusal)
      }),
    )
  }
}
