import { z } from 'zod'
import type { Declared } from '../dataset.ts'
import type { Connection } from '../push-down/connection.ts'
import { textsOf } from '../push-down/texts.ts'
import { textLiteral } from '../sql/quote.ts'
import type { Entry } from '../sql/view-reads.ts'

/** A table or view in the catalog of the server. */
export interface CatalogTable extends Entry {
  name: string
  /** Estimates of the server; null if it has none. */
  rows: number | null
  bytes: number | null
  comment: string | null
}

export interface CatalogColumn {
  name: string
  /** As the server names it: `int(10) unsigned`. */
  dataType: string
  required: boolean
  comment: string | null
  /** Whether its texts are stored as `utf8mb4`. */
  isUtf8mb4: boolean
  /** Whether the user may read the column. */
  readable: boolean
}

const count = (text: string | null | undefined) => (text === null || text === undefined ? null : Number(text))
const filled = (text: string | null | undefined) => (text === undefined || text === '' ? null : text)
const list = (values: readonly string[]) => values.map(textLiteral).join(', ')

/**
 * The tables and views of the database on which the user has any right, in order. The server shows no others. Sequences
 * and temporary tables are not included.
 */
export async function tablesOf(connection: Connection, database: string): Promise<CatalogTable[]> {
  const rows = await textsOf(
    connection,
    `SELECT t.TABLE_NAME, t.TABLE_TYPE, t.TABLE_ROWS, t.DATA_LENGTH + t.INDEX_LENGTH, t.TABLE_COMMENT, v.VIEW_DEFINITION
    FROM information_schema.TABLES t LEFT JOIN information_schema.VIEWS v
      ON v.TABLE_SCHEMA = t.TABLE_SCHEMA AND v.TABLE_NAME = t.TABLE_NAME AND t.TABLE_TYPE = 'VIEW'
    WHERE t.TABLE_SCHEMA = ${textLiteral(database)} AND t.TABLE_TYPE IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED')
    ORDER BY BINARY t.TABLE_NAME`,
  )
  return rows.map(([name, type, estimate, bytes, comment, definition]) => {
    const isView = type === 'VIEW'
    return {
      name: name ?? '',
      assetType: isView ? 'VIEW' : 'TABLE',
      rows: isView ? null : count(estimate),
      bytes: isView ? null : count(bytes),
      comment: isView ? null : filled(comment),
      definition: isView ? (definition ?? '') : '',
    }
  })
}

/** The columns of tables, by the name of the table. */
export async function columnsOf(
  connection: Connection,
  database: string,
  tables: readonly string[],
): Promise<Map<string, CatalogColumn[]>> {
  const all = new Map<string, CatalogColumn[]>(tables.map((name) => [name, []]))
  if (tables.length === 0) return all
  const rows = await textsOf(
    connection,
    `SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_COMMENT, PRIVILEGES, CHARACTER_SET_NAME FROM information_schema.COLUMNS
    WHERE TABLE_SCHEMA = ${textLiteral(database)} AND TABLE_NAME IN (${list(tables)}) ORDER BY TABLE_NAME, ORDINAL_POSITION`,
  )
  for (const [table, name, dataType, nullable, comment, privileges, characters] of rows)
    all.get(table ?? '')?.push({
      name: name ?? '',
      dataType: dataType ?? '',
      required: nullable === 'NO',
      comment: filled(comment),
      isUtf8mb4: characters === 'utf8mb4',
      readable: (privileges ?? '').split(',').includes('select'),
    })
  return all
}

type Keys = Pick<Declared, 'primaryKey' | 'uniqueKeys' | 'foreignKeys'>

/**
 * The keys of tables, by the name of the table. If the user has no right other than SELECT, servers show no foreign
 * keys.
 */
export async function keysOf(
  connection: Connection,
  database: string,
  tables: readonly string[],
): Promise<Map<string, Keys>> {
  const all = new Map<string, Keys>(tables.map((name) => [name, {}]))
  if (tables.length === 0) return all
  const where = `TABLE_SCHEMA = ${textLiteral(database)} AND TABLE_NAME IN (${list(tables)})`
  const parts = await textsOf(
    connection,
    `SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME FROM information_schema.STATISTICS
    WHERE ${where} AND NON_UNIQUE = 0 AND COLUMN_NAME IS NOT NULL ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX`,
  )
  for (const [of, columns] of grouped(parts.map(([table, key, column]) => [[table, key], column]))) {
    const known = all.get(of[0] ?? '')
    if (known === undefined) continue
    if (of[1] === 'PRIMARY') known.primaryKey = columns
    else known.uniqueKeys = [...(known.uniqueKeys ?? []), columns]
  }
  const references = await textsOf(
    connection,
    `SELECT TABLE_NAME, CONSTRAINT_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, COLUMN_NAME, REFERENCED_COLUMN_NAME
    FROM information_schema.KEY_COLUMN_USAGE
    WHERE ${where} AND REFERENCED_TABLE_NAME IS NOT NULL ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION`,
  )
  const ofTables = references.map(([table, key, schema, other, column, to]) => ({
    of: [table, key, schema, other],
    column,
    to,
  }))
  const targets = grouped(ofTables.map(({ of, to }) => [of, to]))
  grouped(ofTables.map(({ of, column }) => [of, column])).forEach(([[table, , schema, other], columns], index) => {
    const known = all.get(table ?? '')
    const to = { schema: schema ?? '', table: other ?? '', columns: targets[index]?.[1] ?? [] }
    if (known !== undefined) known.foreignKeys = [...(known.foreignKeys ?? []), { columns, references: to }]
  })
  return all
}

const names = z.array(z.string().nullish())

/** The values of each key, in the order of their first row. */
function grouped(rows: readonly (readonly [(string | null | undefined)[], string | null | undefined])[]) {
  const groups = new Map<string, string[]>()
  for (const [key, value] of rows) {
    const name = JSON.stringify(key)
    groups.set(name, [...(groups.get(name) ?? []), value ?? ''])
  }
  return [...groups].map(([key, values]) => [names.parse(JSON.parse(key)), values] as const)
}

/**
 * When rows of a table last changed, ISO 8601 UTC. Null if the server does not know it, for example after its restart.
 */
export async function changedAt(connection: Connection, database: string, table: string): Promise<string | null> {
  const rows = await textsOf(
    connection,
    `SELECT UPDATE_TIME FROM information_schema.TABLES
    WHERE TABLE_SCHEMA = ${textLiteral(database)} AND TABLE_NAME = ${textLiteral(table)} AND TABLE_TYPE <> 'VIEW'`,
  )
  const at = rows[0]?.[0] ?? null
  return at === null ? null : new Date(`${at.replace(' ', 'T')}Z`).toISOString()
}
