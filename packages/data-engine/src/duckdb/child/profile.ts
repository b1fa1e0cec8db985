import path from 'node:path'
import { AssayError } from '@assay/service-kit/errors'
import type { DatasetProfile, ProfilePlan } from '../../profile.ts'
import { fromRows } from '../../sql/compile.ts'
import { raw, sql } from '../../sql/fragment.ts'
import { type Column, columnFinder } from '../../sql/predicate/column.ts'
import { quoteName, textLiteral } from '../../sql/quote.ts'
import type { ColumnState } from '../../states/column-state.ts'
import type { LogicalType } from '../../types/logical-type.ts'
import { duckdbDialect } from '../dialect.ts'
import { columnState, isFatal, type ProfiledRows } from './column-state.ts'
import { readRow } from './database.ts'
import { engineMessage } from './failure.ts'
import { openKeptValues } from './kept-values.ts'
import { compileChecked, openSession, orChanged, type RunContext, type Session } from './session.ts'

/** Maximum number of columns. Later columns are not read. */
export const maxColumns = 1000
/** Maximum total length of the states, because one message returns all of them. */
const maxStateCharacters = 64 * 1024 * 1024

/** Measures columns one after the other. */
export async function eachState<T>(
  { signal, progress }: Pick<RunContext, 'signal' | 'progress'>,
  columns: readonly T[],
  measured: (column: T, index: number) => Promise<ColumnState>,
): Promise<ColumnState[]> {
  const found: ColumnState[] = []
  let characters = 0
  for (const [index, column] of columns.entries()) {
    signal.throwIfAborted()
    progress({ stage: 'MEASURING', fraction: found.length / columns.length })
    const state = await measured(column, index)
    characters += JSON.stringify(state).length
    if (characters > maxStateCharacters)
      throw new AssayError('too-large', 'The columns have too many long values for one profile. Name fewer columns.')
    found.push(state)
  }
  return found
}

/** Parquet would round numbers wider than 64 bits. */
const isHuge = (type: LogicalType) => type.kind === 'integer' && type.bits === 128

function copied(file: string, columns: readonly Column[]): string {
  const relation = `read_parquet(${textLiteral(file)})`
  if (!columns.some(({ type }) => isHuge(type))) return relation
  const values = columns.map(({ name, dataType, type, sql }) =>
    isHuge(type) ? `CAST(${sql} AS ${dataType}) AS ${quoteName(name)}` : sql,
  )
  return `(SELECT ${values.join(', ')} FROM ${relation})`
}

/**
 * The states of the columns of a dataset. The source is read once: its rows are copied to a Parquet file, from which
 * each column is then read. If all rows of Parquet files are requested, the columns are read from these files without a
 * copy. Throws `unprocessable`, for example if files changed meanwhile.
 */
export async function profile(context: RunContext, plan: ProfilePlan): Promise<DatasetProfile> {
  context.progress({ stage: 'READING', fraction: null })
  const session = await openSession(context, plan.dataset, context.tempFolder, { window: plan.window })
  const answer = await orChanged(context, session, () => profileIn(context, plan, session))
  await session.assertUnchanged()
  return answer
}

async function profileIn(context: RunContext, plan: ProfilePlan, session: Session): Promise<DatasetProfile> {
  const { connection, mounted, window, hidden } = session
  const { rows, filterError, touched } = await compileChecked(session, context, plan.filter, [])
  if (filterError !== null) throw new AssayError('invalid', `The filter cannot be used: ${filterError}`)
  const finder = columnFinder(mounted.columns, duckdbDialect)
  const requested = plan.columns?.map(finder) ?? mounted.columns.map(({ name }) => finder(name))
  const columns = requested.slice(0, maxColumns)
  const sample = plan.maxRows === undefined ? '' : ` USING SAMPLE reservoir(${plan.maxRows} ROWS) REPEATABLE (20)`
  let source = mounted.relation
  if (mounted.parquetFiles === undefined || rows.filter !== null || sample !== '') {
    const file = path.join(context.tempFolder, 'profile.parquet')
    const values = columns.map(({ name, type, sql }) =>
      isHuge(type) ? `CAST(${sql} AS VARCHAR) AS ${quoteName(name)}` : sql,
    )
    const what = sql`COPY (SELECT ${values.join(', ')} FROM (SELECT *${fromRows(rows)})${sample}) TO ${textLiteral(file)} (FORMAT PARQUET)`
    try {
      await readRow(connection, what)
    } catch (error) {
      if (isFatal(error)) throw error
      const reason = engineMessage(error, hidden)
      throw new AssayError('unprocessable', `The rows could not be read: ${reason}`, { cause: error })
    }
    source = copied(file, columns)
  }
  const [count, version] = await readRow(connection, raw(`SELECT count(*), version() FROM ${source}`))
  const profiled: ProfiledRows = {
    ...{ connection, source, hidden, count: Number(count ?? 0) },
    hashedBy: `DuckDB ${version}`,
  }
  const kept = plan.keepValues && (await openKeptValues(connection, context.tempFolder, plan.keepValues))
  const found = await eachState(context, columns, async (column, index) => {
    const state = await columnState(profiled, column)
    await kept?.add(index, state, column.type)
    return state
  })
  return {
    rows: profiled.count,
    columns: found,
    columnsLeftOut: requested.length - columns.length,
    warnings: mounted.warnings,
    reached: window.reached,
    ...(mounted.files === undefined ? {} : { files: { all: mounted.files.all, outside: mounted.files.outside } }),
    ...(mounted.partitions === undefined ? {} : { partitions: mounted.partitions }),
    ...(mounted.state === undefined ? {} : { state: mounted.state }),
    ...(touched[0] === undefined ? {} : { touched: touched[0].touched }),
    ...(await kept?.close()),
    elapsedMs: Math.round(performance.now() - context.startedTick),
  }
}
