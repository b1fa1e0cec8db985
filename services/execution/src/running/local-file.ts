import { createWriteStream } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Artifacts } from '@assay/artifacts'

/** The path of a stored file, of which `folder` gets a copy if it is not on this machine. `undefined`: it is gone. */
export async function localFile(
  artifacts: Pick<Artifacts, 'open'>,
  key: string,
  folder: string,
): Promise<string | undefined> {
  const opened = await artifacts.open(key)
  if (opened === undefined) return undefined
  const { path, stream } = opened
  if (path !== undefined) {
    stream.destroy()
    return path
  }
  const copy = join(folder, basename(key))
  await pipeline(stream, createWriteStream(copy))
  return copy
}
