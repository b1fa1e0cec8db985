import { AssayError } from '@assay/service-kit/errors'
import type { KeptRows } from '../../plan.ts'
import type { RepeatedTables } from '../child/duplicates.ts'
import { engineFailure } from '../child/failure.ts'
import { type Run, scan } from '../child/run.ts'
import {
  countBadRows,
  countByKeeper,
  finishRows,
  type Keeping,
  type KeepRequest,
  type Side,
  type WrittenRows,
  writeRows,
} from './rows.ts'
import { type Keeper, keeperOf, repeatedKeeper } from './sql.ts'

/** Whether the failing rows of a metric are stored. */
export function isKept(run: Run, id: number): boolean {
  const { bad, good } = run.plan.rows
  return (bad !== null || good !== null) && !(run.plan.ignoreRowsOf ?? []).includes(id)
}

/** Whether storing the bad rows also gives the counts per condition, which saves a scan. */
export function keptRowsCount(run: Run): boolean {
  const { bad } = run.plan.rows
  return bad !== null && bad.limit === null
}

function keepersOf(run: Run, tables: RepeatedTables): Keeper[] {
  return run.measurements.flatMap((measurement) => {
    const outcome = run.outcomes.get(measurement.id)
    if (!isKept(run, measurement.id) || (outcome && 'error' in outcome)) return []
    if (measurement.kind === 'condition')
      return outcome && 'failed' in outcome && outcome.failed === 0 ? [] : [keeperOf(measurement)]
    const table = tables.get(measurement.id)
    return measurement.kind === 'duplicate' && table !== undefined ? [repeatedKeeper(table, measurement)] : []
  })
}

/**
 * Writes one side. If a condition fails at a row, a scan records its error, and the other conditions are written again.
 */
async function writeSide(
  run: Run,
  keeping: Keeping,
  tables: RepeatedTables,
  side: Side,
  request: KeepRequest,
): Promise<WrittenRows> {
  try {
    return await writeRows(keeping, side, keepersOf(run, tables), request)
  } catch (error) {
    if (engineFailure(error).code === 'too-large' || /^INTERRUPT/.test(String(error))) throw error
    await scan(run, { conditions: true, bitmaps: [] })
    return writeRows(keeping, side, keepersOf(run, tables), request)
  }
}

async function takeCounts(run: Run, written: WrittenRows): Promise<void> {
  const counts = await countByKeeper(run.session.connection, written)
  for (const measurement of run.measurements) {
    if (measurement.kind !== 'condition' || run.outcomes.has(measurement.id) || !isKept(run, measurement.id)) continue
    run.outcomes.set(measurement.id, { failed: counts.get(measurement.id) ?? 0 })
  }
}

/** Writes the rows that the plan requests. Bad and good rows together are the scanned rows. */
export async function keepRows(
  run: Run,
  outputFolder: string,
  tables: RepeatedTables,
): Promise<{ bad: KeptRows | null; good: KeptRows | null }> {
  const { bad, good, preview } = run.plan.rows
  if (bad === null && good === null) return { bad: null, good: null }
  run.context.progress({ stage: 'WRITING', fraction: null })
  const { connection, mounted } = run.session
  const keeping: Keeping = {
    connection,
    rows: run.rows,
    columns: mounted.columns,
    outputFolder,
    tempFolder: run.context.tempFolder,
    preview,
  }
  const writtenBad = bad && (await writeSide(run, keeping, tables, 'bad', bad))
  if (writtenBad && keptRowsCount(run)) await takeCounts(run, writtenBad)
  const writtenGood = good && (await writeSide(run, keeping, tables, 'good', good))
  const total = run.total ?? 0
  const cut = writtenBad === null || writtenBad.cut
  const badCount = !cut
    ? writtenBad.written
    : writtenGood && !writtenGood.cut
      ? total - writtenGood.written
      : await countBadRows(keeping, keepersOf(run, tables))
  if (writtenGood && !writtenGood.cut && writtenGood.written + badCount !== total) {
    throw new AssayError('unprocessable', 'The data changed while it was being read. Run it again.')
  }
  return {
    bad: bad && writtenBad && (await finishRows(keeping, 'bad', writtenBad, bad.format, badCount)),
    good: good && writtenGood && (await finishRows(keeping, 'good', writtenGood, good.format, total - badCount)),
  }
}
