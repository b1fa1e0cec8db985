import type {
  Compared,
  ComparePlan,
  DescribedColumn,
  DifferingRow,
  LastChange,
  MeasuredPeriods,
  MeasurePlan,
  MetricResult,
  PeriodPlan,
  SqlText,
} from '@assay/data-engine'
import type { z } from 'zod'
import type { PlannedColumn } from '../definition.ts'
import type { ItemOutcome } from '../item-outcome.ts'
import type { TagResult } from '../measurements/measurement.ts'
import type { ProfileState } from '../profiles/merge-columns.ts'
import type { References } from '../references.ts'
import type { PolicyScore } from '../score-policy.ts'
import type { JudgedPoint } from '../series/judged-point.ts'
import type { History } from '../series/look-back.ts'
import type { SeriesKey } from '../series/series-key.ts'
import type { Comparing } from '../threshold.ts'

/** ONE is the only side of a policy on one table. */
export type SideName = 'ONE' | 'LEFT' | 'RIGHT'

/** At least one, in the order of the policy's sides. */
export type EachSide<T> = readonly [T, ...T[]]

/** A run, for planning and judging. */
export interface RunGiven {
  /** ISO 8601 UTC. */
  startedAt: string
  executionType: 'FULL' | 'INCREMENTAL' | 'SELECTIVE'
  itemSelection: readonly number[] | null
  /** For INCREMENTAL runs: identifies the tables and markers to which the run's marks belong. */
  markKey: string | null
  sides: EachSide<GivenSide>
  /**
   * What the last completed run learned or, if there is none, the creation of the policy. Omitted if nothing was
   * learned.
   */
  learned?: unknown
  /** Whether a crawl that changed the schema started it. */
  afterCrawl?: boolean
  /** The merged profiles of the earlier runs that `profiles` names. Absent if none of them kept a profile. */
  baseline?: BaselineProfile
}

/** The merged profiles of runs, of which `from` is the first and `to` the last. */
export interface BaselineProfile {
  from: number
  to: number
  state: ProfileState
}

export interface GivenSide {
  side: SideName
  assetId: number
  columns: readonly PlannedColumn[]
  /** Only for views: changes when the view is redefined. */
  view?: string | undefined
  references: References
  /** How far earlier INCREMENTAL runs have read. */
  mark: string | null
  /** The columns that come from folder names. */
  partitions?: readonly string[]
  /** Whether the names of its files contain dates. */
  hasDatedNames?: boolean
}

/** A request of a run to the engine. */
export type RunRequest =
  | SideRequest
  | ComparisonRequest
  | DescribeRequest
  | ProfileRequest
  | LastChangeRequest
  | PeriodsRequest

/** The metrics of whole periods of one side. They do not depend on the part of the data that the run reads. */
export interface PeriodsRequest extends Omit<PeriodPlan, 'dataset'> {
  kind: 'PERIODS'
  side: SideName
}

/** The states of columns of one side. */
export interface ProfileRequest {
  kind: 'PROFILE'
  side: SideName
  columns: readonly string[]
  filter?: SqlText
}

/** The columns of one side as the source has them now. */
export interface DescribeRequest {
  kind: 'DESCRIBE'
  side: SideName
}

/** When the data of one side last changed, as its source says. */
export interface LastChangeRequest {
  kind: 'LAST_CHANGE'
  side: SideName
}

/** The measurements of one side. */
export interface SideRequest extends Pick<MeasurePlan, 'metrics' | 'filter'> {
  kind: 'MEASURE'
  side: SideName
  /** Results that are known without reading data. */
  known: readonly TagResult[]
  /** Why an item cannot be evaluated, by item id. */
  problems: ReadonlyMap<number, string>
}

/** The comparison of the left side with the right one. */
export interface ComparisonRequest extends Pick<ComparePlan, 'columns' | 'whole'> {
  kind: 'COMPARE'
  leftFilter?: SqlText
  rightFilter?: SqlText
  /** The items that fail because of rows that differ. If empty, these rows are not stored. */
  rowsOf: readonly number[]
}

/** A series that a threshold of the run looks back at. */
export interface LookBack {
  key: SeriesKey
  threshold: Comparing
}

/** The engine's answer to a request. */
export type Found = FoundSide | FoundComparison | FoundSchema | FoundProfile | FoundChange | FoundPeriods

/** In order. Empty if the periods could not be measured; `problem` is then the reason. */
export interface FoundPeriods extends Pick<MeasuredPeriods, 'hasOlder'> {
  kind: 'PERIODS'
  side: SideName
  periods: MeasuredPeriods['periods']
  problem?: string
  /** Why metrics were not measured, by the id of the metric. The periods do not contain them. */
  leftOut?: ReadonlyMap<number, string>
}

/** `state`: of the requested columns that the source still has. */
export interface FoundProfile {
  kind: 'PROFILE'
  side: SideName
  state: ProfileState
}

export interface FoundSchema {
  kind: 'DESCRIBE'
  side: SideName
  columns: readonly DescribedColumn[]
}

export interface FoundChange {
  kind: 'LAST_CHANGE'
  side: SideName
  change: LastChange
}

/** The answer for one side. */
export interface FoundSide {
  kind: 'MEASURE'
  side: SideName
  results: readonly (MetricResult | TagResult)[]
  problems: SideRequest['problems']
  rowsScanned: number
}

/** The comparison of two sides. `firsts`: the first stored row of each kind of difference, in the order of kinds. */
export interface FoundComparison {
  kind: 'COMPARE'
  compared: Omit<Compared, 'differing' | 'agreeing'> & { firsts: readonly DifferingRow[] }
}

/** The histories before a run, by series. */
export type Histories = ReadonlyMap<SeriesKey, History>

/** The outcome of a run. */
export interface JudgedRun extends Pick<PolicyScore, 'qualityScore' | 'verdict'> {
  outcomes: (ItemOutcome & { itemId: number })[]
  /** Why there is no score, or no verdict from the score. */
  scoreError: string | null
  /** The points for later comparison, by series. Omitted if no later run is compared with this one. */
  points?: Record<SeriesKey, string>
  /** The values of periods for later comparison. Omitted if there are none. */
  periods?: PeriodPoints
  /** The values of the run as they were judged. Omitted if there are none. */
  judged?: JudgedPoint[]
  /** When the data becomes too old, so that the next run must start, ISO 8601 UTC. Omitted if there is no such time. */
  deadline?: string
  /** The value of `learned` for the next run, as JSON. Default: the `learned` of this run. */
  learned?: LearnedData
  /** The profile for later runs. It is kept as long as the rows of the run. Absent if there is none. */
  profile?: ProfileState
}

/**
 * Values of periods, which replace those of earlier runs. `ends`: epoch milliseconds. `points`: for each series, one
 * value per element of `ends`.
 */
export interface PeriodPoints {
  ends: number[]
  points: Record<SeriesKey, (string | null)[]>
}

/** JSON whose form a kind defines: the measured values that its `records` reads, and the data that its runs learn. */
export type LearnedData = { [name: string]: JsonValue }
type JsonValue = z.infer<ReturnType<typeof z.json>>
