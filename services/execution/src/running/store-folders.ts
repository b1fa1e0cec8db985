import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Artifacts } from '@assay/artifacts'
import { type RowSink, rowsInto } from '@assay/data-engine'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { ResultFile, ResultFolder } from './result-layout.ts'

/**
 * Stores each folder atomically. First removes everything below their keys and below `stale`, the keys of earlier
 * attempts. `from`: the folder with the engine's files. Throws `unavailable` with a sentence.
 */
export async function storeFolders(options: {
  artifacts: Artifacts
  tenant: string
  from: string
  folders: readonly ResultFolder[]
  stale?: readonly string[]
}): Promise<void> {
  const { artifacts, tenant, from, folders, stale = [] } = options
  const removeAll = async () => {
    for (const { key } of folders) await artifacts.remove(key)
  }
  for (const key of stale) await artifacts.remove(key)
  await removeAll()
  try {
    for (const folder of folders) await storeFolder(artifacts, tenant, from, folder)
  } catch (error) {
    // Removes a partial result. An error of the removal must not replace the original error.
    await removeAll().catch(() => undefined)
    throw error
  }
}

async function storeFolder(
  artifacts: Artifacts,
  tenant: string,
  from: string,
  { key, files }: ResultFolder,
): Promise<void> {
  const stage = await artifacts.stage(tenant)
  try {
    for (const file of files) await putFile(file, from, stage.folder)
    await stage.commit(key)
  } catch (error) {
    await stage.discard()
    throw error
  }
}

/** A sink that stores rows below a folder. Throws `unavailable` with a sentence. */
export function rowsStaged(folder: string): RowSink {
  const put = rowsInto(folder)
  return (part) => put(part).catch(failed)
}

async function putFile(file: ResultFile, from: string, folder: string): Promise<void> {
  const path = join(folder, file.name)
  await ('text' in file ? writeFile(path, file.text) : rename(join(from, file.from), path)).catch(failed)
}

function failed(error: unknown): never {
  if (isAssayError(error)) throw error
  const isFull = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
  const sentence = isFull
    ? 'The results could not be written: the disk of the result folder is full.'
    : 'The results could not be written to the result folder.'
  throw new AssayError('unavailable', sentence, { cause: error })
}
