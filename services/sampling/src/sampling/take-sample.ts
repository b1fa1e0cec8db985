import type { SampleData } from '@assay/contracts'
import { type DataEngine, type DatasetLocator, datasetLocator, type Metric, type SampleRows } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import type { SampleTarget } from '../asset-samples/asset-samples.ts'
import { samplingTables } from '../copies/tables.ts'
import { expressionOf, type Transform, transformed } from '../transforming/transform.ts'

/** The interface's limit. */
export const maxRows = 100

/** Looks at the data. Errors: those of the engine, `unprocessable` when the table is gone or cannot be opened. */
export async function takeSample(
  deps: { documents: Documents; engine: Pick<DataEngine, 'prepare' | 'sample'> },
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
  const { transforms = [], column, filter } = target
  const dataset =
    transforms.length === 0 ? locator.data : await withTransforms(deps.engine, locator.data, transforms, signal)
  const condition = filter === undefined ? {} : { filter: { sql: filter, variables: {} } }
  const sampled = await deps.engine.sample({ dataset, limit: maxRows, ...condition }, { signal })
  return sampleOf(
    sampled,
    column,
    transforms.map(({ name }) => name),
  )
}

/** Error: `unprocessable` for what is no expression over these rows. */
async function withTransforms(
  engine: Pick<DataEngine, 'prepare'>,
  dataset: DatasetLocator,
  transforms: readonly Transform[],
  signal: AbortSignal,
): Promise<DatasetLocator> {
  const metrics = transforms.map((each, index): Metric => {
    return { kind: 'aggregate-expression', id: index, fn: 'COUNT', expression: expressionOf(each) }
  })
  const { metricErrors } = await engine.prepare({ dataset, metrics }, { signal })
  const [wrong] = metricErrors
  if (wrong !== undefined)
    throw new AssayError('unprocessable', `The transform '${transforms[wrong.id]?.name}': ${wrong.message}`)
  return transformed(dataset, transforms)
}

/** The sample's shape: all columns, or one with those that were added. Error: `unprocessable` when the source has the column no more. Pure. */
export function sampleOf(
  { fields, rows }: SampleRows,
  column: string | null,
  added: readonly string[] = [],
): SampleData {
  const first = rows.slice(0, maxRows)
  if (column === null) return { schema: { fields }, data: first }
  const field = fields.find(({ name }) => name === column)
  if (!field) {
    throw new AssayError('unprocessable', `The source no longer has the column '${column}'; crawl its assembly again.`)
  }
  const shown = [field, ...fields.filter(({ name }) => added.includes(name))]
  const data = first.map((row) => Object.fromEntries(shown.map(({ name }) => [name, row[name] ?? null])))
  return { schema: { fields: shown }, data }
}
