import { AssayError, messageOf } from '@assay/service-kit/errors'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { DatasetLocator } from '../../dataset.ts'
import type { Metric, SqlText } from '../../plan.ts'
import type { Prepared, SampleRows } from '../../port.ts'
import { fromRows, type Rows } from '../../sql/compile.ts'
import { sql } from '../../sql/fragment.ts'
import { jsonRows } from '../values.ts'
import { read } from './database.ts'
import { engineFailure, engineMessage } from './failure.ts'
import { compileChecked, openSession, orChanged, type RunContext } from './session.ts'

/** Checks a definition against the source. */
export async function prepare(
  context: RunContext,
  request: { dataset: DatasetLocator; filter?: SqlText | undefined; metrics: readonly Metric[] },
): Promise<Prepared> {
  const session = await openSession(context, request.dataset, null, { metrics: request.metrics, isLook: true })
  context.progress({ stage: 'MEASURING', fraction: null })
  const { measurements, filterError } = await compileChecked(session, context, request.filter, request.metrics)
  const metricErrors = measurements.flatMap((measurement) =>
    measurement.kind === 'refused' ? [{ id: measurement.id, message: measurement.message }] : [],
  )
  return { columns: session.mounted.columns, filterError, metricErrors }
}

/** The first rows for which the filter is true, in the order of the source. */
export async function sample(
  context: RunContext,
  request: { dataset: DatasetLocator; limit: number; filter?: SqlText | undefined },
): Promise<SampleRows> {
  const session = await openSession(context, request.dataset, null, { isLook: true })
  const { connection, mounted, hidden } = session
  const limit = Math.max(0, Math.floor(request.limit))
  const { rows, filterError } = await compileChecked(session, context, request.filter, [])
  if (filterError !== null) throw new AssayError('invalid', `filter: ${filterError}`)
  const reader = await orChanged(context, session, () => firstRows(connection, rows, limit, hidden))
  const fields = mounted.columns.map((column) => ({ name: column.name, type: column.dataType, nullable: true }))
  return { fields, rows: jsonRows(reader), warnings: mounted.warnings }
}

/** With a filter, the filter is the cause of an error at a row. Without one, errors of the source pass unchanged. */
async function firstRows(connection: DuckDBConnection, rows: Rows, limit: number, hidden: readonly string[]) {
  try {
    return await read(connection, sql`SELECT *${fromRows(rows)} LIMIT ${`${limit}`}`)
  } catch (error) {
    if (rows.filter === null || engineFailure(error).code === 'too-large' || messageOf(error).startsWith('INTERRUPT'))
      throw error
    throw new AssayError('invalid', `filter: ${engineMessage(error, hidden)}`, { cause: error })
  }
}
