import type { DataDriftItemInput, DriftMeasure, DriftMetric, PolicyChange, TableMessage } from '@assay/contracts'
import { kindOfType } from '@assay/reliability'
import type { DataDriftDefinition, DataDriftItem } from '../../policy/definition.ts'
import { storedThreshold } from '../../policy/stored-threshold.ts'
import type { CheckContext } from '../check-filter.ts'
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

/** `withBothNames` has already added the missing one of id and UID. */
function baselineOf(sent: NonNullable<NonNullable<Change['rule']>['baseline']>): DataDriftDefinition['baseline'] {
  if (sent.type !== 'REFERENCE') return sent
  const { type, referenceAssetId, referenceAssetUid } = sent
  if (referenceAssetId === undefined || referenceAssetUid === undefined)
    throw refusal(
      'rule.baseline.referenceAssetId',
      'is needed, or referenceAssetUid, because the configuration of the table names no reference asset',
    )
  return { type, referenceAssetId, referenceAssetUid }
}

/** In percent. Applies until there are enough runs to learn from. */
const defaultThreshold = 10
const learned = storedThreshold({
  type: 'ANOMALY',
  config: { successSensitivityLevel: 'MEDIUM', warningSensitivityLevel: undefined },
})

function draftItem(input: DataDriftItemInput, index: number, before: DataDriftItem | undefined): DataDriftItem {
  const { columnName, metricType, driftThreshold, measure } = input
  if (columnName === undefined) throw refusal(`items[${index}].columnName`, 'is needed')
  const measured = measure ?? metricType
  if (measured === undefined) throw refusal(`items[${index}].metricType`, 'is needed, or a measure')
  const { thresholdConfig } = input
  if (thresholdConfig?.type === 'ANOMALY' && (thresholdConfig.config.direction ?? 'CHANGES_BY') !== 'CHANGES_BY')
    throw refusal(`items[${index}].thresholdConfig.config.direction`, 'must be CHANGES_BY: drift is a distance')
  const frame = itemFrame(input, index, before)
  return {
    ...frame,
    thresholdConfig: frame.thresholdConfig ?? (driftThreshold === undefined ? learned : null),
    name: input.name ?? `${measured} ${columnName}`.slice(0, 255),
    columnName,
    metricType: metricType ?? 'COMPLETENESS',
    driftThreshold: driftThreshold ?? defaultThreshold,
    measure: measure ?? null,
    weightage: input.weightage ?? 1,
    value: input.value === undefined || Object.keys(input.value).length === 0 ? null : jsonObject.parse(input.value),
  }
}

const ofNumbers: ReadonlySet<DriftMetric> = new Set(['MEAN', 'SUM', 'STANDARD_DEVIATION', 'MAXIMUM', 'MINIMUM'])
const ofText: ReadonlySet<DriftMetric> = new Set(['LENGTH', 'CASE_COUNTS'])
/** Distances that need an order of values. */
const ofOrdered: ReadonlySet<DriftMeasure> = new Set(['WASSERSTEIN', 'KS'])

/** Throws `invalid` for a baseline execution that kept no profile of the table. */
export async function checkBaseline(
  { baseline }: DataDriftDefinition,
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
export function checkDataDrift({ items }: DataDriftDefinition, table: TableMessage): void {
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
