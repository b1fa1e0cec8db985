import type { ComparisonFigures } from '@assay/contracts'
import type { Metric, MetricResult } from '@assay/data-engine'
import type { PlannedColumn } from '../../definition.ts'
import type { Exact } from '../../exact.ts'
import type { FoundComparison } from '../../kinds/judging.ts'
import type { Reads } from '../../measurements/reads.ts'
import type { ComparisonPolicy, RunItem } from '../definition.ts'
import type { Lacking } from '../pairs.ts'

export type Side = 'left' | 'right'

/** A metric of an item on one side. `role`: identifies it among the metrics of the item. */
export interface AskedMetric {
  role: string
  metric: (id: number) => Metric
}

/** What a run found, for one item. */
export interface MeasuredSides {
  policy: ComparisonPolicy
  rows: Record<Side, number>
  columns: Record<Side, readonly PlannedColumn[]>
  /** Null if no rows were compared. */
  compared: FoundComparison['compared'] | null
  lacking: Lacking | null
  /** The answer to a metric of the item. */
  result(side: Side, role: string): MetricResult | undefined
}

/** The measurement of an item. */
export interface Judgement {
  percentage: Exact
  /** Rows that can fail, and those that did. Null if the item counts no rows. */
  scanned: number | null
  failed: number | null
  /** Failed rows that count as warnings at worst. */
  warned?: number
  /** The measurement as if those had not failed. Absent if there are none. */
  unwarned?: Pick<Judgement, 'percentage' | 'failed'>
  /** The measured number as text, if it is not the percentage. */
  value?: string
  /** The figure of each side, as text. */
  figures: Record<Side, string>
  failedOf?: Record<Side, number>
  comparison?: ComparisonFigures
}

/** Why an item has no percentage. `left`, `right`: what a side answered. */
export interface Unmeasured {
  error: string
  left?: string
  right?: string
}

/** One kind of item of policies on two tables. */
export interface Measure {
  /** Whether it compares rows, and whether the rows that differ are kept. */
  compares: 'ROWS' | 'HASHES' | null
  /** Whether two tables without rows have no percentage. */
  needsRows: boolean
  /** What it asks of one side. `problem`: why it never can be evaluated. */
  asks(
    item: RunItem,
    policy: ComparisonPolicy,
    side: Side,
    columns: readonly PlannedColumn[],
  ): readonly AskedMetric[] | { problem: string }
  judge(item: RunItem, found: MeasuredSides): Judgement | Unmeasured
  /** The values of one side that its outcome depends on. Rows that are counted reveal no value. */
  reads(item: RunItem, policy: ComparisonPolicy, side: Side): Partial<Reads>
}

/** The column of a side that a mapping pairs with a column of the left side; without a mapping, that of the same name. */
export function columnOnSide(policy: ComparisonPolicy, leftColumn: string, side: Side): string {
  if (side === 'left') return leftColumn
  return policy.mappings.find((one) => one.leftColumnName === leftColumn)?.rightColumnName ?? leftColumn
}
