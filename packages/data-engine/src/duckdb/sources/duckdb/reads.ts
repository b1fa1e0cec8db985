import type { DuckDBConnection } from '@duckdb/node-api'
import { textLiteral } from '../../../sql/quote.ts'
import { tokenize } from '../../../sql/tokens.ts'
import { allowedTableFunctions } from '../../../sql/tree/functions.ts'
import { lowered, queriesOf } from '../../../sql/tree/nodes.ts'
import { type Use, usesIn } from '../../../sql/tree/uses.ts'
import { parseAll } from '../../parse.ts'
import { rowsOf } from '../sql.ts'

/** A table by the name that a SELECT uses for it. */
export interface NamedTable {
  schema: string
  name: string
}

/** Schemas that describe the structure of a database. */
const structure = new Set(['information_schema', 'pg_catalog'])

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

/** Names of the macros of an attached file, in lower case. */
export async function macrosOf(connection: DuckDBConnection, database: string): Promise<ReadonlySet<string>> {
  const rows = await rowsOf(
    connection,
    `SELECT DISTINCT lower(function_name) AS name FROM duckdb_functions()
     WHERE database_name = ${textLiteral(database)} AND NOT internal`,
  )
  return new Set(rows.map((row) => String(row.name)))
}

/**
 * The tables and functions that the SELECT of a view uses, from its parse tree. Nothing is bound or run. `null` if the
 * SELECT cannot be parsed.
 */
export async function usesOfView(connection: DuckDBConnection, definition: string): Promise<readonly Use[] | null> {
  try {
    const select = selectIn(definition)
    const [tree] = select === null ? [] : await parseAll(connection, [select])
    return tree === undefined || tree.error !== false ? null : [...usesIn(queriesOf(tree))]
  } catch {
    return null
  }
}

/**
 * The tables and views that a view names. A name without a schema, or with an unknown one, counts as every table of
 * that name. `null` if this is unknown, for example because functions or macros of the file may read more.
 */
export async function duckdbReads<T extends NamedTable>(
  connection: DuckDBConnection,
  definition: string,
  entries: readonly T[],
  macros: ReadonlySet<string>,
): Promise<T[] | null> {
  const uses = await usesOfView(connection, definition)
  if (uses === null) return null
  const reads: T[] = []
  for (const use of uses) {
    if (use.kind === 'function' && macros.has(lowered(use.name))) return null
    if (use.kind === 'table-function' && !allowedTableFunctions.has(lowered(use.name))) return null
    if (use.kind !== 'table') continue
    const called = entries.filter((entry) => lowered(entry.name) === lowered(use.name))
    const within = called.filter((entry) => lowered(entry.schema) === lowered(use.schema))
    if (called.length === 0 && !structure.has(lowered(use.schema))) return null
    reads.push(...(within.length > 0 ? within : called))
  }
  return [...new Set(reads)]
}
