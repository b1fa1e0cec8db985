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
  /** The rows that can fail, and the rows that did. Null if the item counts no rows. */
  scanned: number | null
  failed: number | null
  /** Number of failed rows that make the item a warning at worst. */
  warned?: number
  /** The measurement as if these rows had not failed. Absent if there are none. */
  unwarned?: Pick<Judgement, 'percentage' | 'failed'>
  /** The measured number as text, if it is not the percentage. */
  value?: string
  /** The figure of each side, as text. */
  figures: Record<Side, string>
  failedOf?: Record<Side, number>
  comparison?: ComparisonFigures
}

/** Why an item has no percentage. `left`, `right`: the answers of the sides. */
export interface Unmeasured {
  error: string
  left?: string
  right?: string
}

/** One kind of item of policies on two tables. */
export interface Measure {
  /** Whether it compares rows, and whether rows that differ are stored. */
  compares: 'ROWS' | 'HASHES' | null
  /** Whether two tables without rows have no percentage. */
  needsRows: boolean
  /** The metrics that it requests of one side. `problem`: why the item can never be evaluated. */
  asks(
    item: RunItem,
    policy: ComparisonPolicy,
    side: Side,
    columns: readonly PlannedColumn[],
  ): readonly AskedMetric[] | { problem: string }
  judge(item: RunItem, found: MeasuredSides): Judgement | Unmeasured
  /** The values of one side that its outcome depends on. Counting rows reveals no value. */
  reads(item: RunItem, policy: ComparisonPolicy, side: Side): Partial<Reads>
}

/** The column of a side that corresponds to a column of the left side: by a mapping, else by the same name. */
export function columnOnSide(policy: ComparisonPolicy, leftColumn: string, side: Side): string {
  if (side === 'left') return leftColumn
  return policy.mappings.find((one) => one.leftColumnName === leftColumn)?.rightColumnName ?? leftColumn
}
