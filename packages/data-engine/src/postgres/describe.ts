import { type DescribedColumn, describedRows } from '../described.ts'
import { raw } from '../sql/fragment.ts'
import { quoteName } from '../sql/quote.ts'
import { hashCharacters, hashesPerColumn, noContent, sketchOf } from '../states/content-sketch.ts'
import type { Session } from './session.ts'

/** The columns of a table as they are now, with sketches of their first values. */
export async function describedColumns({
  connection,
  columns,
  required,
  relation,
}: Session): Promise<DescribedColumn[]> {
  const hashes = columns.map(({ name }) => `left(md5(${quoteName(name)}::text), ${hashCharacters})`)
  const head = `(SELECT * FROM ${relation} LIMIT ${describedRows(columns.length)})`
  // The columns are known without their content.
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
