import type { MountContext } from '../../mount.ts'
import { readCsv } from '../csv/table.ts'
import { readJson } from '../json/table.ts'
import { readParquet } from '../parquet/table.ts'
import type { FileReading, FileSet, Known } from './reading.ts'

/** Reads a set of files by its format. Errors: `unprocessable` with the file's name and what to do. */
export async function readFiles(context: MountContext, found: FileSet, known: Known | null): Promise<FileReading> {
  const set = { ...found, files: await found.tree.opened(context, found) }
  switch (set.format) {
    case 'CSV':
    case 'TSV':
      return readCsv(context, set, known)
    case 'JSON':
    case 'NDJSON':
      return readJson(context, set, known)
    case 'PARQUET':
      return readParquet(context, set, known)
  }
}
