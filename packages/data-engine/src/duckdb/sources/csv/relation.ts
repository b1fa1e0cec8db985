import { quoteName, textLiteral } from '../../../sql/quote.ts'
import { quoteColumns, quoteList } from '../sql.ts'
import { NULL_MARK } from './normalise.ts'
import type { CsvShape } from './shape.ts'

/** Files of the same shape, ready for the engine: strict, UTF-8. */
export interface CsvGroup {
  files: string[]
  shape: Pick<CsvShape, 'delimiter' | 'quote' | 'header' | 'names'>
  longest: number
}

export interface CsvReading {
  groups: CsvGroup[]
  nullValues: readonly string[]
  /** Partition columns, from the folder names, with their types. */
  partitions: { name: string; dataType: string }[]
}

/**
 * The reader's default limit for the length of a line. Its buffers are a multiple of the limit, so it is raised only if
 * needed.
 */
const DEFAULT_LINE = 2_000_000

function groupRelation(group: CsvGroup, reading: CsvReading, types: ReadonlyMap<string, string>): string {
  const { delimiter, quote, header, names } = group.shape
  const columns = names.map((name) => ({ name, dataType: types.get(name) ?? 'VARCHAR' }))
  const options = [
    'auto_detect = false',
    `delim = ${textLiteral(delimiter)}`,
    `quote = ${textLiteral(quote)}`,
    `escape = ${textLiteral(quote)}`,
    `header = ${header}`,
    `columns = ${quoteColumns(columns)}`,
    `nullstr = ${quoteList(['', NULL_MARK, ...reading.nullValues])}`,
    'allow_quoted_nulls = false',
    'strict_mode = true',
  ]
  if (group.longest >= DEFAULT_LINE / 2) {
    const line = group.longest + 1024
    options.push(`max_line_size = ${line}`, `buffer_size = ${line * 2}`, 'parallel = false')
  }
  if (reading.partitions.length > 0) {
    const hive = reading.partitions.map(({ name, dataType }) => `${quoteName(name)}: ${dataType}`)
    options.push('hive_partitioning = true', `hive_types = {${hive.join(', ')}}`)
  } else {
    options.push('hive_partitioning = false')
  }
  return `read_csv(${quoteList(group.files)}, ${options.join(', ')})`
}

/**
 * SQL that reads the groups as one table. Columns without a type are text; a column that a group lacks is NULL there.
 */
export function csvRelation(reading: CsvReading, types: ReadonlyMap<string, string>): string {
  const relations = reading.groups.map((group) => groupRelation(group, reading, types))
  const [only] = relations
  if (relations.length === 1 && only !== undefined) return only
  return `(${relations.map((relation) => `SELECT * FROM ${relation}`).join(' UNION ALL BY NAME ')})`
}
