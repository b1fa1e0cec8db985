import { AssayError } from '@assay/service-kit/errors'
import type { ServerSource } from '../dataset.ts'
import type { RelationLocator } from '../locators.ts'
import type { Connection, Session } from '../push-down/connection.ts'
import { withoutPadding } from '../push-down/without-padding.ts'
import { raw } from '../sql/fragment.ts'
import { quoteName, textLiteral } from '../sql/quote.ts'
import { requireSameDefinition } from '../sql/view-reads.ts'
import { directReads, schemasOf, tablesOf } from './catalog.ts'
import { postgresDialect } from './dialect.ts'

/** Some functions and operators of the server see the blanks, and others do not. */
export const char = { isPadded: /^(?:character\(|bpchar\b)/, unpadded: (name: string) => `${name}::text` }

/** Throws `unprocessable` if a view has another definition than at its crawl. */
async function requireCrawledDefinition(
  connection: Connection,
  { schema, table, definition }: RelationLocator,
  source: Pick<ServerSource, 'schemas'>,
): Promise<void> {
  const schemas = source.schemas ?? (await schemasOf(connection)).map(({ name }) => name)
  const tables = (await tablesOf(connection, schemas)).filter(({ readable }) => readable)
  const entry = tables.find((one) => one.schema === schema && one.name === table)
  if (entry !== undefined) requireSameDefinition(entry, definition, await directReads(connection, tables))
}

/**
 * The current columns of a table that the user may read. Throws `unprocessable` if the table does not exist, lacks a
 * requested column, or is a view that was redefined.
 */
export async function openTable(
  connection: Connection,
  locator: RelationLocator,
  source: Pick<ServerSource, 'schemas'>,
): Promise<Session> {
  const { schema, table } = locator
  const rows = await connection.read(
    raw(`SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull::text, c.relkind::text,
        (has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT'))::text
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ${textLiteral(schema)} AND c.relname = ${textLiteral(table)} AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attnum`),
  )
  const failed = (sentence: string) => new AssayError('unprocessable', `The table ${schema}.${table} ${sentence}`)
  if (rows.length === 0) throw failed('no longer exists in its database. Crawl the source again.')
  const readable = rows.filter(([, , , , may]) => may?.text === 'true')
  if (readable.length === 0) throw failed('may not be read: the user of the source has no right to SELECT.')
  const isView = ['v', 'm'].includes(rows[0]?.[3]?.text ?? '')
  if (locator.source !== undefined && (isView || locator.definition !== undefined))
    await requireCrawledDefinition(connection, locator, source)
  const columns = readable.map(([name, type]) => ({ name: name?.text ?? '', dataType: type?.text ?? '' }))
  const required = new Set(
    readable.flatMap(([name, , isRequired]) => (isRequired?.text === 'true' ? (name?.text ?? []) : [])),
  )
  return {
    connection,
    locator,
    columns,
    required,
    relation: withoutPadding(`${quoteName(schema)}.${quoteName(table)}`, columns, char),
    dialect: postgresDialect,
  }
}
