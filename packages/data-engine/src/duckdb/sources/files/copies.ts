import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AssayError } from '@assay/service-kit/errors'
import { partitionOf } from './format.ts'
import type { FoundFile } from './walk.ts'

const bytesInMb = 1_000_000

export interface Copy {
  /** Absolute. */
  path: string
  /** Bytes. */
  size: number
}

/** Copies of files that the engine cannot read directly. All files that one run mounts share one instance. */
export interface Copies {
  /**
   * Writes `chunks` to a file with a new name that ends with `ending`, in the same `key=value` folders as `file`. A
   * failed write leaves no file. Throws `too-large` if all copies together exceed the run's temporary space.
   */
  write(
    file: Pick<FoundFile, 'relative'>,
    ending: string,
    chunks: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Copy>
  /** Remaining MB, rounded up. */
  leftMb(): number
  /** Returns a function that removes the copies made after this call. */
  since(): () => Promise<void>
}

/**
 * Copies in `tempFolder` (absolute), of at most `maxTempMb` in total. Their names are numbers, because names of users'
 * files may have the maximum length, and several sources may use the same name.
 */
export function createCopies(tempFolder: string, maxTempMb: number): Copies {
  const folder = join(tempFolder, 'copies')
  const most = maxTempMb * bytesInMb
  const made: Copy[] = []
  let last = 0
  let used = 0

  async function* within(name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      used += chunk.length
      if (used > most) {
        const sentence = `${name} cannot be read as it is, and a copy needs more than the ${maxTempMb} MB of temporary space.`
        throw new AssayError('too-large', `${sentence} Raise the limit, or write the file again as clean UTF-8.`)
      }
      yield chunk
    }
  }

  return {
    async write(file, ending, chunks, signal) {
      last += 1
      const partitions = file.relative.split('/').slice(0, -1)
      const path = join(folder, ...partitions.filter((part) => partitionOf(part) !== null), `${last}${ending}`)
      const before = used
      await mkdir(dirname(path), { recursive: true })
      try {
        await pipeline(Readable.from(within(file.relative, chunks)), createWriteStream(path), { signal })
      } catch (error) {
        await rm(path, { force: true })
        used = before
        throw error
      }
      const copy = { path, size: used - before }
      made.push(copy)
      return copy
    },
    leftMb: () => Math.ceil((most - used) / bytesInMb),
    since() {
      const before = made.length
      return async () => {
        for (const { path, size } of made.splice(before)) {
          await rm(path, { force: true })
          used -= size
        }
      }
    },
  }
}
