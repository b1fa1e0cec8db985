import { open } from 'node:fs/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { jsonRow } from '../values.ts'

/**
 * Writes the rows of a query as JSON, one row a line, with values as previews have them. The engine's own writer would put NaN and
 * numbers that JSON cannot carry as they are. Memory: one chunk of the engine (2,048 rows).
 */
export async function writeJsonLines(connection: DuckDBConnection, query: string, file: string): Promise<void> {
  const result = await connection.stream(query)
  const names = result.deduplicatedColumnNames()
  const handle = await open(file, 'w')
  try {
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      const lines = chunk.getRows().map((values) => `${JSON.stringify(jsonRow(names, values))}\n`)
      await handle.writeFile(lines.join(''))
    }
  } finally {
    await handle.close()
  }
}
