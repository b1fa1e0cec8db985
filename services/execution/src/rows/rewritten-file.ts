import { createReadStream, createWriteStream } from 'node:fs'
import { link, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import type { Artifacts, OpenedFile } from '@assay/artifacts'
import { maskText } from '@assay/contracts'
import type { KeptRowFiles, Mask, PageOfItem, RowFormat, RowOrder } from '@assay/data-engine'
import { engineMask } from './mask.ts'

export interface RewrittenFile {
  sizeBytes: number
  stream: Readable
  /** The total number of rows if the file has a page; `null` means the file has all rows. */
  count: number | null
}

/** Links `file` to the file at `path`, whatever its size. False if the file system does not support links. */
async function linked(path: string | undefined, file: string): Promise<boolean> {
  if (path === undefined) return false
  return link(path, file).then(
    () => true,
    () => false,
  )
}

/**
 * Stored rows in another format, or masked. The engine's child process writes them to a folder that is removed when the
 * stream ends or fails. Throws the errors of the engine and the artifacts.
 */
export async function rewrittenFile(
  deps: { artifacts: Artifacts; engine: KeptRowFiles },
  request: {
    tenant: string
    source: Pick<OpenedFile, 'stream' | 'path'>
    from: RowFormat
    to: RowFormat
    mask: Mask | null
    order?: RowOrder | undefined
    shownItems?: readonly number[] | undefined
    only?: PageOfItem | undefined
    signal: AbortSignal
  },
): Promise<RewrittenFile> {
  const { tenant, source, from, to, mask, order, shownItems, only, signal } = request
  const stage = await deps.artifacts.stage(tenant)
  try {
    const [stored, output] = ['stored', 'output'].map((name) => join(stage.folder, name)) as [string, string]
    await mkdir(stored)
    await mkdir(output)
    const file = join(stored, `rows.${from.toLowerCase()}`)
    if (await linked(source.path, file)) source.stream.destroy()
    else await pipeline(source.stream, createWriteStream(file), { signal })
    const outputFile = join(output, `rows.${to.toLowerCase()}`)
    const asked = { file, from, to, mask: engineMask(mask), maskText, order, shownItems, only }
    const count = await deps.engine.rewrite(asked, { tenant, outputFile, signal })
    const { size: sizeBytes } = await stat(outputFile)
    const stream = createReadStream(outputFile)
    void finished(stream)
      .catch(() => undefined)
      .then(() => stage.discard())
      .catch(() => undefined)
    return { sizeBytes, stream, count }
  } catch (error) {
    await stage.discard().catch(() => undefined)
    throw error
  }
}
