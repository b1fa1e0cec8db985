import type { DriftMeasure, DriftMetric, TableMessage } from '@assay/contracts'
import { kindOfType } from '@assay/reliability'
import type { CheckContext } from '../../definition/check-side.ts'
import { columnOf } from '../../definition/columns.ts'
import { refusal } from '../../definition/refusal.ts'
import type { DataDrift } from './family.ts'

const ofNumbers: ReadonlySet<DriftMetric> = new Set(['MEAN', 'SUM', 'STANDARD_DEVIATION', 'MAXIMUM', 'MINIMUM'])
const ofText: ReadonlySet<DriftMetric> = new Set(['LENGTH', 'CASE_COUNTS'])
/** Distances that need an order of values. */
const ofOrdered: ReadonlySet<DriftMeasure> = new Set(['WASSERSTEIN', 'KS'])

/** Throws `invalid` for a baseline execution that kept no profile of the table. */
export async function checkBaseline(
  { baseline }: DataDrift,
  { assetId, locator }: TableMessage,
  { tenant, prepare }: CheckContext,
): Promise<void> {
  if (baseline.type !== 'EXECUTION') return
  const { executionId } = baseline
  const found = await prepare({ tenant, assetId, locator, metrics: [], comparesWith: executionId })
  if (found !== 'unreachable' && found.hasProfile !== true)
    throw refusal('rule.baseline.executionId', `${executionId} is not a completed data drift run of this asset`)
}

/** Throws `invalid` for columns that the table lacks, and for metrics and measures that do not fit their type. */
export function checkColumns({ items }: DataDrift, table: TableMessage): void {
  items.forEach(({ columnName, metricType, measure }, index) => {
    if (columnName === null) return
    const { dataType } = columnOf(table, columnName, `items[${index}].columnName`)
    const kind = kindOfType(dataType)
    const has = `'${columnName}' is ${dataType}`
    if (measure === null && ofNumbers.has(metricType) && kind !== 'number')
      throw refusal(`items[${index}].metricType`, `${metricType} needs a column of numbers; ${has}`)
    if (measure === null && ofText.has(metricType) && kind !== 'text')
      throw refusal(`items[${index}].metricType`, `${metricType} needs a column of text; ${has}`)
    if (measure !== null && ofOrdered.has(measure) && kind !== 'number' && kind !== 'date' && kind !== 'time')
      throw refusal(`items[${index}].measure`, `${measure} needs a column of numbers or times; ${has}`)
  })
}
