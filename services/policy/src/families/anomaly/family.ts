import type { AnomalyItemInput, AnomalyStrength, ProfileMetric, TableMessage } from '@assay/contracts'
import { expectedFalseAlarms, hasMetric } from '@assay/reliability'
import { checkBackfill, mergeBackfill } from '../../definition/backfill.ts'
import { columnOf } from '../../definition/columns.ts'
import { itemFrame } from '../../definition/item-frame.ts'
import { mergeList } from '../../definition/merge-list.ts'
import { onOneTable } from '../../definition/one-table.ts'
import { refusal } from '../../definition/refusal.ts'
import { type Backfill, type CommonItem, defaultBackfill } from '../../policy/definition.ts'
import { detailsFrame, itemsOf, ruleOf } from '../../policy/record-frames.ts'
import { type Family, readsNothing } from '../family.ts'

type AnomalyItem = CommonItem & {
  name: string
  /** `null` means all columns. */
  monitorColumns: string[] | null
  /** `null` means all metrics that the policy's type watches. */
  metrics: ProfileMetric[] | null
}

type Anomaly = {
  anomalyStrengthThreshold: AnomalyStrength
  /** Absent: as by default. */
  backfill?: Backfill
  items: AnomalyItem[]
}

export const anomaly: Family<'PROFILE_ANOMALY' | 'AUTO_ANOMALY', Anomaly> = {
  defaults: () => ({ anomalyStrengthThreshold: 'MEDIUM', items: [] }),
  checkedFields: { anomalyStrengthThreshold: false, backfill: true, items: true },
  merge: (before, { rule, items }) => ({
    anomalyStrengthThreshold: rule?.anomalyStrengthThreshold ?? rule?.sensitivity ?? before.anomalyStrengthThreshold,
    ...mergeBackfill(before.backfill, rule?.backfill),
    items: mergeList('items', before.items, items, draftItem),
  }),
  ...onOneTable(checkAnomaly),
  reads: readsNothing,
  answer(policy, definition, tenant) {
    const { target, anomalyStrengthThreshold, backfill = defaultBackfill, items } = definition
    return {
      rule: {
        ...ruleOf(policy, definition, tenant),
        ...{ anomalyStrengthThreshold, backfill },
        expectedFalseAlarmsPerMonth: expectedFalseAlarms(anomalyStrengthThreshold),
      },
      details: {
        ...detailsFrame(policy, tenant),
        assetId: target.assetId,
        backingAssetId: target.assetId,
        items: itemsOf(policy, items),
      },
    }
  },
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
function checkAnomaly({ items, backfill }: Anomaly, table: TableMessage): void {
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
