import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteName } from '../../../sql/quote.ts'
import { rowsOf } from '../sql.ts'
import type { FileReading } from './reading.ts'

/**
 * Gives each column without values the type that the crawl found. Otherwise the column would be text, and expressions
 * and sums over numbers or dates would fail.
 */
export async function withKnownTypes(
  connection: DuckDBConnection,
  reading: FileReading,
  known: readonly { name: string; dataType: string }[],
): Promise<FileReading> {
  const before = new Map(known.map(({ name, dataType }) => [name, dataType]))
  const nowText = reading.columns.flatMap(({ name, dataType }) => {
    const type = before.get(name)
    return dataType === 'VARCHAR' && type !== undefined && type !== dataType ? [{ name, type }] : []
  })
  if (nowText.length === 0) return reading
  const counts = nowText.map(({ name }, index) => `count(${quoteName(name)}) AS c${index}`)
  const [row] = await rowsOf(connection, `SELECT ${counts.join(', ')} FROM ${reading.relation}`)
  const types = new Map(
    nowText.flatMap(({ name, type }, index) => (Number(row?.[`c${index}`] ?? 0) === 0 ? [[name, type] as const] : [])),
  )
  if (types.size === 0) return reading
  const selected = reading.columns.map(({ name }) => {
    const type = types.get(name)
    return type === undefined ? quoteName(name) : `CAST(${quoteName(name)} AS ${type}) AS ${quoteName(name)}`
  })
  return {
    ...reading,
    relation: `(SELECT ${selected.join(', ')} FROM ${reading.relation})`,
    columns: reading.columns.map((column) => ({ ...column, dataType: types.get(column.name) ?? column.dataType })),
  }
}
