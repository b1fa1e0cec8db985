import { open, utimes } from 'node:fs/promises'
import type { Copies, Copy } from '../files/copies.ts'
import type { FoundFile } from '../files/tree.ts'
import { requestsFor, withRange } from './ranges.ts'
import type { ByteRange } from './store.ts'

/** Reads bytes of one object. */
export type ReadObject = (range?: ByteRange) => AsyncIterable<Uint8Array>

/** A file as long as an object, which contains the bytes fetched so far. All other bytes are holes. */
export interface PartialFile {
  file: FoundFile
  copy: Copy
  read: ReadObject
  /** Sorted, without overlaps. */
  present: ByteRange[]
}

/** Number of bytes in the first request for a footer. */
const usualFooter = 16 << 10
/** An object up to this size is fetched in one request. */
const smallObject = 64 << 10
/** Longer ranges are fetched by several concurrent requests. */
const longestRequest = 8 << 20
const footerEnd = 8

export const tooLarge = (name: string) => (maxMb: number) =>
  `The data to read of ${name} needs more than the ${maxMb} MB of temporary space. Raise the limit, or read a part of it.`

/** The requests for the wanted bytes that have not been fetched yet. */
export function missingParts(part: PartialFile, wanted: readonly ByteRange[]): ByteRange[] {
  return requestsFor(wanted, part.present, longestRequest)
}

/**
 * Fetches bytes into the file. Throws `unprocessable` with the reason from the store, or `too-large` if they exceed the
 * temporary space.
 */
export async function fetchInto(copies: Copies, part: PartialFile, range: ByteRange): Promise<void> {
  if (range.to <= range.from) return
  const { copy, file } = part
  copies.grow(copy, range.to - range.from, tooLarge(file.relative))
  const handle = await open(copy.path, 'r+')
  try {
    let at = range.from
    for await (const chunk of part.read(range)) {
      await handle.write(chunk, 0, chunk.length, at)
      at += chunk.length
    }
  } finally {
    await handle.close()
  }
  part.present = withRange(part.present, range)
}

/** Restores the time of a file, because the engine caches the footers of files whose time does not change. */
export async function keepTime({ copy, file }: PartialFile): Promise<void> {
  await utimes(copy.path, file.mtimeMs / 1000, file.mtimeMs / 1000)
}

/** Creates the file of a Parquet object, with its footer. */
export async function partialFile(copies: Copies, file: FoundFile, read: ReadObject): Promise<PartialFile> {
  const part: PartialFile = { file, read, present: [], copy: await copies.place(file, '.parquet') }
  const { size } = file
  const handle = await open(part.copy.path, 'w+')
  try {
    await handle.truncate(size)
    const first = size <= smallObject ? size : usualFooter
    await fetchInto(copies, part, { from: size - first, to: size })
    if (first < size) {
      const { buffer } = await handle.read(Buffer.alloc(footerEnd), 0, footerEnd, size - footerEnd)
      const footer = buffer.readUInt32LE(0) + footerEnd
      // Otherwise the object is not a Parquet file, which the engine reports.
      if (buffer.toString('latin1', 4) === 'PAR1' && footer > first && footer < size)
        await fetchInto(copies, part, { from: size - footer, to: size - first })
    }
  } finally {
    await handle.close()
  }
  await keepTime(part)
  return part
}
