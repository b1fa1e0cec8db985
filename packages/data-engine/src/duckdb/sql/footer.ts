import { type Fragment, raw } from '../../sql/fragment.ts'
import { textLiteral } from '../../sql/quote.ts'
import { parseType } from '../../types/parse-type.ts'

/** The type in which least and greatest values are read from footers; null if footers do not have them exactly. */
export function footerType(dataType: string): string | null {
  const type = parseType(dataType)
  if (type.kind === 'integer') return type.signed ? 'HUGEINT' : null
  const isExact =
    type.kind === 'date' || type.kind === 'timestamptz' || (type.kind === 'timestamp' && type.digits === 6)
  return isExact ? dataType : null
}

/** Whether a row group has exact extremes of its whole numbers, or has no values. */
const known = `type IN ('INT32', 'INT64') AND ((stats_min_value IS NOT NULL AND stats_max_value IS NOT NULL AND min_is_exact IS NOT FALSE AND max_is_exact IS NOT FALSE) OR stats_null_count = num_values)`

/**
 * One row per path in the files: the path, whether it is the first of its row group, the number of its footer entries,
 * rows of these entries, values (with NULLs), NULLs (NULL if a footer lacks the number). Then, for each of `types`, the
 * least and the greatest value, NULL if a footer lacks it. Contains only the paths of `names`, and the first path,
 * which gives rows and row groups.
 */
export function footerPaths(files: readonly string[], names: readonly string[], types: readonly string[]): Fragment {
  const list = `[${files.map(textLiteral).join(', ')}]`
  const bounds = types.flatMap((type) =>
    (['min', 'max'] as const).map(
      (side) =>
        `CASE WHEN bool_and(coalesce(${known}, false)) THEN ${side}(TRY_CAST(stats_${side}_value AS ${type})) END`,
    ),
  )
  const nulls = 'CASE WHEN bool_and(stats_null_count IS NOT NULL) THEN sum(stats_null_count) END'
  const facts = ['path_in_schema', 'column_id = 0', 'count(*)', 'sum(row_group_num_rows)', 'sum(num_values)', nulls]
  const wanted = names.length === 0 ? '' : ` OR path_in_schema IN (${names.map(textLiteral).join(', ')})`
  return raw(
    `SELECT ${[...facts, ...bounds].join(', ')} FROM parquet_metadata(${list}) WHERE column_id = 0${wanted} GROUP BY ALL`,
  )
}
