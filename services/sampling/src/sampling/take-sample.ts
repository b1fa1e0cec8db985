import type { SampleData } from '@assay/contracts'
import { type DataEngine, datasetLocator, type SampleRows } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import type { SampleTarget } from '../asset-samples/asset-samples.ts'
import { samplingTables } from '../copies/tables.ts'

/** The interface's limit. */
export const maxRows = 100

/** Looks at the data. Errors: those of the engine, `unprocessable` when the table is gone or cannot be opened. */
export async function takeSample(
  deps: { documents: Documents; engine: Pick<DataEngine, 'sample'> },
  request: { tenant: string; target: SampleTarget; signal: AbortSignal },
): Promise<SampleData> {
  const { tenant, target, signal } = request
  const copy = await deps.documents.get(samplingTables, tenant, target.tableId)
  if (!copy || copy.document.table.isDeleted) {
    throw new AssayError('unprocessable', 'The asset is no longer in its source; crawl its assembly again.')
  }
  const { table } = copy.document
  const locator = datasetLocator.safeParse(table.locator)
  if (!locator.success) {
    throw new AssayError('unprocessable', `The asset ${table.uid} cannot be opened; crawl its assembly again.`)
  }
  const sampled = await deps.engine.sample({ dataset: locator.data, limit: maxRows }, { signal })
  return sampleOf(sampled, target.column)
}

/** The sample's shape: all columns, or one. Error: `unprocessable` when the source has the column no more. Pure. */
export function sampleOf({ fields, rows }: SampleRows, column: string | null): SampleData {
  const first = rows.slice(0, maxRows)
  if (column === null) return { schema: { fields }, data: first }
  const field = fields.find(({ name }) => name === column)
  if (!field) {
    throw new AssayError('unprocessable', `The source no longer has the column '${column}'; crawl its assembly again.`)
  }
  return { schema: { fields: [field] }, data: first.map((row) => ({ [column]: row[column] ?? null })) }
}
