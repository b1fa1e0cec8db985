import { columnType } from './column-type.ts'
import { type Fragment, raw } from './fragment.ts'
import { quoteName, textLiteral } from './quote.ts'

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
  return type.family === 'date' || dataType === 'TIMESTAMP' || dataType === 'TIMESTAMP WITH TIME ZONE' || (type.family === 'decimal' && type.precision <= 18)
}

/**
 * One row for each column: its place in `columns`, entries in footers, values (with NULLs), NULLs (NULL where a footer does not say), and
 * where every footer says so exactly: least and largest value, else NULL.
 */
export function footerColumns(files: readonly string[], columns: readonly { name: string; dataType: string }[]): Fragment {
  const names = columns.map((column) => textLiteral(column.name)).join(', ')
  const parts = columns.map(({ name, dataType }, index) => {
    const bounds = hasExactBounds(dataType)
      ? `CASE WHEN bool_and(known) THEN min(TRY_CAST(stats_min_value AS ${dataType})) END AS lo, CASE WHEN bool_and(known) THEN max(TRY_CAST(stats_max_value AS ${dataType})) END AS hi`
      : 'NULL AS lo, NULL AS hi'
    return `SELECT {'place': ${index}, 'entries': count(*), 'items': sum(num_values), 'nulls': CASE WHEN bool_and(stats_null_count IS NOT NULL) THEN sum(stats_null_count) END} AS facts, ${bounds} FROM footers WHERE path_in_schema = ${textLiteral(name)}`
  })
  const known = `type IN ('INT32', 'INT64') AND ((stats_min_value IS NOT NULL AND stats_max_value IS NOT NULL AND min_is_exact IS NOT FALSE AND max_is_exact IS NOT FALSE) OR stats_null_count = num_values)`
  const selects = parts.map((part, index) => `${quoteName(`c${index}`)} AS (${part})`)
  const source = `footers AS MATERIALIZED (SELECT path_in_schema, num_values, stats_null_count, stats_min_value, stats_max_value, coalesce(${known}, false) AS known FROM parquet_metadata(${fileList(files)}) WHERE path_in_schema IN (${names}))`
  const picks = columns.map((_, index) => `(SELECT facts FROM c${index}), (SELECT lo FROM c${index}), (SELECT hi FROM c${index})`)
  return raw(`WITH ${[source, ...selects].join(', ')} SELECT ${picks.join(', ')}`)
}
