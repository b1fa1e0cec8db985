import { realpath } from 'node:fs/promises'
import { isWithin, type PathGuard } from '../../../path-access.ts'
import { refused, unreadable } from '../failures.ts'
import type { FileSet } from './reading.ts'

const atOnce = 32

/**
 * Rejects with `unprocessable` unless every file of a set is in its source and may be read: since it was found, a file
 * or a folder above it may have become a link. A missing file is ignored here and reported when it is opened.
 */
export async function requireInside(guard: PathGuard, { root, name, files }: FileSet): Promise<void> {
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
