import type { DatasetLocator } from '../../dataset.ts'
import type { Metric, SqlText } from '../../plan.ts'
import type { Prepared, SampleRows } from '../../port.ts'
import { raw } from '../../sql/fragment.ts'
import { jsonRows } from '../values.ts'
import { read } from './database.ts'
import { compileChecked, openSession, type RunContext } from './session.ts'

/** What a definition would meet if it ran now. */
export async function prepare(
  context: RunContext,
  request: { dataset: DatasetLocator; filter?: SqlText | undefined; metrics: readonly Metric[] },
): Promise<Prepared> {
  const session = await openSession(context, request.dataset, null, { metrics: request.metrics })
  const { measurements, filterError } = await compileChecked(session, context, request.filter, request.metrics)
  const metricErrors = measurements.flatMap((measurement) =>
    measurement.kind === 'refused' ? [{ id: measurement.id, message: measurement.message }] : [],
  )
  return { columns: session.mounted.columns, filterError, metricErrors }
}

/** The first rows, in the order of the source. */
export async function sample(
  context: RunContext,
  request: { dataset: DatasetLocator; limit: number },
): Promise<SampleRows> {
  const { connection, mounted } = await openSession(context, request.dataset, null)
  const limit = Math.max(0, Math.floor(request.limit))
  const reader = await read(connection, raw(`SELECT * FROM ${mounted.relation} LIMIT ${limit}`))
  const fields = mounted.columns.map((column) => ({ name: column.name, type: column.dataType, nullable: true }))
  return { fields, rows: jsonRows(reader), warnings: mounted.warnings }
}
