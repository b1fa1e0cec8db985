import { AssayError } from '@assay/service-kit/errors'
import type { RelationLocator } from '../locators.ts'
import type { ColumnInfo } from '../port.ts'
import { raw } from '../sql/fragment.ts'
import { quoteName, textLiteral } from '../sql/quote.ts'
import type { Connection } from './connection.ts'

/** A readable table. */
export interface Session {
  connection: Connection
  columns: ColumnInfo[]
  /** Names of the columns that are never NULL. */
  required: ReadonlySet<string>
  /** SQL for FROM. */
  relation: string
}

/** The current columns of a table. Throws `unprocessable` if it does not exist or has no readable column. */
export async function openTable(
  connection: Connection,
  { schema, table }: Pick<RelationLocator, 'schema' | 'table'>,
): Promise<Session> {
  const rows = await connection.read(
    raw(`SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull::text
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ${textLiteral(schema)} AND c.relname = ${textLiteral(table)} AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attnum`),
  )
  if (rows.length === 0)
    throw new AssayError('unprocessable', `The table ${schema}.${table} is no longer in its database.`)
  const columns = rows.map(([name, type]) => ({ name: name?.text ?? '', dataType: type?.text ?? '' }))
  const required = new Set(
    rows.flatMap(([name, , isRequired]) => (isRequired?.text === 'true' ? (name?.text ?? []) : [])),
  )
  return { connection, columns, required, relation: `${quoteName(schema)}.${quoteName(table)}` }
}
