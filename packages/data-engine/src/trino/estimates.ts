import { z } from 'zod'
import type { Connection } from '../push-down/connection.ts'
import { textsOf } from '../push-down/texts.ts'
import { quoteName } from '../sql/quote.ts'
import { type CatalogTable, keyOf } from './catalog.ts'

/** Number of tables that one statement is about. The server takes disproportionately long to plan larger ones. */
const tablesAtOnce = 20

const plan = z.object({
  inputTableColumnInfos: z.array(
    z.object({
      table: z.object({ schemaTable: z.object({ schema: z.string(), table: z.string() }) }),
      // A number that is unknown is the text NaN.
      estimate: z.object({ outputRowCount: z.union([z.number(), z.string()]) }),
    }),
  ),
})

/** The estimates of the server, by `keyOf`. Explains a statement, which does not run. */
async function estimated(connection: Connection, catalog: string, tables: readonly CatalogTable[]) {
  const named = ({ schema, name }: CatalogTable) => [catalog, schema, name].map(quoteName).join('.')
  const selects = tables.map((table) => `SELECT 1 FROM ${named(table)}`).join(' UNION ALL ')
  const [[text] = []] = await textsOf(connection, `EXPLAIN (TYPE IO, FORMAT JSON) ${selects}`)
  const { inputTableColumnInfos: found } = plan.parse(JSON.parse(text ?? '{}'))
  return found.flatMap(({ table: { schemaTable }, estimate: { outputRowCount: rows } }): [string, number][] =>
    typeof rows === 'number' ? [[keyOf(schemaTable.schema, schemaTable.table), Math.round(rows)]] : [],
  )
}

/**
 * The numbers of rows that the server estimates, by `keyOf`, as long as `isTime`. If a statement fails, its tables are
 * halved, so that only the tables that cause it have no estimate.
 */
export async function estimatedRows(
  connection: Connection,
  catalog: string,
  tables: readonly CatalogTable[],
  isTime: () => boolean,
): Promise<Map<string, number>> {
  const all = new Map<string, number>()
  const add = async (some: readonly CatalogTable[]): Promise<void> => {
    if (some.length === 0 || !isTime()) return
    const found = await estimated(connection, catalog, some).catch(() => null)
    for (const [key, rows] of found ?? []) all.set(key, rows)
    if (found !== null || some.length === 1) return
    const half = Math.ceil(some.length / 2)
    await add(some.slice(0, half))
    await add(some.slice(half))
  }
  for (let from = 0; from < tables.length; from += tablesAtOnce) await add(tables.slice(from, from + tablesAtOnce))
  return all
}
