import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { DuckDBValue } from '@duckdb/node-api'
import { fileDateColumn, type MeasuredPeriods, type PeriodPlan } from '../../periods.ts'
import { readPeriods } from '../../sql/by-period.ts'
import { columnFinder } from '../../sql/predicate/column.ts'
import { duckdbDialect } from '../dialect.ts'
import { exactText, instantText } from '../values.ts'
import { read } from './database.ts'
import { engineMessage } from './failure.ts'
import { isFatal } from './run.ts'
import { compileChecked, openSession, orChanged, type RunContext, type Session } from './session.ts'

/** Measures the metrics of each period in one scan. Throws `unprocessable`, for example if files changed meanwhile. */
export async function measurePeriods(context: RunContext, plan: PeriodPlan): Promise<MeasuredPeriods> {
  context.progress({ stage: 'READING', fraction: null })
  const session = await openSession(context, plan.dataset, null, { metrics: plan.metrics, fileDates: datesOf(plan) })
  context.progress({ stage: 'MEASURING', fraction: null })
  const answer = await orChanged(context, session, () => periodsIn(context, plan, session))
  await session.assertUnchanged()
  return answer
}

/** The dates of the files that the periods need, if their names decide the periods. */
function datesOf({ time, bounds, asksOlder = false }: PeriodPlan) {
  const [from, to] = [bounds[0], bounds.at(-1)]
  if (from === undefined || to === undefined || !time.some(({ column }) => column === fileDateColumn)) return undefined
  return { from: from.slice(0, 10), to: to.slice(0, 10), asksOlder }
}

async function periodsIn(context: RunContext, plan: PeriodPlan, session: Session): Promise<MeasuredPeriods> {
  const { connection, mounted, hidden } = session
  const { rows, measurements, filterError, touched } = await compileChecked(session, context, plan.filter, plan.metrics)
  if (filterError !== null) throw new AssayError('invalid', `The filter cannot be used: ${filterError}`)
  const column = columnFinder(mounted.columns, duckdbDialect)
  const engine = {
    ...{ isFatal, numberOf: Number, dialect: duckdbDialect },
    readAll: async (statement: Parameters<typeof read>[1]) => (await read(connection, statement)).getRows(),
    textOf: (cell: DuckDBValue, { instant }: { instant: boolean }) => (instant ? instantText(cell) : exactText(cell)),
    sentenceOf: (error: unknown) => (isAssayError(error) ? error.message : engineMessage(error, hidden)),
  }
  const answer = await readPeriods<DuckDBValue>(engine, { plan, rows, column, measurements })
  const elapsedMs = Math.round(performance.now() - context.startedTick)
  return { ...answer, warnings: mounted.warnings, touched, elapsedMs }
}
