import { AssayError } from '@assay/service-kit/errors'
import type { ServerSource } from '../dataset.ts'
import type { RelationLocator } from '../locators.ts'
import type { Connection, Session } from '../push-down/connection.ts'
import { textsOf } from '../push-down/texts.ts'
import { quoteName } from '../sql/quote.ts'
import { requireSameDefinition } from '../sql/view-reads.ts'
import { columnsOf, tablesOf } from './catalog.ts'
import { mysqlDialect } from './dialect.ts'
import { flavorOf } from './flavor.ts'
import { directReads } from './view-definition.ts'

export async function flavorAt(connection: Connection) {
  const [version] = await textsOf(connection, 'SELECT version()')
  return flavorOf(version?.[0] ?? '')
}

/**
 * The current columns of a table that the user may read. Throws `unprocessable` if the table does not exist, lacks a
 * requested column, or is a view that was redefined.
 */
export async function openTable(
  connection: Connection,
  locator: RelationLocator,
  { database }: Pick<ServerSource, 'database'>,
): Promise<Session> {
  const { table, source, definition } = locator
  const failed = (sentence: string) => new AssayError('unprocessable', `The table ${database}.${table} ${sentence}`)
  const all = (await columnsOf(connection, database, [table])).get(table) ?? []
  const relation = `${quoteName(database)}.${quoteName(table)}`
  // The catalog hides tables on which its user has no right at all. The server's error distinguishes such a table from
  // a missing one.
  if (all.length === 0) await textsOf(connection, `SELECT 1 FROM ${relation} LIMIT 0`)
  const readable = all.filter((column) => column.readable)
  if (readable.length === 0) throw failed('may not be read: the user of the source has no right to SELECT.')
  if (source !== undefined) {
    const tables = await tablesOf(connection, database)
    const entry = tables.find(({ name }) => name === table)
    if (entry !== undefined) requireSameDefinition(entry, definition, directReads(database, tables))
  }
  return {
    connection,
    locator,
    columns: readable.map(({ name, dataType }) => ({ name, dataType })),
    required: new Set(readable.flatMap(({ name, required }) => (required ? [name] : []))),
    relation,
    dialect: mysqlDialect(
      await flavorAt(connection),
      new Set(readable.flatMap(({ name, isUtf8mb4 }) => (isUtf8mb4 ? [quoteName(name)] : []))),
    ),
  }
}
