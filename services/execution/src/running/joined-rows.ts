import { createWriteStream } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Artifacts } from '@assay/artifacts'
import type { KeptRowFiles, KeptRows } from '@assay/data-engine'
import { z } from 'zod'
import type { KeptFile } from '../execution/run.ts'

/** Larger files are not copied: reading all rows again is not much slower. */
const maxBytes = 256 * 1024 * 1024
const maxPreview = 100

const previewRows = z.object({
  rows: z.array(z.object({ values: z.record(z.string(), z.unknown()), ruleItemIds: z.array(z.int()) })),
})

/**
 * The stored rows of an earlier run and those of this run, `now`, as one file in `folder`. `undefined` if the earlier
 * rows are gone or too large. Throws the errors of the engine and the artifacts.
 */
export async function joinedRows(
  { engine, artifacts }: { engine: KeptRowFiles; artifacts: Pick<Artifacts, 'open' | 'readText'> },
  { tenant, folder, signal }: { tenant: string; folder: string; signal: AbortSignal },
  before: KeptFile | null,
  now: KeptRows | null,
): Promise<KeptRows | null | undefined> {
  if (now === null || before === null || before.file === null) return now
  const text = await artifacts.readText(`${before.key}/${before.previewFile}`)
  const preview = text === undefined ? undefined : previewRows.safeParse(JSON.parse(text)).data
  const opened = preview && (await artifacts.open(`${before.key}/${before.file}`))
  if (preview === undefined || opened === undefined) return undefined
  if (opened.sizeBytes > maxBytes) {
    opened.stream.destroy()
    return undefined
  }
  const { format: from } = before
  const extension = from.toLowerCase()
  const [parts, output] = [join(folder, 'joining'), join(folder, 'joined')]
  for (const own of [parts, output]) await mkdir(own, { recursive: true })
  const file = join(parts, `earlier.${extension}`)
  await pipeline(opened.stream, createWriteStream(file), { signal })
  const [own] = now.files
  const name = own ?? `bad/part-0.${extension}`
  const target = join(folder, name)
  await mkdir(dirname(target), { recursive: true })
  if (own === undefined) await rename(file, target)
  else {
    const later = join(parts, `later.${extension}`)
    await rename(target, later)
    const outputFile = join(output, `rows.${extension}`)
    const request = { file, more: [later], from, to: from, mask: null, maskText: '' }
    await engine.rewrite(request, { tenant, signal, purpose: 'job', outputFile })
    await rename(outputFile, target)
  }
  const rows = [...preview.rows, ...now.preview].slice(0, maxPreview)
  return { count: before.rows + now.count, files: [name], preview: rows }
}
