import type { DataDriftItemInput, DriftMeasure, DriftMetric, PolicyChange, TableMessage } from '@assay/contracts'
import { kindOfType } from '@assay/reliability'
import type { DataDriftDefinition, DataDriftItem } from '../../policy/definition.ts'
import { jsonObject } from '../json.ts'
import { mergeList } from '../merge-list.ts'
import { refusal } from '../refusal.ts'
import { columnOf } from './columns.ts'
import { itemFrame } from './item-frame.ts'

type Change = Extract<PolicyChange, { family: 'data-drift' }>

/** Merges the fields that only data drift has. Throws `invalid` naming the field. */
export function mergeDataDrift(before: DataDriftDefinition, { rule, items }: Change): DataDriftDefinition {
  const after = items === undefined ? before.items : mergeList('items', before.items, items, draftItem)
  if (after.length === 0) throw refusal('items', 'is needed: a data drift policy watches at least one column')
  return {
    ...before,
    interval: rule?.interval ?? before.interval,
    baseline: rule?.baseline === undefined ? before.baseline : baselineOf(rule.baseline),
    items: after,
  }
}

function baselineOf(sent: NonNullable<NonNullable<Change['rule']>['baseline']>): DataDriftDefinition['baseline'] {
  return sent.type === 'REFERENCE' ? { type: sent.type, referenceAssetId: sent.referenceAssetId ?? null } : sent
}

function draftItem(input: DataDriftItemInput, index: number, before: DataDriftItem | undefined): DataDriftItem {
  const { metricType, driftThreshold } = input
  if (input.columnName === undefined) throw refusal(`items[${index}].columnName`, 'is needed')
  return {
    ...itemFrame(input, index, before),
    name: input.name ?? `${metricType} ${input.columnName}`.slice(0, 255),
    columnName: input.columnName,
    metricType,
    driftThreshold,
    measure: input.measure ?? null,
    weightage: input.weightage ?? 1,
    value: input.value === undefined || Object.keys(input.value).length === 0 ? null : jsonObject.parse(input.value),
  }
}

const ofNumbers: ReadonlySet<DriftMetric> = new Set(['MEAN', 'SUM', 'STANDARD_DEVIATION'])
const ofText: ReadonlySet<DriftMetric> = new Set(['LENGTH', 'CASE_COUNTS'])
/** Distances that need an order of values. */
const ofOrdered: ReadonlySet<DriftMeasure> = new Set(['WASSERSTEIN', 'KS'])

/** Throws `invalid` for columns that the table lacks, and for metrics and measures that do not fit their type. */
export function checkDataDrift({ items }: DataDriftDefinition, table: TableMessage): void {
  items.forEach(({ columnName, metricType, measure }, index) => {
    if (columnName === null) return
    const { dataType } = columnOf(table, columnName, `items[${index}].columnName`)
    const kind = kindOfType(dataType)
    const has = `'${columnName}' is ${dataType}`
    if (ofNumbers.has(metricType) && kind !== 'number')
      throw refusal(`items[${index}].metricType`, `${metricType} needs a column of numbers; ${has}`)
    if (ofText.has(metricType) && kind !== 'text')
      throw refusal(`items[${index}].metricType`, `${metricType} needs a column of text; ${has}`)
    if (measure !== null && ofOrdered.has(measure) && kind !== 'number' && kind !== 'date' && kind !== 'time')
      throw refusal(`items[${index}].measure`, `${measure} needs a column of numbers or times; ${has}`)
  })
}
