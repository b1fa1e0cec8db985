import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
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

/** The encoding that a byte order mark tells, or the one that was asked for. */
async function encodingOf(file: string, asked: string | undefined, name: string): Promise<string> {
  const handle = await open(file, 'r')
  try {
    const mark = Buffer.alloc(2)
    await handle.read(mark, 0, 2, 0)
    if (mark[0] === 0xff && mark[1] === 0xfe) return 'utf-16le'
    if (mark[0] === 0xfe && mark[1] === 0xff) return 'utf-16be'
    return asked === undefined ? 'utf-8' : decoderFor(asked, name)
  } finally {
    await handle.close()
  }
}

function unpacked(file: string): Readable {
  const raw = createReadStream(file, { highWaterMark: CHUNK })
  if (!/\.(gz|zst)$/i.test(file)) return raw
  const unpack = file.toLowerCase().endsWith('.gz')
    ? createGunzip({ chunkSize: CHUNK })
    : createZstdDecompress({ chunkSize: CHUNK })
  // The error reaches whoever reads the last stream; the callback only keeps it from being thrown twice.
  return pipeline(raw, unpack, () => {})
}

async function* withoutMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let first = true
  for await (const chunk of chunks) {
    const marked = first && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf
    yield marked ? chunk.subarray(3) : chunk
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

/** A text file as the engine could read it by itself (`native`), or not. */
export interface TextFile {
  /** Its bytes as UTF-8, unpacked, without a byte order mark; bytes that are not UTF-8 in a UTF-8 file stay as they are. */
  chunks(): AsyncIterable<Uint8Array>
  /** The file is UTF-8 (or claims to be): no decoding is needed. */
  utf8: boolean
}

/** Opens a text file. `name` is what people call it, for messages. Errors: those of the file system; `unprocessable`: encoding. */
export async function openText(file: string, encoding: string | undefined, name: string): Promise<TextFile> {
  const packed = /\.(gz|zst)$/i.test(file)
  const actual = packed ? decoderFor(encoding ?? 'utf-8', name) : await encodingOf(file, encoding, name)
  const utf8 = actual === 'utf-8'
  return { utf8, chunks: () => (utf8 ? withoutMark(unpacked(file)) : decoded(unpacked(file), actual)) }
}
