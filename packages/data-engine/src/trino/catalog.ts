import type { Connection } from '../push-down/connection.ts'
import { textsOf } from '../push-down/texts.ts'
import { quoteName, textLiteral } from '../sql/quote.ts'
import type { Entry } from '../sql/view-reads.ts'
import { isHidden } from './failures.ts'

/** A table or view of a Trino catalog. The server knows no sizes, and estimates rows only by further statements. */
export interface CatalogTable extends Entry {
  schema: string
  name: string
  comment: string | null
  rows: number | null
  bytes: null
}

export interface CatalogColumn {
  name: string
  dataType: string
  required: boolean
  comment: string | null
}

const list = (values: readonly string[]) => values.map(textLiteral).join(', ')
const of = (catalog: string, table: string) => `${quoteName(catalog)}.information_schema.${table}`
/** A key for a name in a schema. */
export const keyOf = (schema: string, name: string) => JSON.stringify([schema, name])

/** The schemas that the user may see, in order, without the server's own. */
export async function schemasOf(connection: Connection, catalog: string): Promise<string[]> {
  const rows = await textsOf(
    connection,
    `SELECT schema_name FROM ${of(catalog, 'schemata')} WHERE schema_name <> 'information_schema' ORDER BY 1`,
  )
  return rows.map(([name]) => name ?? '')
}

/** Comments by key. Empty if the user may not read the server's catalog `system`. */
async function comments(connection: Connection, statement: string): Promise<Map<string, string>> {
  const rows = await textsOf(connection, statement).catch((error: unknown) => {
    if (isHidden(error)) return []
    throw error
  })
  return new Map(rows.flatMap(([key, text]) => (key != null && text != null && text !== '' ? [[key, text]] : [])))
}

/**
 * The tables and views of schemas that the user may see, in order. `names`: only those of these names, because some
 * servers read the metadata of every table that is listed.
 */
export async function tablesOf(
  connection: Connection,
  catalog: string,
  schemas: readonly string[],
  names?: readonly string[],
): Promise<CatalogTable[]> {
  if (schemas.length === 0) return []
  const named = (alias: string) => (names === undefined ? '' : ` AND ${alias}.table_name IN (${list(names)})`)
  const rows = await textsOf(
    connection,
    `SELECT t.table_schema, t.table_name, t.table_type, v.view_definition FROM ${of(catalog, 'tables')} AS t
    LEFT JOIN ${of(catalog, 'views')} AS v ON v.table_schema = t.table_schema AND v.table_name = t.table_name${named('v')}
    WHERE t.table_schema IN (${list(schemas)})${named('t')} ORDER BY 1, 2`,
  )
  return rows.map(([schema, name, type, definition]) => ({
    ...{ schema: schema ?? '', name: name ?? '', comment: null, rows: null, bytes: null },
    assetType: type === 'VIEW' ? 'VIEW' : 'TABLE',
    definition: type === 'VIEW' ? (definition ?? '') : '',
  }))
}

/** The comments of the tables of schemas, by `keyOf`. */
export const tableCommentsOf = (connection: Connection, catalog: string, schemas: readonly string[]) =>
  comments(
    connection,
    `SELECT json_format(CAST(ARRAY[schema_name, table_name] AS json)), comment FROM system.metadata.table_comments
    WHERE catalog_name = ${textLiteral(catalog)} AND schema_name IN (${list(schemas)})`,
  )

/** The columns of the tables of a schema, by the name of the table. `table`: only those of this table. */
export async function columnsOf(
  connection: Connection,
  catalog: string,
  { schema, table }: { schema: string; table?: string },
): Promise<Map<string, CatalogColumn[]>> {
  const ofTable = table === undefined ? '' : ` AND table_name = ${textLiteral(table)}`
  const rows = await textsOf(
    connection,
    `SELECT table_name, column_name, data_type, is_nullable FROM ${of(catalog, 'columns')}
    WHERE table_schema = ${textLiteral(schema)}${ofTable} ORDER BY table_name, ordinal_position`,
  )
  const all = new Map<string, CatalogColumn[]>()
  for (const [of, name, dataType, nullable] of rows) {
    const found = { name: name ?? '', dataType: dataType ?? '', required: nullable === 'NO', comment: null }
    all.set(of ?? '', [...(all.get(of ?? '') ?? []), found])
  }
  return all
}

/** The comments of the columns of a schema, by `keyOf` of table and column. */
export const columnCommentsOf = (connection: Connection, catalog: string, schema: string) =>
  comments(
    connection,
    `SELECT json_format(CAST(ARRAY[table_name, column_name] AS json)), remarks FROM system.jdbc.columns
    WHERE table_cat = ${textLiteral(catalog)} AND table_schem = ${textLiteral(schema)} AND remarks IS NOT NULL`,
  )
