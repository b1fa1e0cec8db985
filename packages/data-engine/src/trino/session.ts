import { AssayError } from '@assay/service-kit/errors'
import type { TrinoSource } from '../dataset.ts'
import type { RelationLocator } from '../locators.ts'
import type { Connection, Session } from '../push-down/connection.ts'
import { textsOf } from '../push-down/texts.ts'
import { withoutPadding } from '../push-down/without-padding.ts'
import { quoteName } from '../sql/quote.ts'
import { columnsOf, tablesOf } from './catalog.ts'
import { trinoDialect } from './dialect.ts'
import { requireCrawledDefinition } from './view-reads.ts'

export const char = { isPadded: /^char\b/i, unpadded: (name: string) => `rtrim(CAST(${name} AS varchar))` }

/**
 * The current columns of a table that the user may read. Throws `unprocessable` if the table does not exist, or is a view
 * that was redefined.
 */
export async function openTable(
  connection: Connection,
  locator: RelationLocator,
  { catalog }: Pick<TrinoSource, 'catalog'>,
): Promise<Session> {
  const { schema, table, source, definition } = locator
  const columns = (await columnsOf(connection, catalog, { schema, table })).get(table) ?? []
  const named = [catalog, schema, table].map(quoteName).join('.')
  // The server hides tables without rights. Its error distinguishes such a table from a missing one.
  if (columns.length === 0) await textsOf(connection, `SELECT 1 FROM ${named} LIMIT 0`)
  if (columns.length === 0)
    throw new AssayError(
      'unprocessable',
      `The table ${schema}.${table} has no columns that the user of the source may read.`,
    )
  if (source !== undefined) {
    const [entry] = await tablesOf(connection, catalog, [schema], [table])
    if (entry !== undefined) await requireCrawledDefinition(connection, catalog, entry, definition)
  }
  return {
    connection,
    locator,
    columns: columns.map(({ name, dataType }) => ({ name, dataType })),
    required: new Set(columns.flatMap(({ name, required }) => (required ? [name] : []))),
    relation: withoutPadding(named, columns, char),
    dialect: trinoDialect,
  }
}
