import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import type { MountContext } from '../../mount.ts'
import { describe } from '../sql.ts'
import { type Column, filesOf, type JsonSet, objects, readerOptions, usualLargest } from './reader.ts'

/**
 * Number of files that the engine may infer types of in one statement. It reserves about 45 MB of address space for
 * each until the statement ends, and a process has about 700 MB of address space at the least.
 */
const filesAtOnce = 4

const pack = promisify(zstdCompress)

const inferredBy = async ({ connection }: MountContext, set: JsonSet): Promise<Column[]> => {
  const keys = new Set(set.partitions.map(({ name }) => name))
  const source = `read_json(${filesOf(set)}, sample_size = -1, maximum_sample_files = ${set.files.length},
    union_by_name = true, ${readerOptions(set)})`
  return (await describe(connection, source)).filter(({ name }) => !keys.has(name))
}

async function* lines({ connection, signal }: MountContext, set: JsonSet): AsyncGenerator<Uint8Array> {
  const result = await connection.stream(`SELECT CAST(json AS VARCHAR) FROM ${objects(set)}`)
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    signal.throwIfAborted()
    yield await pack(
      chunk
        .getColumnValues(0)
        .map((value) => `${value}\n`)
        .join(''),
    )
  }
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
