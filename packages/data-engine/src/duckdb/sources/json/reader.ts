import { quoteName } from '../../../sql/quote.ts'
import { literalPath } from '../files/glob.ts'
import type { FileSet } from '../files/reading.ts'
import { quoteList } from '../sql.ts'

export interface Column {
  name: string
  dataType: string
}

/** Files of JSON with the options to read them. */
export interface JsonSet extends FileSet {
  /** Bytes of the largest value that can be read. The engine reserves a multiple of this per file and per thread. */
  largest: number
  partitions: readonly Column[]
}

/** The engine's own limit, which cannot be lowered. */
export const usualLargest = 16 << 20
const LARGEST_VALUE = 512 << 20

function packed(path: string): number {
  return /\.(gz|zst)$/i.test(path) ? 20 : 1
}

/** An upper limit for the bytes of a value in these files. A file that is one object is one value. */
export function mostOf(set: FileSet): number {
  const sizes = set.files.map((file) => file.size * packed(file.path))
  return Math.min(
    LARGEST_VALUE,
    sizes.reduce((most, size) => Math.max(most, size), usualLargest),
  )
}

export function readerOptions({ largest, partitions }: JsonSet): string {
  const hive = partitions.map(({ name, dataType }) => `${quoteName(name)}: ${dataType}`).join(', ')
  return [
    `maximum_object_size = ${largest}`,
    // Only ISO 8601 is a date: 12-13-2020 stays text.
    "dateformat = '%Y-%m-%d'",
    "timestampformat = '%Y-%m-%dT%H:%M:%SZ'",
    hive === '' ? 'hive_partitioning = false' : `hive_partitioning = true, hive_types = {${hive}}`,
  ].join(', ')
}

export function filesOf(set: FileSet): string {
  return quoteList(set.files.filter((file) => file.size > 0).map((file) => literalPath(file.path)))
}

/** A relation of values, each as JSON: the elements of lists, or objects one after the other. */
export function objects(set: JsonSet): string {
  return `read_json(${filesOf(set)}, records = false, columns = {'json': 'JSON'}, ${readerOptions(set)})`
}
