import { type DescribedColumn, describedRows } from '../described.ts'
import { raw } from '../sql/fragment.ts'
import { columnFinder } from '../sql/predicate/column.ts'
import { hashCharacters, hashesPerColumn, noContent, sketchOf } from '../states/content-sketch.ts'
import type { Session } from './connection.ts'

/**
 * The columns of a table as they are now, with sketches of their first values. `md5`: SQL of the MD5 of a text, as
 * hexadecimal digits.
 */
export async function describedColumns(
  { connection, columns, required, relation, dialect }: Session,
  md5: (text: string) => string = (text) => `md5(${text})`,
): Promise<DescribedColumn[]> {
  const column = columnFinder(columns, dialect)
  const hashes = columns.map(({ name }) => `substr(${md5(column(name).text)}, 1, ${hashCharacters})`)
  const head = `(SELECT * FROM ${relation} AS asset LIMIT ${describedRows(columns.length)})`
  // On an error, the columns are returned without their content.
  const rows = await connection.read(raw(`SELECT ${hashes.join(', ')} FROM ${head} AS asset`)).catch(() => [])
  const max = hashesPerColumn(columns.length)
  const contentOf = (index: number) =>
    sketchOf(
      rows.map((row) => row[index]?.text ?? null),
      max,
    )
  return columns.map(({ name, dataType }, index) => ({
    name,
    dataType,
    nullable: !required.has(name),
    content: rows.length === 0 ? noContent : contentOf(index),
  }))
}
