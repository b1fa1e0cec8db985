import { isAssayError, messageOf } from '@assay/service-kit/errors'
import { distinctCount, duplicateCount, type Measurement } from '../../sql/compile.ts'
import { raw } from '../../sql/fragment.ts'
import { repeatedKeys } from '../kept-rows/sql.ts'
import { readRow } from './database.ts'
import { engineFailure } from './failure.ts'
import { type Run, scannedBy, setError } from './run.ts'

type Duplicate = Extract<Measurement, { kind: 'duplicate' }>

/**
 * Temporary tables of repeated keys, by the id of the duplicate check. Only checks that found repeated keys have one.
 */
export type RepeatedTables = Map<number, string>

/** Whether no two rows can be equal, because one of the columns has no repeated value and at most one NULL. */
function neverRepeats(run: Run, measurement: Duplicate): boolean {
  const bitmap = run.bitmaps.get(measurement.id)
  return (
    bitmap !== undefined && bitmap.distinct === bitmap.values && scannedBy(run, measurement.id) - bitmap.values <= 1
  )
}

async function duplicates(run: Run, measurement: Duplicate, keepKeys: boolean, tables: RepeatedTables): Promise<void> {
  const { connection } = run.session
  if (neverRepeats(run, measurement)) {
    run.outcomes.set(measurement.id, { failed: 0 })
    return
  }
  if (!keepKeys) {
    const [failed] = await readRow(connection, duplicateCount(run.rows, measurement))
    run.outcomes.set(measurement.id, { failed: Number(failed ?? 0) })
    return
  }
  const table = `assay_repeated_${run.measurements.indexOf(measurement)}`
  await readRow(connection, repeatedKeys(table, run.rows, measurement))
  const [failed] = await readRow(connection, raw(`SELECT coalesce(sum(n), 0) FROM ${table}`))
  run.outcomes.set(measurement.id, { failed: Number(failed ?? 0) })
  if (Number(failed ?? 0) > 0) tables.set(measurement.id, table)
}

/**
 * Runs measurements that group equal values, one statement after the other, so that each frees its memory before the
 * next. `keeps`: whether the failing rows of a check will be stored. Storing them requires the keys and not only the
 * count.
 */
export async function groupValues(run: Run, keeps: (id: number) => boolean): Promise<RepeatedTables> {
  const tables: RepeatedTables = new Map()
  for (const measurement of run.measurements) {
    if ((measurement.kind !== 'duplicate' && measurement.kind !== 'distinct') || run.outcomes.has(measurement.id))
      continue
    try {
      if (measurement.kind === 'duplicate') await duplicates(run, measurement, keeps(measurement.id), tables)
      else await distincts(run, measurement)
    } catch (error) {
      const failure = engineFailure(error)
      if (isAssayError(error) || failure.code === 'too-large' || messageOf(error).startsWith('INTERRUPT')) throw error
      setError(run, measurement.id, error)
    }
  }
  return tables
}

async function distincts(run: Run, measurement: Extract<Measurement, { kind: 'distinct' }>): Promise<void> {
  const bitmap = run.bitmaps.get(measurement.id)
  if (bitmap) {
    run.outcomes.set(measurement.id, bitmap)
    return
  }
  const [values, distinct] = await readRow(run.session.connection, distinctCount(run.rows, measurement))
  run.outcomes.set(measurement.id, { distinct: Number(distinct ?? 0), values: Number(values ?? 0) })
}
