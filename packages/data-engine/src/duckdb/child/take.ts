import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { AssayError } from '@assay/service-kit/errors'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { SourceSide } from '../../compared-source.ts'
import { fromRows } from '../../sql/compile.ts'
import { type Fragment, sql } from '../../sql/fragment.ts'
import { type Column, columnFinder } from '../../sql/predicate/column.ts'
import { quoteName, textLiteral } from '../../sql/quote.ts'
import { type TakenColumn, type TakenRows, type TakePlan, takenPart } from '../../take.ts'
import { formatType } from '../../types/format-type.ts'
import { isNumeric, type LogicalType } from '../../types/logical-type.ts'
import { requireNoOthers } from '../../whole-table.ts'
import { duckdbDialect } from '../dialect.ts'
import { answeredRows } from '../sql/compare-answers.ts'
import { fittingColumns } from './compare-asked.ts'
import { readRow } from './database.ts'
import { compileChecked, openLocked, openSession, orChanged, type RunContext } from './session.ts'

/** Writes rows to the part. Returns their number. Error: `too-large` if the part exceeds the temporary space of a run. */
async function write(
  { limits }: RunContext,
  connection: DuckDBConnection,
  query: Fragment,
  outputFolder: string,
): Promise<number> {
  const file = path.join(outputFolder, takenPart)
  await mkdir(path.dirname(file), { recursive: true })
  const [written] = await readRow(connection, sql`COPY (${query}) TO ${textLiteral(file)} (FORMAT PARQUET)`)
  if ((await stat(file)).size > limits.maxTempMb * 1_000_000) {
    const sentence = `The rows to compare later need more than the ${limits.maxTempMb} MB of temporary space of a run. Read fewer rows, with a filter or a marker, or fewer columns.`
    throw new AssayError('too-large', sentence)
  }
  return Number(written ?? 0)
}

/** Values that Parquet changes are stored as text. */
function storedColumn({ name, dataType, type }: Column): TakenColumn {
  const isHuge = type.kind === 'integer' && type.bits > 64
  const isText = isHuge || type.kind === 'text' || type.kind === 'json' || type.kind === 'other'
  return { name, dataType, stored: isText ? 'VARCHAR' : dataType }
}

/** Stores rows of a table that DuckDB reads. */
export async function take(context: RunContext, plan: TakePlan, outputFolder: string): Promise<TakenRows> {
  context.progress({ stage: 'READING', fraction: null })
  const session = await openSession(context, plan.dataset, outputFolder, { window: plan.window })
  const answer = await orChanged(context, session, async () => {
    const { connection, mounted, window } = session
    const { rows, filterError, touched } = await compileChecked(session, context, plan.filter, [])
    if (filterError !== null) throw new AssayError('invalid', `The filter cannot be used: ${filterError}`)
    const find = columnFinder(mounted.columns, duckdbDialect)
    const columns = new Map(plan.columns.map(find).map((column) => [column.name, column]))
    if (plan.whole) requireNoOthers(mounted.columns, [...columns.keys()])
    const values = [...columns.values()].map((column) => {
      const { stored } = storedColumn(column)
      return `${stored === 'VARCHAR' ? column.text : column.sql} AS ${quoteName(column.name)}`
    })
    context.progress({ stage: 'WRITING', fraction: null })
    return {
      rows: await write(context, connection, sql`SELECT ${values.join(', ')}${fromRows(rows)}`, outputFolder),
      ...{ reached: window.reached, warnings: mounted.warnings, touched: touched[0]?.touched ?? null },
      ...{ columns: [...columns.values()].map(storedColumn), file: takenPart },
    }
  })
  await session.assertUnchanged()
  return { ...answer, elapsedMs: Math.round(performance.now() - context.startedTick) }
}

/** DuckDB has no name for types of numbers that it stores as text. These are compared by their digits. */
const nameOf = (type: LogicalType, stored: string) =>
  isNumeric(type) && stored === 'VARCHAR' ? 'DOUBLE' : formatType(type)

/** Stores rows of a table that another engine reads. That engine sends them. */
export async function takeAsked(
  context: RunContext,
  plan: TakePlan,
  { columns: all, reached }: Pick<SourceSide, 'columns' | 'reached'>,
  outputFolder: string,
): Promise<TakenRows> {
  context.progress({ stage: 'READING', fraction: null })
  const { connection } = await openLocked(context, [], outputFolder)
  const find = columnFinder(
    all.map(({ name, stored }) => ({ name, dataType: stored })),
    duckdbDialect,
  )
  const names = new Set(plan.columns.map((name) => find(name).name))
  if (plan.whole) requireNoOthers(all, [...names])
  const columns = all.filter(({ name }) => names.has(name))
  if (context.ask === undefined) throw new AssayError('internal', 'No other engine reads this table.')
  const asked = columns.map(({ name }) => ({ name, as: { kind: 'text' as const }, isKey: false }))
  const file = await context.ask('left', { side: 'left', kind: 'rows', columns: asked, bits: 0, within: null })
  const fitting = await fittingColumns(connection, file, columns)
  context.progress({ stage: 'WRITING', fraction: null })
  const rows = await write(context, connection, sql`SELECT * FROM ${answeredRows(file, fitting)}`, outputFolder)
  return {
    ...{ rows, reached, warnings: { total: 0, first: [] }, touched: null, file: takenPart },
    columns: fitting.map(({ name, type, stored }) => ({ name, dataType: nameOf(type, stored), stored })),
    elapsedMs: Math.round(performance.now() - context.startedTick),
  }
}
