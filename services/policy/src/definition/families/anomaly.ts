import type { AnomalyItemInput, PolicyChange, TableMessage } from '@assay/contracts'
import { hasMetric } from '@assay/reliability'
import type { AnomalyDefinition, AnomalyItem } from '../../policy/definition.ts'
import { mergeList } from '../merge-list.ts'
import { refusal } from '../refusal.ts'
import { checkBackfill, mergeBackfill } from './backfill.ts'
import { columnOf } from './columns.ts'
import { itemFrame } from './item-frame.ts'

type Change = Extract<PolicyChange, { family: 'anomaly' }>

/** Merges the fields that only profile and auto anomaly have. Throws `invalid` naming the field. */
export function mergeAnomaly(before: AnomalyDefinition, { rule, items }: Change): AnomalyDefinition {
  return {
    ...before,
    anomalyStrengthThreshold: rule?.anomalyStrengthThreshold ?? rule?.sensitivity ?? before.anomalyStrengthThreshold,
    ...mergeBackfill(before.backfill, rule?.backfill),
    items: items === undefined ? before.items : mergeList('items', before.items, items, draftItem),
  }
}

function draftItem(input: AnomalyItemInput, index: number, before: AnomalyItem | undefined): AnomalyItem {
  const { thresholdConfig } = input
  if (thresholdConfig !== undefined && thresholdConfig.type !== 'ANOMALY')
    throw refusal(
      `items[${index}].thresholdConfig.type`,
      'must be ANOMALY: figures are compared with their usual values',
    )
  return {
    ...itemFrame(input, index, before),
    name: input.name ?? `Item ${index + 1}`,
    monitorColumns: listed(input.monitorColumns ?? input.columns),
    metrics: listed(input.metrics),
  }
}

/** An empty list counts as absent. Each entry counts once. */
const listed = <T>(sent: readonly T[] | undefined) =>
  sent === undefined || sent.length === 0 ? null : [...new Set(sent)]

/** Throws `invalid` for columns that the table lacks, and for metrics that none of an item's columns has. */
export function checkAnomaly({ items, backfill }: AnomalyDefinition, table: TableMessage): void {
  checkBackfill(backfill, table)
  items.forEach(({ monitorColumns, metrics }, index) => {
    const columns =
      monitorColumns?.map((name, at) => columnOf(table, name, `items[${index}].monitorColumns[${at}]`)) ?? table.columns
    metrics?.forEach((metric, at) => {
      const path = `items[${index}].metrics[${at}]`
      if (metric === 'ROW_COUNT') {
        if (monitorColumns !== null && metrics.length === 1)
          throw refusal(path, 'ROW_COUNT belongs to the table: leave out monitorColumns to watch it')
      } else if (!columns.some(({ dataType }) => hasMetric(dataType, metric)))
        throw refusal(path, `no column that the item watches has a ${metric}`)
    })
  })
}
