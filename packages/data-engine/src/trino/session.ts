import { AssayError } from '@assay/service-kit/errors'
import type { TrinoSource } from '../dataset.ts'
import type { RelationLocator } from '../locators.ts'
import type { ColumnInfo } from '../port.ts'
import type { Connection, Session } from '../push-down/connection.ts'
import { textsOf } from '../push-down/texts.ts'
import { raw } from '../sql/fragment.ts'
import { quoteName } from '../sql/quote.ts'
import { columnsOf, tablesOf } from './catalog.ts'
import { trinoDialect } from './dialect.ts'
import { requireCrawledDefinition } from './view-reads.ts'

const isPadded = ({ dataType }: ColumnInfo) => /^char\b/i.test(dataType)

/** The table for FROM. A `char` is padded with blanks, which are not part of its value, so they are removed there. */
function relationOf(table: string, columns: readonly ColumnInfo[]): string {
  if (!columns.some(isPadded)) return table
  const values = columns.map((column) => {
    const name = quoteName(column.name)
    return isPadded(column) ? `rtrim(CAST(${name} AS varchar)) AS ${name}` : name
  })
  return `(SELECT ${values.join(', ')} FROM ${table})`
}

/** The rows of a SELECT. Throws `invalid` for a column without a name, because it could not be named in a statement. */
export async function openSelect(
  connection: Connection,
  select: string,
): Promise<Pick<Session, 'columns' | 'relation' | 'dialect'>> {
  const type = await connection.typeOf(raw(`SELECT * FROM (${select}) AS asset`))
  const columns = await type.described()
  const unnamed = columns.findIndex(({ name }) => /^_col\d+$/.test(name))
  if (unnamed >= 0)
    throw new AssayError('invalid', `Name the column ${unnamed + 1} of the SELECT, such as count(*) AS orders.`)
  return { columns, relation: relationOf(`(${select})`, columns), dialect: trinoDialect }
}

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
    relation: relationOf(named, columns),
    dialect: trinoDialect,
  }
}
