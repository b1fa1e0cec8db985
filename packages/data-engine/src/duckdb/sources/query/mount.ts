import { AssayError } from '@assay/service-kit/errors'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { DatasetLocator, QueryLocator } from '../../../dataset.ts'
import type { Binding } from '../../../sql/fragment.ts'
import { createInlining, plainLiteral } from '../../../sql/inlined.ts'
import { quoteName } from '../../../sql/quote.ts'
import type { Reach } from '../../../sql/tree/guard.ts'
import { engineFailure } from '../../child/failure.ts'
import { withPlace } from '../../child/sentences.ts'
import type { MountContext, Mounted } from '../../mount.ts'
import { type Checked, checkOne } from '../../parse.ts'
import { rowsOf } from '../sql.ts'

function literal(value: Binding): string {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? `CAST('${value}' AS DOUBLE)` : plainLiteral(value)
}

/**
 * The SELECT as text without parameters, because a relation cannot have parameters. Checks that it reads only its own
 * tables.
 */
async function selectText(
  { connection, startedAt }: MountContext,
  locator: QueryLocator,
): Promise<{ select: string } & Pick<Checked, 'positionOf'>> {
  const { parameters, inlined } = createInlining(new Date(startedAt).toISOString(), literal)
  const given = { sql: locator.sql, variables: locator.variables ?? {} }
  const reach: Reach = { form: 'select', tables: locator.tables.map(({ name }) => name) }
  const { fragment, positionOf } = await checkOne(connection, { given, reach }, parameters)
  return { select: inlined(fragment), positionOf }
}

/**
 * Makes a SELECT over tables readable: mounts each table under the name that the SELECT uses for it. The SELECT is
 * parsed and checked here; the engine binds and runs it only after the lock-down.
 */
export async function mountQuery(
  context: MountContext,
  locator: QueryLocator,
  mountDataset: (context: MountContext, locator: DatasetLocator) => Promise<Mounted>,
): Promise<Mounted> {
  const { select, positionOf } = await selectText(context, locator)
  const tables: { name: string; mounted: Mounted }[] = []
  for (const { name, dataset } of locator.tables) tables.push({ name, mounted: await mountDataset(context, dataset) })
  const named = tables.map(
    ({ name, mounted }) => `${quoteName(name)} AS NOT MATERIALIZED (SELECT * FROM ${mounted.relation})`,
  )
  const head = named.length === 0 ? '' : `WITH ${named.join(', ')} `
  const all = tables.map(({ mounted }) => mounted)
  return {
    relation: `(${head}SELECT * FROM (\n${select}\n))`,
    columns: [],
    placed: (sentence) =>
      withPlace(sentence, {
        columns: all.flatMap(({ columns }) => columns.map(({ name }) => name)),
        positionOf,
      }),
    warnings: {
      total: all.reduce((sum, { warnings }) => sum + warnings.total, 0),
      first: all.flatMap(({ warnings }) => warnings.first).slice(0, 100),
    },
    assertUnchanged: async (mayGrow) => {
      let hasGrown = false
      for (const { assertUnchanged } of all) hasGrown = ((await assertUnchanged?.(mayGrow)) ?? false) || hasGrown
      return hasGrown
    },
    allowedDirectories: all.flatMap(({ allowedDirectories }) => allowedDirectories),
    allowedPaths: all.flatMap(({ allowedPaths }) => allowedPaths ?? []),
  }
}

/** Determines the columns of a query. Runs after the lock-down, when the query can read only its own tables. */
export async function describeQuery(connection: DuckDBConnection, mounted: Mounted): Promise<void> {
  const { placed } = mounted
  if (placed === undefined) return
  const rows = await rowsOf(connection, `DESCRIBE SELECT * FROM ${mounted.relation} AS asset`).catch((error) => {
    const { code, message } = engineFailure(error)
    const sentence = placed(message)
    throw sentence === message ? error : new AssayError(code, sentence, { cause: error })
  })
  mounted.columns = rows.map((row) => ({ name: String(row.column_name), dataType: String(row.column_type) }))
}
