import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { knownEncoding } from '../../../dataset.ts'
import { refused } from '../failures.ts'

const CHUNK = 1 << 20

function decoderFor(encoding: string, name: string): string {
  const known = knownEncoding(encoding)
  if (known === null) {
    throw refused(name, `cannot be read in the encoding '${encoding}': use utf-8, utf-16, latin-1 or windows-1252`)
  }
  return known
}

/** Small files get a small buffer, because garbage collection of large buffers took most of the time of a crawl. */
async function chunkOf(file: string): Promise<number> {
  const { size } = await stat(file)
  return size === 0 ? CHUNK : Math.min(CHUNK, size + 1)
}

function unpacked(file: string, highWaterMark: number): Readable {
  const raw = createReadStream(file, { highWaterMark })
  if (!/\.(gz|zst)$/i.test(file)) return raw
  const unpack = file.toLowerCase().endsWith('.gz')
    ? createGunzip({ chunkSize: CHUNK })
    : createZstdDecompress({ chunkSize: CHUNK })
  // The reader of the last stream gets the error. This callback only prevents an unhandled error.
  return pipeline(raw, unpack, () => {})
}

async function firstBytes(file: string, count: number): Promise<Buffer> {
  if (!/\.(gz|zst)$/i.test(file)) {
    const handle = await open(file, 'r')
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(count), 0, count, 0)
      return buffer.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  }
  let first: Buffer = Buffer.alloc(0)
  for await (const chunk of unpacked(file, CHUNK)) {
    first = Buffer.concat([first, chunk])
    if (first.length >= count) break
  }
  return first
}

/** The encoding from the byte order mark (BOM) of a file, which may be compressed; null without a BOM. */
export async function bomOf(file: string): Promise<'utf-8' | 'utf-16le' | 'utf-16be' | null> {
  const [a, b, c] = await firstBytes(file, 3)
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  return a === 0xef && b === 0xbb && c === 0xbf ? 'utf-8' : null
}

/** UTF-16 if the BOM says so, otherwise the requested encoding. */
function encodingOf(bom: Awaited<ReturnType<typeof bomOf>>, requested: string | undefined, name: string): string {
  if (bom !== null && bom !== 'utf-8') return bom
  return requested === undefined ? 'utf-8' : decoderFor(requested, name)
}

async function* withoutBom(chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let first = true
  for await (const chunk of chunks) {
    const hasBom = first && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf
    yield hasBom ? chunk.subarray(3) : chunk
    first = false
  }
}

async function* decoded(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    if (text.length > 0) yield Buffer.from(text, 'utf8')
  }
  const rest = decoder.decode()
  if (rest.length > 0) yield Buffer.from(rest, 'utf8')
}

/** A text file, decoded to UTF-8. */
export interface TextFile {
  /** Its content as UTF-8, decompressed, without a byte order mark. Invalid bytes of a UTF-8 file stay unchanged. */
  chunks(): AsyncIterable<Uint8Array>
  /** Whether the file is UTF-8, or is assumed to be, so that it needs no decoding. */
  utf8: boolean
  /** Whether the encoding is a guess, because neither an option nor a byte order mark specifies it. */
  isGuess: boolean
}

/**
 * Opens a text file. `name` is its name for messages. Throws file system errors, and `unprocessable` for an unknown
 * encoding.
 */
export async function openText(file: string, encoding: string | undefined, name: string): Promise<TextFile> {
  const bom = await bomOf(file)
  const size = await chunkOf(file)
  const actual = encodingOf(bom, encoding, name)
  const utf8 = actual === 'utf-8'
  return {
    utf8,
    isGuess: bom === null && encoding === undefined,
    chunks: () => (utf8 ? withoutBom(unpacked(file, size)) : decoded(unpacked(file, size), actual)),
  }
}

/** Bytes that have no character in windows-1252. */
const unassigned: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])

/** The first line with a non-ASCII byte if all such bytes are characters of windows-1252; otherwise `null`. */
export async function windows1252At(file: TextFile): Promise<number | null> {
  let line = 1
  let first: number | null = null
  for await (const chunk of file.chunks()) {
    for (const byte of chunk) {
      if (unassigned.has(byte)) return null
      if (byte === 0x0a && first === null) line += 1
      else if (byte >= 0x80) first ??= line
    }
  }
  return first
}
