import type { DuckDBConnection } from '@duckdb/node-api'
import { textLiteral } from '../../sql/quote.ts'

/** Texts as an SQL list literal. */
export function quoteList(texts: readonly string[]): string {
  return `[${texts.map(textLiteral).join(', ')}]`
}

/** Names and types as an SQL struct literal, for the readers' parameter `columns`. */
export function quoteColumns(columns: readonly { name: string; dataType: string }[]): string {
  return `{${columns.map((column) => `${textLiteral(column.name)}: ${textLiteral(column.dataType)}`).join(', ')}}`
}

/** All rows of a small result; BIGINT is returned as bigint. */
export async function rowsOf(connection: DuckDBConnection, sql: string): Promise<Record<string, unknown>[]> {
  const reader = await connection.runAndReadAll(sql)
  return reader.getRowObjectsJS()
}

/** Names and types of the columns of a relation. Reads no data except what file readers sample to infer types. */
export async function describe(
  connection: DuckDBConnection,
  relation: string,
): Promise<{ name: string; dataType: string }[]> {
  const rows = await rowsOf(connection, `DESCRIBE SELECT * FROM ${relation}`)
  return rows.map((row) => ({ name: String(row.column_name), dataType: String(row.column_type) }))
}
