import { open } from 'node:fs/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { jsonRow } from '../values.ts'

/**
 * Writes the rows of a query as JSON lines, with values as in previews. The engine's own writer would write NaN, and
 * numbers that JSON cannot represent. `written`: columns whose texts are already JSON; they are written unchanged.
 * Needs memory for one chunk of the engine (2,048 rows).
 */
export async function writeJsonLines(
  connection: DuckDBConnection,
  query: string,
  file: string,
  written: ReadonlySet<string> = new Set(),
): Promise<void> {
  const result = await connection.stream(query)
  const names = result.deduplicatedColumnNames()
  const handle = await open(file, 'w')
  try {
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      const lines = chunk.getRows().map((values) => {
        const row = jsonRow(names, values)
        for (const name of written) if (typeof row[name] === 'string') row[name] = JSON.parse(row[name])
        return `${JSON.stringify(row)}\n`
      })
      await handle.writeFile(lines.join(''))
    }
  } finally {
    await handle.close()
  }
}
