import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AssayError } from '@assay/service-kit/errors'
import { partitionOf } from './format.ts'
import type { FoundFile } from './tree.ts'

const bytesInMb = 1_000_000

export interface Copy {
  /** Absolute path. */
  path: string
  /** Size in bytes. */
  size: number
}

/** Why copies may be too large, as a sentence. `maxMb`: the limit for all copies together. */
type TooLarge = (maxMb: number) => string

/** Copies of files that the engine cannot read directly. All files that one run mounts share one instance of this. */
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
    tooLarge?: TooLarge,
  ): Promise<Copy>
  /** A new name for a file, as in `write`. The caller makes the file and reports each part with `grow`. */
  place(file: Pick<FoundFile, 'relative'>, ending: string): Promise<Copy>
  /** Adds the size of bytes before they are stored. Throws `too-large`. */
  grow(copy: Copy, bytes: number, tooLarge: TooLarge): void
  /** Whether a copy still exists. */
  has(copy: Copy): boolean
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
  const removed = new WeakSet<Copy>()
  let last = 0
  let used = 0

  const spend = (bytes: number, tooLarge: TooLarge) => {
    if (used + bytes > most) throw new AssayError('too-large', tooLarge(maxTempMb))
    used += bytes
  }

  async function* within(chunks: AsyncIterable<Uint8Array>, tooLarge: TooLarge): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      spend(chunk.length, tooLarge)
      yield chunk
    }
  }

  async function newPath(file: Pick<FoundFile, 'relative'>, ending: string): Promise<string> {
    last += 1
    const partitions = file.relative.split('/').slice(0, -1)
    const path = join(folder, ...partitions.filter((part) => partitionOf(part) !== null), `${last}${ending}`)
    await mkdir(dirname(path), { recursive: true })
    return path
  }

  const cleaned = (name: string) => (maxMb: number) =>
    `${name} cannot be read as it is, and a copy needs more than the ${maxMb} MB of temporary space. Raise the limit, or write the file again as clean UTF-8.`

  return {
    async write(file, ending, chunks, signal, tooLarge = cleaned(file.relative)) {
      const path = await newPath(file, ending)
      const before = used
      try {
        await pipeline(Readable.from(within(chunks, tooLarge)), createWriteStream(path), { signal })
      } catch (error) {
        await rm(path, { force: true })
        used = before
        throw error
      }
      const copy = { path, size: used - before }
      made.push(copy)
      return copy
    },
    async place(file, ending) {
      const copy = { path: await newPath(file, ending), size: 0 }
      made.push(copy)
      return copy
    },
    grow(copy, bytes, tooLarge) {
      spend(bytes, tooLarge)
      copy.size += bytes
    },
    has: (copy) => !removed.has(copy),
    leftMb: () => Math.ceil((most - used) / bytesInMb),
    since() {
      const before = made.length
      return async () => {
        for (const copy of made.splice(before)) {
          removed.add(copy)
          await rm(copy.path, { force: true })
          used -= copy.size
        }
      }
    },
  }
}
