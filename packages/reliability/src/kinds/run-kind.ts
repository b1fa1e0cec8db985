import type {
  ExecutionResult,
  ItemExecution,
  ItemRecord,
  PolicyAnswer,
  RuleExecution,
  ScoreStrategy,
  StartRequest,
  VerdictBasis,
} from '@assay/contracts'
import type { MeasurePlan } from '@assay/data-engine'
import type { PlannedColumn } from '../definition.ts'
import type { TagResult } from '../measurements/measurement.ts'
import type { References } from '../references.ts'
import type { ThresholdRecord } from '../threshold.ts'

/** A definition as the log keeps it. `shown` changes no run, and stands in the records of runs. */
export interface KeptDefinition {
  definition: Record<string, unknown>
  shown: { items: Record<string, unknown>[]; [name: string]: unknown }
}

/**
 * What a family of policies is to the runs of them. Pure. The judgement of quality still stands in the execution service
 * (`running/judge-run.ts`, `series/`), and so do its protected reads.
 */
export interface RunKind {
  /** What runs need of a policy, without what changes apart from its definition. Error: for a policy of another family. */
  keep(policy: PolicyAnswer): KeptDefinition
  /** The policy that was kept, at a version of it: several versions may share a definition. */
  open(kept: KeptDefinition): (policyVersion: number) => KindPolicy
}

/** A table that a policy looks at. */
export interface SideDefinition {
  side: 'ONE' | 'LEFT' | 'RIGHT'
  assetId: number
  filter: string | null
  marker: { type: string; [name: string]: unknown } | null
}

/** Why a policy cannot be started so. */
export interface Refusal {
  code: 'invalid' | 'unprocessable'
  message: string
}

/** What a run came to, as records tell of it. `hidden`: items whose outcomes the caller may not see. */
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
}

/** The records of the items of a run. */
export interface ItemRecords {
  executions: ItemExecution[]
  results: ExecutionResult['items']
}

/** What the record of a run says of its policy's definition. */
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

/** A policy as its runs know it. Nothing in it knows its type. */
export interface KindPolicy {
  /** What runs of it are called in results. */
  typeName: string
  sides: readonly [SideDefinition, ...SideDefinition[]]
  timeoutMinutes: number | null
  score: { strategy: ScoreStrategy; items: readonly string[]; threshold: ThresholdRecord; verdictBy: VerdictBasis }
  treatZeroRowsAsSuccess: boolean
  /** Those that a run looks at, in their order; null: all that are not archived. */
  items(itemSelection: readonly number[] | null): readonly ItemRecord[]
  hasItem(itemId: number): boolean
  refusal(request: StartRequest): Refusal | undefined
  /** What a run asks of the data. What can never be measured is a problem of its item, and the others go on. */
  plan(run: RunGiven, references: References): PlannedMeasure
  /** Of a run of these items; null: of all. */
  shown(itemSelection: readonly number[] | null): ShownDefinition
  records(run: EndedRun): ItemRecords
}

/** A run, as its kind plans and judges it. */
export interface RunGiven {
  startedAt: string
  itemSelection: readonly number[] | null
  /** Of its table. */
  columns: readonly PlannedColumn[]
}

/** What is to be measured. `problems`: by item id, a sentence for each that cannot be evaluated. */
export interface PlannedMeasure extends Pick<MeasurePlan, 'metrics' | 'filter'> {
  /** What is known of items without a look at the data. */
  known: readonly TagResult[]
  problems: ReadonlyMap<number, string>
}
