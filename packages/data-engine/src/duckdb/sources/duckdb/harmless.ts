import type { DuckDBConnection } from '@duckdb/node-api'
import { allowedTableFunctions, functionClassOf } from '../../../sql/tree/functions.ts'
import { lowered } from '../../../sql/tree/nodes.ts'
import type { Use } from '../../../sql/tree/uses.ts'
import type { Entry } from '../../../sql/view-reads.ts'
import { refused } from '../failures.ts'
import { rowsOf } from '../sql.ts'
import { macrosOf, type NamedTable, usesOfView } from './reads.ts'

/** A table or view of a file. */
export interface FileEntry extends Entry, NamedTable {}

/** Catalogs of the engine itself. */
const engineCatalogs = new Set(['system', 'temp', 'memory'])

const isCalled = (entry: NamedTable, schema: string, name: string) =>
  lowered(entry.schema) === schema && lowered(entry.name) === name

/** Names of the engine's own tables. */
async function engineTables(connection: DuckDBConnection): Promise<ReadonlySet<string>> {
  const rows = await rowsOf(connection, 'SELECT DISTINCT lower(view_name) AS name FROM duckdb_views() WHERE internal')
  return new Set(rows.map(({ name }) => String(name)))
}

/**
 * Rejects with `unprocessable` if a view of a DuckDB file, or a view that it reads, is not harmless. A harmless view
 * reads only the file's own tables, and calls only functions that users' SQL may call. Otherwise the author of the file
 * could read the engine or other files through the view.
 */
export async function requireHarmlessView(
  connection: DuckDBConnection,
  database: string,
  view: FileEntry,
  entries: readonly FileEntry[],
): Promise<void> {
  const [macros, internal] = [await macrosOf(connection, database), await engineTables(connection)]
  const open = [view]
  const seen = new Set(open)
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const { schema, name, definition } = entry
    if (definition === '') continue
    const fail = (reason: string) => refused(`${schema}.${name}`, `is a view that cannot be read: ${reason}`)
    const uses = await usesOfView(connection, definition)
    if (uses === null) throw fail('its SELECT cannot be checked')
    for (const use of uses) {
      const problem = problemOf(use, macros)
      if (problem !== undefined) throw fail(problem)
      if (use.kind !== 'table') continue
      const called = lowered(use.name)
      const schemas = use.schema === '' ? [lowered(schema), 'main'] : [lowered(use.schema)]
      const read = schemas.flatMap((one) => entries.filter((other) => isCalled(other, one, called)))
      if (read.length === 0 || internal.has(called) || engineCatalogs.has(lowered(use.catalog)))
        throw fail(`it reads "${use.name}", which is not a table of the file`)
      for (const one of read) {
        if (!seen.has(one)) open.push(one)
        seen.add(one)
      }
    }
  }
}

function problemOf(use: Use, macros: ReadonlySet<string>): string | undefined {
  switch (use.kind) {
    case 'function': {
      const name = lowered(use.name)
      // A macro of the file shadows the engine's function of that name.
      const isAllowed = functionClassOf(name) === 'allowed' || allowedTableFunctions.has(name) || isTime(name)
      return isAllowed && !macros.has(name) ? undefined : `it calls "${use.name}"`
    }
    case 'table-function':
      return allowedTableFunctions.has(lowered(use.name)) && !macros.has(lowered(use.name))
        ? undefined
        : `it calls "${use.name}"`
    case 'refused':
      return use.what.startsWith('DESCRIBE') ? undefined : `it holds ${use.what}`
    default:
      return undefined
  }
}

/** Time functions. Views of a file may call them, because the SQL of views cannot be rewritten. */
const times = new Set([
  'now',
  'today',
  'current_date',
  'get_current_timestamp',
  'get_current_time',
  'transaction_timestamp',
])
const isTime = (name: string) => times.has(name)
