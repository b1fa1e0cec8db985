import type { AnomalyItemInput, PolicyChange, TableMessage } from '@assay/contracts'
import type { AnomalyDefinition, AnomalyItem } from '../../policy/definition.ts'
import { mergeList } from '../merge-list.ts'
import { columnOf } from './columns.ts'
import { itemFrame } from './item-frame.ts'

type Change = Extract<PolicyChange, { family: 'anomaly' }>

/** Merges the fields that only profile and auto anomaly have. Throws `invalid` naming the field. */
export function mergeAnomaly(before: AnomalyDefinition, { rule, items }: Change): AnomalyDefinition {
  return {
    ...before,
    anomalyStrengthThreshold: rule?.anomalyStrengthThreshold ?? rule?.sensitivity ?? before.anomalyStrengthThreshold,
    items: items === undefined ? before.items : mergeList('items', before.items, items, draftItem),
  }
}

function draftItem(input: AnomalyItemInput, index: number, before: AnomalyItem | undefined): AnomalyItem {
  return {
    ...itemFrame(input, index, before),
    name: input.name ?? `Item ${index + 1}`,
    monitorColumns: input.monitorColumns ?? input.columns ?? null,
    metrics: input.metrics ?? null,
  }
}

/** Throws `invalid` for columns that the table lacks. */
export function checkAnomaly({ items }: AnomalyDefinition, table: TableMessage): void {
  items.forEach(({ monitorColumns }, index) => {
    monitorColumns?.forEach((name, at) => {
      columnOf(table, name, `items[${index}].monitorColumns[${at}]`)
    })
  })
}
