import { AssayError, messageOf } from '@assay/service-kit/errors'
import type { KeptRows, MeasurePlan } from '../../plan.ts'
import type { Measured } from '../../port.ts'
import { fromRows } from '../../sql/compile.ts'
import { sql } from '../../sql/fragment.ts'
import { isKept, keepRows, keptRowsCount } from '../kept-rows/keep.ts'
import { isNumeric, selectOver } from './check.ts'
import { read, readRow } from './database.ts'
import { groupValues } from './duplicates.ts'
import { footerAnswer, usefulFooters } from './facts.ts'
import { engineFailure } from './failure.ts'
import { planBitmap } from './groups.ts'
import { metricResult, type Run, scan, setError } from './run.ts'
import { compileChecked, openSession, orChanged, type RunContext } from './session.ts'

async function startRun(context: RunContext, plan: MeasurePlan, outputFolder: string): Promise<Run> {
  context.progress({ stage: 'READING', fraction: null })
  const session = await openSession(context, plan.dataset, outputFolder, plan)
  const { rows, measurements, filterError, touched } = await compileChecked(session, context, plan.filter, plan.metrics)
  if (filterError !== null) throw new AssayError('invalid', `The filter cannot be used: ${filterError}`)
  const footers = await orChanged(context, session, () =>
    usefulFooters(session.connection, session.mounted, rows, measurements),
  )
  const total = footers && rows.filter === null ? footers.rows : null
  const empty = { scanned: new Map(), outcomes: new Map(), bitmaps: new Map() }
  return { session, context, plan, rows, measurements, touched, footers, total, ...empty }
}

function answerFromFooters(run: Run): void {
  for (const measurement of run.measurements) {
    const answer = footerAnswer(run.footers, run.rows, measurement)
    if (answer) run.outcomes.set(measurement.id, answer)
  }
}

/** Users' SELECTs, one at a time. */
async function selects(run: Run): Promise<void> {
  for (const measurement of run.measurements) {
    if (measurement.kind !== 'select') continue
    try {
      const reader = await read(run.session.connection, selectOver(run.rows, measurement.select))
      const [first, second] = reader.getRows()
      if (!isNumeric(reader.columnTypeId(0))) throw new AssayError('invalid', 'The SELECT must return a number.')
      if (!first || second)
        throw new AssayError('invalid', `The SELECT must return one row, but returns ${first ? 'more' : 'none'}.`)
      run.outcomes.set(measurement.id, { value: first[0] ?? null })
    } catch (error) {
      if (engineFailure(error).code === 'too-large' || messageOf(error).startsWith('INTERRUPT')) throw error
      setError(run, measurement.id, error)
    }
  }
}

/** Answers from footers first. Then runs one scan, groups, stored rows, and users' SELECTs. */
async function evaluate(run: Run, outputFolder: string): Promise<{ bad: KeptRows | null; good: KeptRows | null }> {
  answerFromFooters(run)
  const bitmaps = run.measurements.flatMap((measurement) => {
    if (measurement.kind !== 'distinct' && measurement.kind !== 'duplicate') return []
    return planBitmap(measurement, run.rows, run.footers, run.context.limits) ?? []
  })
  const laterCounted = keptRowsCount(run)
  await scan(run, { conditions: !laterCounted, bitmaps })
  const tables = await groupValues(run, (id) => isKept(run, id))
  const kept = await keepRows(run, outputFolder, tables)
  if (laterCounted) await scan(run, { conditions: true, bitmaps: [] })
  await selects(run)
  return kept
}

/** Rejects with `unprocessable` if the rows have changed since they were measured. */
async function assertSame({ session, rows, total }: Run): Promise<void> {
  const hasGrown = await session.assertUnchanged()
  if (!hasGrown) return
  // A longer file has new rows only at its end. If none of them is in the window, the measured rows are unchanged.
  const counting = readRow(session.connection, sql`SELECT count(*)${fromRows(rows)}`)
  // Fails if the last line is incomplete.
  const now = await counting.then(([count]) => Number(count)).catch(() => null)
  if (now !== total) await session.mounted.assertUnchanged?.(false)
}

/**
 * Runs a plan. Answers from footers first. One scan then computes aggregates and bitmaps; it also evaluates conditions,
 * unless storing the bad rows counts them. Groups, stored rows, and users' SELECTs follow. Throws `unprocessable`, for
 * example if files changed meanwhile.
 */
export async function measure(context: RunContext, plan: MeasurePlan, outputFolder: string): Promise<Measured> {
  const run = await startRun(context, plan, outputFolder)
  context.progress({ stage: 'MEASURING', fraction: null })
  const { mounted, window } = run.session
  const kept = await orChanged(context, run.session, () => evaluate(run, outputFolder))
  await assertSame(run)
  return {
    rowsScanned: run.total ?? 0,
    metrics: run.measurements.map((measurement) => metricResult(run, measurement)),
    ...kept,
    columns: mounted.columns,
    warnings: mounted.warnings,
    reached: window.reached,
    ...(mounted.files === undefined ? {} : { files: { all: mounted.files.all, outside: mounted.files.outside } }),
    ...(mounted.partitions === undefined ? {} : { partitions: mounted.partitions }),
    touched: run.touched,
    elapsedMs: Math.round(performance.now() - context.startedTick),
  }
}
