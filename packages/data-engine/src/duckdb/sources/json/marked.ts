import type { MountContext } from '../../mount.ts'
import { markOf, openText } from '../csv/bytes.ts'
import { unreadable } from '../failures.ts'
import type { FileSet } from '../files/reading.ts'
import type { FoundFile } from '../files/walk.ts'

async function unmarked(context: MountContext, file: FoundFile): Promise<FoundFile> {
  try {
    if (file.size === 0 || (await markOf(file.path)) === null) return file
    const text = await openText(file.path, undefined, file.relative)
    return { ...file, ...(await context.copies.write(file, '.json', text.chunks(), context.signal)) }
  } catch (error) {
    context.signal.throwIfAborted()
    throw unreadable(error, file.relative)
  }
}

/**
 * The set, in which files with a byte order mark are replaced by UTF-8 copies without it in the run's folder. The
 * engine reads a list after a mark as one value, and cannot read UTF-16.
 */
export async function withoutMarks(context: MountContext, set: FileSet): Promise<FileSet> {
  const files: FoundFile[] = []
  for (const file of set.files) files.push(await unmarked(context, file))
  return { ...set, files }
}
