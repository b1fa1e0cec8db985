import type { ExecutionResult, ItemExecution, PolicyAnswer, RuleExecution, StartRequest } from '@assay/contracts'
import type { DescribedColumn } from '@assay/data-engine'
import type { Needs, Reads } from '../measurements/reads.ts'
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

/** A definition in the log. `shown` appears in records of runs and does not affect them. */
export interface KeptDefinition {
  definition: Record<string, unknown>
  shown: { items: Record<string, unknown>[]; [name: string]: unknown }
}

/** How runs treat one family of policies. Pure. */
export interface RunKind {
  /**
   * The definition that runs of a policy use, without fields that change independently of it. Throws for a
   * policy of another family.
   */
  keep(policy: PolicyAnswer): KeptDefinition
  /** Parses a stored definition. Several versions of a policy may share one. */
  open(kept: KeptDefinition): (policyVersion: number) => KindPolicy
  /** Whether a crawl that changed the schema of its table starts a run. */
  startsAfterCrawl?: true
  /**
   * What a policy learns when it is created, from its table as the source has it then. Omitted if its first run does
   * not need that.
   */
  learn?(assetId: number, described: readonly DescribedColumn[], at: string): LearnedData
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
  startedAt: string
  finishedAt: string
  includeInQualityScore: boolean
  itemSelection: readonly number[] | null
  outcomes: readonly EndedItem[]
  hidden: ReadonlySet<number>
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

/** The parts of a policy's definition in the record of a run. */
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

/** A policy, for its runs. Callers need not know its type. */
export interface KindPolicy {
  /** The name of its runs in results. */
  typeName: string
  sides: EachSide<SideDefinition>
  timeoutMinutes: number | null
  /** References of its items other than columns of that side. */
  needs(side: SideName, itemSelection: readonly number[] | null): Needs
  /** The data that the outcomes of a run depend on, by item and side. Does not include filters and markers. */
  reads(itemSelection: readonly number[] | null): readonly ItemReads[]
  hasItem(itemId: number): boolean
  refusal(request: StartRequest): Refusal | undefined
  /**
   * The next requests of a run; none if it needs no more. Over the whole run there is at least one request for each side.
   * `found`: the answers so far, in the order of the requests. An item that can never be measured gets a problem, and
   * the other items continue.
   */
  step(run: RunGiven, found: readonly Found[]): readonly RunRequest[]
  /** The series that the thresholds of a run look back at. */
  lookBacks(run: RunGiven): readonly LookBack[]
  /** The outcome of the run. `found`: the same answers as in `step`. */
  judge(run: RunGiven, found: readonly Found[], past: Histories): JudgedRun
  /** `itemSelection`: null for all items. */
  shown(itemSelection: readonly number[] | null): ShownDefinition
  records(run: EndedRun): ItemRecords
  /** The result of a run in one sentence. Default: how many items passed. */
  summary?(outcomes: readonly EndedItem[]): string
}
