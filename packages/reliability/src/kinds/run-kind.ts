import type {
  ComparisonFigures,
  ExecutionResult,
  ItemExecution,
  PolicyAnswer,
  RuleExecution,
  StartRequest,
} from '@assay/contracts'
import type { DescribedColumn } from '@assay/data-engine'
import type { PlannedColumn, Problem } from '../definition.ts'
import type { Needs, Reads } from '../measurements/reads.ts'
import type { Window } from '../series/look-back.ts'
import type { HistoryBefore, JudgedAgain, PastRun } from '../what-if/past-run.ts'
import type { WhatIfChanges } from '../what-if/problem.ts'
import type {
  EachSide,
  Found,
  Histories,
  JudgedRun,
  LearnedData,
  LookBack,
  RunGiven,
  RunRequest,
  SideName,
} from './judging.ts'
import type { Steps } from './steps.ts'

/** A definition as it is stored in the log. `shown` appears in records of runs and does not affect them. */
export interface KeptDefinition {
  definition: Record<string, unknown>
  shown: { items: Record<string, unknown>[]; [name: string]: unknown }
}

/** Settings of a table that definitions depend on. `null` means not configured. */
export interface TableSettings {
  timeZone: string | null
  /** The column with the time of a row. */
  freshnessColumn: string | null
}

/** SCHEMA, DATA: a crawl that changed the schema of the table, or saw new data. PROFILE: a profile of the whole table. */
export type StartCause = 'SCHEMA' | 'DATA' | 'PROFILE'

/** How runs treat one family of policies. Pure. */
export interface RunKind {
  /**
   * The definition that runs of a policy use. Fields that change without affecting runs are left out. `settings`: the
   * settings of the policy's first table. Throws for a policy of another family.
   */
  keep(policy: PolicyAnswer, settings: TableSettings): KeptDefinition
  /** Parses a stored definition. Several versions of a policy may share one. */
  open(kept: KeptDefinition): (policyVersion: number) => KindPolicy
  /**
   * Set if runs of this family check only whole tables. The text says why, and begins the sentence that refuses
   * schedules other than FULL. `refusal` must refuse starts other than FULL in the same way (`refusalOfPart`).
   */
  wholeTablesOnly?: string
  /**
   * The rows that runs of this family store. FAILED: those that the first measurement of the first side finds. DIFFERING:
   * those that a comparison finds. Omitted if they store none.
   */
  storesRows?: 'FAILED' | 'DIFFERING'
  /** The causes that start a run. Omitted if only requests and schedules start runs. */
  startsAfter?: readonly StartCause[]
  /**
   * Whether runs of the policy name a deadline, at which the next run starts. Omitted if no run of this family does.
   */
  hasDeadlines?(policy: PolicyAnswer): boolean
  /**
   * What a policy learns when it is created, from the current columns of its table. Omitted if its first run does not
   * need it.
   */
  learn?(assetId: number, described: readonly DescribedColumn[], at: string): LearnedData
  /**
   * Why stored values cannot be judged by a policy with these changes, with the field's path in the request. `columns`:
   * the columns of its first table. Omitted if stored values can always be judged.
   */
  whatIfProblem?(changed: PolicyAnswer, changes: WhatIfChanges, columns: readonly PlannedColumn[]): Problem | undefined
}

/** A table that a policy checks. */
export interface SideDefinition {
  side: SideName
  assetId: number
  filter: string | null
  marker: { type: string; [name: string]: unknown } | null
}

/** Why a start request is refused. */
export interface Refusal {
  code: 'invalid' | 'unprocessable'
  message: string
}

/** An ended run, for records. `hidden`: items whose outcomes the caller may not see. */
export interface EndedRun {
  executionId: number
  requestId: string
  startedAt: string
  finishedAt: string
  includeInQualityScore: boolean
  itemSelection: readonly number[] | null
  outcomes: readonly EndedItem[]
  hidden: ReadonlySet<number>
  /** The tables have protected columns that the reader may not see. */
  hidesValues?: boolean
}

export interface EndedItem {
  itemId: number
  verdict: 'SUCCESSFUL' | 'WARNING' | 'ERRORED'
  resultPercentage: number | null
  rowsScanned: number | null
  rowsFailed: number | null
  value: string | null
  error: string | null
  detail?: unknown
}

/** The records of the items of a run. */
export interface ItemRecords {
  executions: ItemExecution[]
  results: ExecutionResult['items']
}

/** The comparison of two sides, for the result of a run. `warnings`: what readers of the figures should know. */
export interface ShownComparison {
  figures: ComparisonFigures | null
  warnings: readonly string[]
}

/** The parts of a policy's definition that the record of a run shows. */
export type ShownDefinition = Pick<
  RuleExecution,
  | 'thresholdLevel'
  | 'verdictBy'
  | 'isProtectedResource'
  | 'participatingColumns'
  | 'policyResultStatusStrategy'
  | 'sparkSQLFilterType'
  | 'rightSparkSQLFilterType'
  | 'autoRetryEnabled'
  | 'filter'
  | 'rightFilter'
  | 'treatZeroRowsAsSuccess'
>

/** The data of one side that the outcome of an item depends on. */
export interface ItemReads extends Reads {
  itemId: number
  side: SideName
}

/**
 * PREVIOUS: the last completed run of the policy in the same scope. WINDOW: all runs of a window. EXECUTION: the named
 * run, of any policy of the table.
 */
export type BaselineRuns =
  | { type: 'PREVIOUS' }
  | { type: 'WINDOW'; window: Window }
  | { type: 'EXECUTION'; executionId: number }

/** A policy as its runs see it. Callers need not know its type. */
export interface KindPolicy {
  /** The name of its runs in results. */
  typeName: string
  sides: EachSide<SideDefinition>
  timeoutMinutes: number | null
  /** Minutes that a run waits after it has read the left side, before it reads the right one. Default: 0. */
  delayMinutes?: number
  /**
   * For families whose runs store profiles. `scope`: only profiles of the same scope can be compared. `baseline`: the
   * earlier runs whose profiles the run is compared with; null means none.
   */
  profiles?(run: RunGiven): { scope: string; baseline: BaselineRuns | null }
  /** What its items refer to, apart from the columns of that side. */
  needs(side: SideName, itemSelection: readonly number[] | null): Needs
  /** The data that the outcomes of a run depend on, by item and side. Does not include filters and markers. */
  reads(itemSelection: readonly number[] | null): readonly ItemReads[]
  hasItem(itemId: number): boolean
  refusal(request: StartRequest): Refusal | undefined
  /**
   * The next requests of a run; empty if it needs no more. Each side gets at least one request during the run. `found`:
   * the answers so far, in the order of the requests. If an item can never be measured, its problem is recorded and the
   * other items continue.
   */
  step(run: RunGiven, found: readonly Found[]): readonly RunRequest[]
  /** The series that the thresholds of a run look back at. */
  lookBacks(run: RunGiven): readonly LookBack[]
  /**
   * The outcome of the run. `found`: all answers to the requests of `step`. Pauses after each item or series, because
   * judging all series of a table takes long.
   */
  judge(run: RunGiven, found: readonly Found[], past: Histories): Steps<JudgedRun>
  /**
   * Judges the points of an earlier run again, by this definition. The run may have been judged by another version of
   * the definition with other thresholds. Pauses after each point.
   */
  judgeAgain(run: PastRun, before: HistoryBefore): Steps<JudgedAgain[]>
  /** What the record of a run shows of the definition. `itemSelection`: null for all items. */
  shown(itemSelection: readonly number[] | null): ShownDefinition
  records(run: EndedRun): ItemRecords
  /**
   * For kinds that compare two sides: the figures. `isHidden`: whether the reader may not see the values of a column.
   */
  comparison?(outcomes: readonly EndedItem[], isHidden: (side: SideName, column: string) => boolean): ShownComparison
  /** The result of a run in one sentence. Default: a sentence that says how many items passed. */
  summary?(outcomes: readonly EndedItem[]): string
}
