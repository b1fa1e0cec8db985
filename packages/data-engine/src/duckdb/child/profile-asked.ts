import { rm } from 'node:fs/promises'
import { AssayError } from '@assay/service-kit/errors'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { SideRequest, SourceColumn, SourceSide } from '../../compared-source.ts'
import type { DatasetProfile, ProfilePlan } from '../../profile.ts'
import { raw } from '../../sql/fragment.ts'
import { columnFinder } from '../../sql/predicate/column.ts'
import type { ColumnState } from '../../states/column-state.ts'
import { formatType } from '../../types/format-type.ts'
import { isNumeric, type LogicalType } from '../../types/logical-type.ts'
import { duckdbDialect } from '../dialect.ts'
import type { AnswerFile } from '../protocol.ts'
import { answeredCount, answeredGroups, answeredValues, digitsOfAnswer, misfits } from '../sql/compare-answers.ts'
import { type ProfiledRows, stateOf, unreadState } from './column-state.ts'
import { numbers, run } from './compare-side.ts'
import { readRow } from './database.ts'
import { groups } from './exact-sums.ts'
import { openKeptValues } from './kept-values.ts'
import { eachState, maxColumns } from './profile.ts'
import { openLocked, type RunContext } from './session.ts'

/** Maximum number of digits of a decimal. */
const maxDigits = 38
const double: LogicalType = { kind: 'float', bits: 64 }

/**
 * A type for numbers whose source type describes none: a decimal or a double, whichever holds all of them without
 * rounding; null if neither does.
 */
async function typeOfNumbers(connection: DuckDBConnection, file: AnswerFile): Promise<LogicalType | null> {
  const [whole = 0, scale = 0, others = 0, rounded = 0] = numbers(await readRow(connection, digitsOfAnswer(file)))
  if (others === 0 && whole + scale <= maxDigits) return { kind: 'decimal', precision: maxDigits, scale }
  return rounded === 0 ? double : null
}

/** How the values of a column are stored, so that all of them fit; null if this is impossible. */
async function storedColumn(
  connection: DuckDBConnection,
  file: AnswerFile,
  column: SourceColumn,
): Promise<SourceColumn | null> {
  const isWide = isNumeric(column.type) && column.stored === 'VARCHAR'
  const [misfit = 0] = isWide ? [1] : numbers(await readRow(connection, misfits(file, [column], 2)))
  if (misfit === 0) return column
  if (!isNumeric(column.type)) return null
  const type = await typeOfNumbers(connection, file)
  return type === null ? null : { ...column, type, stored: formatType(type) }
}

/** The state of a column whose values cannot be stored. */
function misfitState(
  rows: Parameters<typeof unreadState>[0],
  { name, type, stored }: SourceColumn,
  count: Parameters<typeof unreadState>[2],
): ColumnState {
  const has = `The column "${name}" has`
  if (!isNumeric(type))
    return unreadState(
      rows,
      { name, dataType: stored },
      count,
      `${has} values that Assay cannot represent as ${stored}.`,
    )
  const error = `${has} numbers that Assay cannot represent without rounding: a profile needs numbers of at most ${maxDigits} digits.`
  return unreadState(rows, { name, dataType: formatType(double) }, count, error)
}

/**
 * The states of the columns of a table that another engine reads. The source groups each column, and sends its
 * different values with their counts. So the states equal those of the same rows in a file.
 */
export async function profileAsked(
  context: RunContext,
  plan: ProfilePlan,
  { columns: all, reached }: Pick<SourceSide, 'columns' | 'reached'>,
): Promise<DatasetProfile> {
  context.progress({ stage: 'READING', fraction: null })
  const { connection } = await openLocked(context, [], context.tempFolder)
  const find = columnFinder(
    all.map(({ name, stored }) => ({ name, dataType: stored })),
    duckdbDialect,
  )
  const byName = new Map(all.map((column) => [column.name, column]))
  const requested = (plan.columns ?? all.map(({ name }) => name)).flatMap((name) => byName.get(find(name).name) ?? [])
  const columns = requested.slice(0, maxColumns)
  const ask = async (kind: SideRequest['kind'], name: string | null): Promise<AnswerFile> => {
    if (context.ask === undefined) throw new AssayError('internal', 'No other engine reads this table.')
    const named = name === null ? [] : [{ name, as: { kind: 'text' } as const, isKey: false }]
    return context.ask('left', { side: 'left', kind, columns: named, bits: 0, within: null })
  }
  const [count = 0] = numbers(await readRow(connection, answeredCount(await ask('count', null))))
  const [version] = await readRow(connection, raw('SELECT version()'))
  const rows: Omit<ProfiledRows, 'source'> = { connection, count, hidden: [], hashedBy: `DuckDB ${version}` }
  const kept = plan.keepValues && (await openKeptValues(connection, context.tempFolder, plan.keepValues))
  const measured = async (column: SourceColumn, index: number): Promise<ColumnState> => {
    const file = await ask('values', column.name)
    const stored = await storedColumn(connection, file, column)
    const { name, type, stored: dataType } = stored ?? column
    const count = () => readRow(connection, answeredValues(file))
    const group = () => run(connection, answeredGroups(groups, file, stored ?? column))
    const state =
      stored === null
        ? misfitState(rows, column, await count())
        : await stateOf(rows, { name, dataType, type }, { group, count })
    await kept?.add(index, state, type)
    await rm(file.file)
    return state
  }
  return {
    rows: count,
    columns: await eachState(context, columns, measured),
    columnsLeftOut: requested.length - columns.length,
    warnings: { total: 0, first: [] },
    reached,
    ...(await kept?.close()),
    elapsedMs: Math.round(performance.now() - context.startedTick),
  }
}
