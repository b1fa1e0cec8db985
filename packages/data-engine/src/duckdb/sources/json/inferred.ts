import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import type { DuckDBDataChunk } from '@duckdb/node-api'
import type { MountContext } from '../../mount.ts'
import { describe } from '../sql.ts'
import { type Column, filesOf, type JsonSet, objects, readerOptions, usualLargest } from './reader.ts'

/**
 * Number of files that the engine may infer types of in one statement. It reserves about 45 MB of address space for
 * each until the statement ends, and a process has about 700 MB of address space at the least.
 */
const filesAtOnce = 4

/** In characters. */
const pieceLength = 1_000_000

const pack = promisify(zstdCompress)

const inferredBy = async ({ connection }: MountContext, set: JsonSet): Promise<Column[]> => {
  const keys = new Set(set.partitions.map(({ name }) => name))
  const source = `read_json(${filesOf(set)}, sample_size = -1, maximum_sample_files = ${set.files.length},
    union_by_name = true, ${readerOptions(set)})`
  return (await describe(connection, source)).filter(({ name }) => !keys.has(name))
}

/**
 * All values as JSON texts, in chunks. Reads the files one after the other, because the engine holds many values at once
 * for a statement over several files.
 */
async function* chunks({ connection, signal }: MountContext, set: JsonSet): AsyncGenerator<DuckDBDataChunk> {
  for (const file of set.files.filter(({ size }) => size > 0)) {
    const result = await connection.stream(`SELECT CAST(json AS VARCHAR) FROM ${objects({ ...set, files: [file] })}`)
    for (;;) {
      signal.throwIfAborted()
      const chunk = await result.fetchChunk()
      if (chunk === null || chunk.rowCount === 0) break
      yield chunk
    }
  }
}

/**
 * The values as packed lines, in pieces of about `pieceLength`. Converts the values of a chunk one by one: it has up to
 * 2,048, and each may be large.
 */
async function* lines(context: MountContext, set: JsonSet): AsyncGenerator<Uint8Array> {
  let piece: string[] = []
  let length = 0
  for await (const chunk of chunks(context, set)) {
    const values = chunk.getColumnVector(0)
    for (let row = 0; row < chunk.rowCount; row += 1) {
      const text = String(values.getItem(row))
      piece.push(text, '\n')
      length += text.length + 1
      if (length < pieceLength) continue
      context.signal.throwIfAborted()
      yield await pack(piece.join(''))
      piece = []
      length = 0
    }
  }
  if (length > 0) yield await pack(piece.join(''))
}

/** The same values as one packed file of lines, in the run's folder. */
async function joined(context: MountContext, set: JsonSet): Promise<JsonSet> {
  const { copies, signal } = context
  const file = { relative: 'joined' }
  const tooLarge = (maxMb: number) =>
    `${set.name} has columns whose types differ between its files, and a copy of all values needs more than the ${maxMb} MB of temporary space. Raise the limit.`
  const copy = await copies.write(file, '.ndjson.zst', lines(context, set), signal, tooLarge)
  return { ...set, partitions: [], files: [{ ...copy, ...file, format: 'NDJSON', mtimeMs: 0 }] }
}

async function inferredJoined(context: MountContext, set: JsonSet): Promise<Column[]> {
  const removeCopies = context.copies.since()
  try {
    return await inferredBy(context, await joined(context, set))
  } finally {
    await removeCopies()
  }
}

/**
 * The columns of all files together, as the engine infers them from all values; a single column `json` if the values
 * are not objects with the same keys. Types that all files agree on need no more memory for many files than for one.
 * Otherwise, the values are copied into one file, because only the engine itself can combine types.
 */
export async function inferredColumns(context: MountContext, set: JsonSet): Promise<Column[]> {
  const atOnce = Math.max(1, Math.floor((filesAtOnce * usualLargest) / set.largest))
  const files = set.files.filter(({ size }) => size > 0)
  if (files.length <= atOnce) return inferredBy(context, set)
  let first: Column[] | undefined
  for (let at = 0; at < files.length; at += atOnce) {
    context.signal.throwIfAborted()
    const some = await inferredBy(context, { ...set, files: files.slice(at, at + atOnce) })
    first ??= some
    if (JSON.stringify(some) !== JSON.stringify(first)) return inferredJoined(context, set)
  }
  return first ?? []
}
