import type { Reach } from '../databases/reach.ts'
import { isTrinoSource, source, type TrinoSource } from '../dataset.ts'
import type { RelationLocator } from '../locators.ts'
import { quoteName, textLiteral } from '../sql/quote.ts'
import { createTrinoClient } from '../trino/client.ts'
import { resultOf } from '../trino/statement.ts'

/** The configuration of a catalog by the address of its server, `http://user@host:port`. */
export function trinoAt(address: string, catalog: string, more: object = {}): TrinoSource {
  const url = new URL(address)
  const user = decodeURIComponent(url.username)
  const parsed = source.parse({ sourceType: 'TRINO', url: url.origin, user, catalog, ...more })
  if (isTrinoSource(parsed)) return parsed
  throw new Error(`${address} is not a Trino server.`)
}

/** Reaches a source, whatever source a table belongs to. */
export const reachTrino =
  (known: TrinoSource): Reach =>
  (_of, _call, work) =>
    work({ source: known, addresses: ['127.0.0.1'], password: known.password })

/** Runs statements of a test and returns the rows of each. */
export function trinoStatements(known: TrinoSource) {
  const client = createTrinoClient({ source: known, addresses: ['127.0.0.1'], password: known.password })
  const { signal } = new AbortController()
  return {
    async run(statement: string): Promise<unknown[][]> {
      const all: unknown[][] = []
      for await (const { rows } of resultOf(client, statement, { signal, timeoutMs: 60_000, table: undefined }))
        all.push(...rows)
      return all
    },
    close: () => client.close(),
  }
}

/** A table of the catalog `memory`. */
export const inMemory = (table: string, sourceId?: number): RelationLocator => ({
  ...{ kind: 'relation', engine: 'TRINO', schema: 'default', table, columns: [], fingerprint: '' },
  ...(sourceId === undefined ? {} : { source: sourceId }),
})

/**
 * The statements that create a table with these rows, in order. `types`: of Trino, by column. `rows`: values as text; null is
 * NULL.
 */
export function tableStatements(
  name: string,
  columns: readonly { name: string; type: string }[],
  rows: readonly (readonly (string | null)[])[],
): string[] {
  const table = `memory.default.${quoteName(name)}`
  const typed = columns.map((column) => `${quoteName(column.name)} ${column.type}`)
  const cell = (text: string | null, index: number) =>
    text === null ? 'NULL' : `CAST(${textLiteral(text)} AS ${columns[index]?.type})`
  const lines = rows.map((row) => `(${row.map(cell).join(', ')})`)
  return [
    `DROP TABLE IF EXISTS ${table}`,
    `CREATE TABLE ${table} (${typed.join(', ')})`,
    ...(lines.length === 0 ? [] : [`INSERT INTO ${table} VALUES ${lines.join(', ')}`]),
  ]
}
