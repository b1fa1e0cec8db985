import { columnType } from './column-type.ts'
import { type Fragment, raw } from './fragment.ts'
import { textLiteral } from './quote.ts'

function fileList(files: readonly string[]): string {
  return `[${files.map(textLiteral).join(', ')}]`
}

/** Rows and row groups by the footers. */
export function footerTotals(files: readonly string[]): Fragment {
  return raw(`SELECT sum(num_rows), sum(num_row_groups) FROM parquet_file_metadata(${fileList(files)})`)
}

/** Whether least and largest values in footers are exact for a type: whole numbers in one of the two integer encodings. */
export function hasExactBounds(dataType: string): boolean {
  const type = columnType(dataType)
  if (type.family === 'integer') return type.min < 0n
  if (type.family === 'decimal') return type.precision <= 18
  return type.family === 'date' || dataType === 'TIMESTAMP' || dataType === 'TIMESTAMP WITH TIME ZONE'
}

/** How many values of the answer of `footerColumns` belong to one column. */
export const valuesOfColumn = 5

/** A row group says the least and largest value of whole numbers, exactly; or it has none. */
const known = `coalesce(type IN ('INT32', 'INT64') AND ((stats_min_value IS NOT NULL AND stats_max_value IS NOT NULL AND min_is_exact IS NOT FALSE AND max_is_exact IS NOT FALSE) OR stats_null_count = num_values), false)`

/**
 * One row; for each column in turn: entries in footers, values (with NULLs), NULLs (NULL where a footer does not say), and where every
 * footer says so exactly: least and largest value, else NULL.
 */
export function footerColumns(
  files: readonly string[],
  columns: readonly { name: string; dataType: string }[],
): Fragment {
  const parts = columns.flatMap(({ name, dataType }) => {
    const here = `path_in_schema = ${textLiteral(name)}`
    const ofColumn = `FILTER (WHERE ${here})`
    const bound = (aggregate: string, stats: string) =>
      hasExactBounds(dataType)
        ? `CASE WHEN bool_and(known) ${ofColumn} THEN ${aggregate}(CASE WHEN ${here} THEN TRY_CAST(${stats} AS ${dataType}) END) END`
        : 'NULL'
    return [
      `count(*) ${ofColumn}`,
      `sum(num_values) ${ofColumn}`,
      `CASE WHEN bool_and(stats_null_count IS NOT NULL) ${ofColumn} THEN sum(stats_null_count) ${ofColumn} END`,
      bound('min', 'stats_min_value'),
      bound('max', 'stats_max_value'),
    ]
  })
  const source = `SELECT path_in_schema, num_values, stats_null_count, stats_min_value, stats_max_value, ${known} AS known FROM parquet_metadata(${fileList(files)})`
  return raw(`SELECT ${parts.join(', ')} FROM (${source})`)
}
