import type { Compared, ComparePlan, MeasurePlan, MetricResult, SqlText } from '@assay/data-engine'
import type { PlannedColumn } from '../definition.ts'
import type { ItemOutcome } from '../item-outcome.ts'
import type { TagResult } from '../measurements/measurement.ts'
import type { References } from '../references.ts'
import type { PolicyScore } from '../score-policy.ts'
import type { History } from '../series/look-back.ts'
import type { SeriesKey } from '../series/series-key.ts'
import type { Comparing } from '../threshold.ts'

/** ONE: of a policy that looks at one table. */
export type SideName = 'ONE' | 'LEFT' | 'RIGHT'

/** At least one, in the order of the policy's sides. */
export type EachSide<T> = readonly [T, ...T[]]

/** A run, as its kind plans and judges it. */
export interface RunGiven {
  /** ISO 8601 UTC. */
  startedAt: string
  executionType: 'FULL' | 'INCREMENTAL' | 'SELECTIVE'
  itemSelection: readonly number[] | null
  /** Of an INCREMENTAL run: names the tables and markers that its marks belong to. */
  markKey: string | null
  sides: EachSide<GivenSide>
}

export interface GivenSide {
  side: SideName
  assetId: number
  columns: readonly PlannedColumn[]
  references: References
  /** How far earlier INCREMENTAL runs have read. */
  mark: string | null
}

/** What a run asks of the data. */
export type RunRequest = SideRequest | ComparisonRequest

/** What is to be measured of one side. */
export interface SideRequest extends Pick<MeasurePlan, 'metrics' | 'filter'> {
  kind: 'MEASURE'
  side: SideName
  /** What is known of items without a look at the data. */
  known: readonly TagResult[]
  /** By item id, a sentence for each that cannot be evaluated. */
  problems: ReadonlyMap<number, string>
}

/** What of the left side is to be compared with what of the right. */
export interface ComparisonRequest extends Pick<ComparePlan, 'columns'> {
  kind: 'COMPARE'
  leftFilter?: SqlText
  rightFilter?: SqlText
}

/** A series that a threshold of the run looks back at. */
export interface LookBack {
  key: SeriesKey
  threshold: Comparing
}

/** What a run was answered. */
export type Found = FoundSide | FoundComparison

/** What was found of one side. */
export interface FoundSide {
  kind: 'MEASURE'
  side: SideName
  results: readonly (MetricResult | TagResult)[]
  problems: SideRequest['problems']
  rowsScanned: number
}

/** How two sides compare. Rows that differ are not for judging. */
export interface FoundComparison {
  kind: 'COMPARE'
  compared: Omit<Compared, 'differing'>
}

/** What was before a run, by the series that it looks back at. */
export type Histories = ReadonlyMap<SeriesKey, History>

/** What a run came to. */
export interface JudgedRun extends Pick<PolicyScore, 'qualityScore' | 'verdict'> {
  outcomes: (ItemOutcome & { itemId: number })[]
  /** Why there is no score, or no verdict by it. */
  scoreError: string | null
  /** What later runs are compared with, by series. Absent: the run is compared with nothing. */
  points?: Record<SeriesKey, string>
}
