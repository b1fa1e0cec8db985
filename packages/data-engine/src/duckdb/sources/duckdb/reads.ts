import type { DuckDBConnection } from '@duckdb/node-api'
import { textLiteral } from '../../../sql/quote.ts'
import { tokenize } from '../../../sql/tokens.ts'
import { rowsOf } from '../sql.ts'

/** A table by the name that a SELECT calls it. */
export interface NamedTable {
  schema: string
  name: string
}

/** Functions after FROM that make rows of their arguments alone. */
const withoutTables = new Set(['range', 'generate_series', 'unnest'])
/** Tables that tell of the structure of a database. */
const structure = new Set(['information_schema', 'pg_catalog'])

const isObject = (value: unknown): value is { [key: string]: unknown } => typeof value === 'object' && value !== null
const lower = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : '')

/** The SELECT of `CREATE VIEW name (columns) AS SELECT …;`, as the engine writes it. */
function selectIn(definition: string): string | null {
  const tokens = tokenize(definition.trim().replace(/;$/, ''))
  let depth = 0
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind === 'symbol') depth += text === '(' ? 1 : text === ')' ? -1 : 0
    if (kind !== 'word' || depth > 0 || text.toUpperCase() !== 'AS') continue
    return tokens
      .slice(index + 1)
      .map((token) => token.text)
      .join('')
  }
  return null
}

/** Every object of the tree that the engine parses a SELECT into. */
function* nodesOf(tree: unknown): Generator<{ [key: string]: unknown }> {
  const open = [tree]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!isObject(node)) continue
    if (!Array.isArray(node)) yield node
    for (const part of Object.values(node)) if (isObject(part)) open.push(part)
  }
}

/**
 * The tables that a parsed SELECT names; `null` where functions, or macros of the file, may read more. `isThere`: whether the
 * file has such a table: what it has not and a WITH defines is none. Pure.
 */
function namedIn(
  tree: unknown,
  macros: ReadonlySet<string>,
  isThere: (table: NamedTable) => boolean,
): NamedTable[] | null {
  const tables: NamedTable[] = []
  const defined = new Set<string>()
  for (const node of nodesOf(tree)) {
    const called = lower(node.function_name)
    if (called !== '' && macros.has(called)) return null
    if (typeof node.key === 'string' && isObject(node.value) && 'query' in node.value) defined.add(lower(node.key))
    if (node.type === 'SHOW_REF' && lower(node.table_name) !== '') return null
    if (node.type === 'TABLE_FUNCTION') {
      const name = isObject(node.function) ? lower(node.function.function_name) : ''
      if (!withoutTables.has(name)) return null
    }
    if (node.type === 'BASE_TABLE') tables.push({ schema: lower(node.schema_name), name: lower(node.table_name) })
  }
  const needed = tables.filter(
    (table) => isThere(table) || !(table.schema === '' ? defined.has(table.name) : structure.has(table.schema)),
  )
  return needed.every(isThere) ? needed : null
}

/** Names of the macros of an attached file, in small letters. */
export async function macrosOf(connection: DuckDBConnection, database: string): Promise<ReadonlySet<string>> {
  const rows = await rowsOf(
    connection,
    `SELECT DISTINCT lower(function_name) AS name FROM duckdb_functions()
     WHERE database_name = ${textLiteral(database)} AND NOT internal`,
  )
  return new Set(rows.map((row) => String(row.name)))
}

/**
 * The tables and views that a view names, found by parsing its definition only: nothing is bound or run, which might read
 * files. Of a name without a schema, or with one that is none, every table that is called so. `null` where it cannot be told.
 */
export async function duckdbReads<T extends NamedTable>(
  connection: DuckDBConnection,
  definition: string,
  entries: readonly T[],
  macros: ReadonlySet<string>,
): Promise<T[] | null> {
  const meant = ({ schema, name }: NamedTable) => {
    const called = entries.filter((entry) => lower(entry.name) === name)
    const within = called.filter((entry) => lower(entry.schema) === schema)
    return within.length > 0 ? within : called
  }
  try {
    const select = selectIn(definition)
    if (select === null) return null
    const [row] = await rowsOf(connection, `SELECT json_serialize_sql(${textLiteral(select)}) AS tree`)
    const tree: unknown = JSON.parse(String(row?.tree))
    if (!isObject(tree) || tree.error !== false) return null
    return namedIn(tree, macros, (table) => meant(table).length > 0)?.flatMap(meant) ?? null
  } catch {
    return null
  }
}
