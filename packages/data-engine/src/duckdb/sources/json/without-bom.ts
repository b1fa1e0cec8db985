import type { MountContext } from '../../mount.ts'
import { bomOf, openText } from '../csv/bytes.ts'
import { unreadable } from '../failures.ts'
import type { FileSet } from '../files/reading.ts'
import type { FoundFile } from '../files/tree.ts'

async function fileWithoutBom(context: MountContext, file: FoundFile): Promise<FoundFile> {
  try {
    if (file.size === 0 || (await bomOf(file.path)) === null) return file
    const text = await openText(file.path, undefined, file.relative)
    return { ...file, ...(await context.copies.write(file, '.json', text.chunks(), context.signal)) }
  } catch (error) {
    context.signal.throwIfAborted()
    throw unreadable(error, file.relative)
  }
}

/**
 * Replaces each file that has a byte order mark (BOM) by a UTF-8 copy without it, in the run's folder. The engine would
 * read a list after a BOM as one value, and it cannot read UTF-16.
 */
export async function withoutBom(context: MountContext, set: FileSet): Promise<FileSet> {
  const files: FoundFile[] = []
  for (const file of set.files) files.push(await fileWithoutBom(context, file))
  return { ...set, files }
}
