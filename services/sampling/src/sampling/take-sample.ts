import type { SampleData } from '@assay/contracts'
import { type DataEngine, type DatasetLocator, type Metric, queryOver, type SampleRows } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import type { SampleTarget } from '../asset-samples/asset-samples.ts'
import { currentViewState, datasetOf, samplingTables } from '../copies/tables.ts'
import { expressionOf, type Transform } from '../transforming/transform.ts'

/** Maximum number of rows in the HTTP interface. */
export const maxRows = 100

/**
 * Reads the rows. Throws the errors of the engine, `unprocessable` if the table is gone or cannot be opened, or is a view
 * that was redefined since the request.
 */
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
  const rows = await datasetOf(deps.documents, tenant, table)
  if (rows === undefined) {
    throw new AssayError('unprocessable', `The asset ${table.uid} cannot be opened; crawl its assembly again.`)
  }
  // What callers may see of the rows depends on the tables that the view read when the sample was requested.
  if ((await currentViewState(deps.documents, tenant, table)).view !== target.view)
    throw new AssayError('unprocessable', `The view ${table.uid} was redefined. Request its sample again.`)
  const { transforms = [], filter } = target
  const dataset =
    transforms.length === 0 ? rows : await withTransforms(deps.engine, rows, transforms, { tenant, signal })
  const condition = filter === undefined ? {} : { filter: { sql: filter, variables: {} } }
  const call = { tenant, signal, purpose: 'job' } as const
  const sampled = await deps.engine.sample({ dataset, limit: maxRows, ...condition }, call)
  return sampleOf(
    sampled,
    target,
    transforms.map(({ name }) => name),
  )
}

/** Throws `unprocessable` if an expression does not fit these rows. */
async function withTransforms(
  engine: Pick<DataEngine, 'prepare'>,
  dataset: DatasetLocator,
  transforms: readonly Transform[],
  call: { tenant: string; signal: AbortSignal },
): Promise<DatasetLocator> {
  const metrics = transforms.map((each, index): Metric => {
    return { kind: 'aggregate-expression', id: index, fn: 'COUNT', expression: expressionOf(each) }
  })
  const { metricErrors } = await engine.prepare({ dataset, metrics }, { ...call, purpose: 'job' })
  const [wrong] = metricErrors
  if (wrong !== undefined)
    throw new AssayError('unprocessable', `The transform '${transforms[wrong.id]?.name}': ${wrong.message}`)
  const added = transforms.map((each) => ({ name: each.name, expression: expressionOf(each) }))
  return queryOver(dataset, { added })
}

const isObject = (value: unknown): value is { [field: string]: unknown } => typeof value === 'object' && value !== null

/**
 * The record of a sample: all columns, or one (or a nested field) plus the added ones. Throws `unprocessable` if the
 * source no longer has it. Pure.
 */
export function sampleOf(
  { fields, rows }: SampleRows,
  { column, leaf }: Pick<SampleTarget, 'column' | 'leaf'>,
  added: readonly string[] = [],
): SampleData {
  const first = rows.slice(0, maxRows)
  if (column === null) return { schema: { fields }, data: first }
  const gone = (name: string) =>
    new AssayError('unprocessable', `The source no longer has the column '${name}'; crawl its assembly again.`)
  const field = fields.find(({ name }) => name === column)
  if (!field) throw gone(column)

  /** NULL anywhere on the path is NULL. */
  function leafOf(value: unknown, path: readonly string[]): unknown {
    const [name, ...inner] = path
    if (name === undefined || value === null || value === undefined) return value ?? null
    if (!isObject(value) || !Object.hasOwn(value, name)) throw gone([column, ...(leaf?.path ?? [])].join('.'))
    return leafOf(value[name], inner)
  }

  const shown = leaf === undefined ? field : { name: leaf.path.at(-1) ?? '', type: leaf.dataType, nullable: true }
  const others = fields.filter(({ name }) => added.includes(name))
  const data = first.map((row) => ({
    ...Object.fromEntries(others.map(({ name }) => [name, row[name] ?? null])),
    [shown.name]: leafOf(row[column], leaf?.path ?? []),
  }))
  return { schema: { fields: [shown, ...others] }, data }
}
