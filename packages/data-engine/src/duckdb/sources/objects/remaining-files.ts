import { quoteName, textLiteral } from '../../../sql/quote.ts'
import { partitionOf } from '../files/format.ts'
import { NULL_PARTITION } from '../files/reading.ts'

/**
 * SQL that returns the indexes (`file`) of the files whose partition folders satisfy a condition. `paths`: relative to
 * the source. `types`: types of the partition columns. Pure.
 */
export function remainingFiles(
  paths: readonly string[],
  types: ReadonlyMap<string, string>,
  condition: string,
): string {
  const columns = [...types]
  const rows = paths.map((path, index) => {
    const values = new Map(
      path.split('/').flatMap((name) => {
        const one = partitionOf(name)
        return one === null ? [] : [[one.key, one.value] as const]
      }),
    )
    const cells = columns.map(([name, type]) => {
      const value = values.get(name)
      return `CAST(${value === undefined || value === NULL_PARTITION ? 'NULL' : textLiteral(value)} AS ${type})`
    })
    return `(${[index, ...cells].join(', ')})`
  })
  const names = ['assay_file', ...columns.map(([name]) => name)].map(quoteName)
  return `SELECT assay_file AS file FROM (VALUES ${rows.join(', ')}) AS t(${names.join(', ')}) WHERE ${condition}`
}
