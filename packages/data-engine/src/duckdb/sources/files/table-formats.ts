import { opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Table formats whose folder has a log or metadata that determines which files, and which of their rows, still count.
 */
export type TableFormat = 'Delta Lake' | 'Apache Iceberg' | 'Apache Hudi'

const marks: ReadonlySet<string> = new Set(['_delta_log', '.hoodie', 'metadata'])

/**
 * Whether a folder with an entry of this name can be the folder of such a table. A cheap check, for folders that were
 * already listed.
 */
export function isMarkOfTable(name: string): boolean {
  return marks.has(name)
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  )
}

async function hasIcebergMetadata(folder: string): Promise<boolean> {
  try {
    for await (const { name } of await opendir(folder)) if (/\.metadata\.json(\.gz)?$/i.test(name)) return true
    return false
  } catch {
    return false
  }
}

/** The format of the table whose root folder this is (absolute path), or null. Opens no file. */
export async function tableFormatAt(folder: string): Promise<TableFormat | null> {
  if (await isFolder(join(folder, '_delta_log'))) return 'Delta Lake'
  if (await isFolder(join(folder, '.hoodie'))) return 'Apache Hudi'
  return (await hasIcebergMetadata(join(folder, 'metadata'))) ? 'Apache Iceberg' : null
}

/** Why the files of such a table are not read. The text follows the name of a file or folder. */
export function whyNotLoose(format: TableFormat): string {
  return `belongs to a table of ${format}, which is not read: its files also contain rows that were deleted or replaced. Export the table as Parquet into another folder.`
}
