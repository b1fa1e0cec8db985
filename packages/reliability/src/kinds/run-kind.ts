import type { ExecutionResult, ItemExecution, PolicyAnswer, RuleExecution, StartRequest } from '@assay/contracts'
import type { Needs, Reads } from '../measurements/reads.ts'
import type { EachSide, Found, Histories, JudgedRun, LookBack, RunGiven, RunRequest, SideName } from './judging.ts'

/** A definition as the log keeps it. `shown` changes no run, and stands in the records of runs. */
export interface KeptDefinition {
  definition: Record<string, unknown>
  shown: { items: Record<string, unknown>[]; [name: string]: unknown }
}

/** What a family of policies is to the runs of them. Pure. */
export interface RunKind {
  /** What runs need of a policy, without what changes apart from its definition. Error: for a policy of another family. */
  keep(policy: PolicyAnswer): KeptDefinition
  /** The policy that was kept, at a version of it: several versions may share a definition. */
  open(kept: KeptDefinition): (policyVersion: number) => KindPolicy
}

/** A table that a policy looks at. */
export interface SideDefinition {
  side: SideName
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

/** What the outcome of an item depends on, of one side. */
export interface ItemReads extends Reads {
  itemId: number
  side: SideName
}

/** A policy as its runs know it. Nothing in it knows its type. */
export interface KindPolicy {
  /** What runs of it are called in results. */
  typeName: string
  sides: EachSide<SideDefinition>
  timeoutMinutes: number | null
  /** What its items name beside columns of that side. */
  needs(side: SideName, itemSelection: readonly number[] | null): Needs
  /** What the outcomes of a run depend on beside filters and markers: of each item that it looks at, on each side. */
  reads(itemSelection: readonly number[] | null): readonly ItemReads[]
  hasItem(itemId: number): boolean
  refusal(request: StartRequest): Refusal | undefined
  /**
   * What a run asks next, at least something of each side in all; nothing: it knows enough. `found`: what it was answered so far,
   * in the order of its requests. What can never be measured is a problem of its item, and the others continue.
   */
  step(run: RunGiven, found: readonly Found[]): readonly RunRequest[]
  /** The series that thresholds of a run look back at. */
  lookBacks(run: RunGiven): readonly LookBack[]
  /** What the run came to. `found`: as in `step`. */
  judge(run: RunGiven, found: readonly Found[], past: Histories): JudgedRun
  /** Of a run of these items; null: of all. */
  shown(itemSelection: readonly number[] | null): ShownDefinition
  records(run: EndedRun): ItemRecords
}
