import path from 'node:path'
import type { ErrorCode } from '@assay/service-kit/errors'
import type { BrokerAccess } from '../broker-access.ts'
import type { Compared, ComparePlan } from '../compare.ts'
import type { BySide, SideName, SideRequest, SourceSide } from '../compared-source.ts'
import type { DatasetLocator, Discovered, SkippedFiles, Source } from '../dataset.ts'
import type { Described, DescribePlan } from '../described.ts'
import type { LastChange, LastChangePlan } from '../last-change.ts'
import type { ValuesPlan } from '../listed-values.ts'
import type { PathAccess } from '../path-access.ts'
import type { MeasuredPeriods, PeriodPlan } from '../periods.ts'
import type { ListedValues, MeasurePlan, Metric, SqlText } from '../plan.ts'
import type { Measured, Prepared, Progress, RewriteRequest, SampleRows } from '../port.ts'
import type { DatasetProfile, ProfilePlan } from '../profile.ts'
import type { Touched } from '../sql/tree/touched.ts'
import type { WrittenText } from '../sql/written-in.ts'
import type { StoreTarget } from '../stores/target.ts'
import type { TakenRows, TakePlan } from '../take.ts'

export interface Limits {
  memoryMb: number
  threads: number
  maxTempMb: number
}

/** The folder for stored rows, in the folder of a run. */
export const keptFolder = (tempFolder: string) => path.join(tempFolder, 'kept')

/** The file with the answer to a question, in the folder of a run. Its columns are `c0`, `c1`, and so on. */
export const askedFile = (tempFolder: string, id: number) => path.join(tempFolder, `asked-${id}.json`)

/** A file with an answer. `longest`: the bytes of its longest line. */
export interface AnswerFile {
  file: string
  longest: number
}

/** The prefix of folders of runs, in the temporary root. */
export const runPrefix = 'run-'

/** The prefix of the folder of the warm-up run of the child with that process id. The parent removes its leftovers. */
export const warmUpPrefix = (pid: number) => `${runPrefix}warm-up-${pid}-`

/** The request to a child, which does one piece of work at a time. */
export type Work =
  | { kind: 'touches'; texts: readonly WrittenText[] }
  | { kind: 'measure'; plan: MeasurePlan }
  | { kind: 'prepare'; dataset: DatasetLocator; filter?: SqlText | undefined; metrics: readonly Metric[] }
  | { kind: 'sample'; dataset: DatasetLocator; limit: number; filter?: SqlText | undefined }
  /** `after`: the path at which the previous child ended. That table and everything before it are skipped. */
  | { kind: 'discover'; source: Source; after?: string | undefined; sourceId?: number | undefined }
  | { kind: 'probe'; source: Source }
  /** `sources`: the sides that other engines read. */
  | { kind: 'compare'; plan: ComparePlan; sources?: BySide<Pick<SourceSide, 'columns' | 'reached'>> }
  | { kind: 'describe'; plan: DescribePlan; contentKey: string }
  | { kind: 'last-change'; plan: LastChangePlan }
  /** `source`: the table, if another engine reads it. */
  | { kind: 'profile'; plan: ProfilePlan; source?: Pick<SourceSide, 'columns' | 'reached'> }
  | { kind: 'take'; plan: TakePlan; source?: Pick<SourceSide, 'columns' | 'reached'> }
  | { kind: 'values'; plan: ValuesPlan }
  | { kind: 'periods'; plan: PeriodPlan }
  | { kind: 'rewrite'; request: RewriteRequest; outputFile: string }

export interface Answers {
  touches: (Touched | { problem: string })[]
  measure: Measured
  compare: Compared
  prepare: Prepared
  sample: SampleRows
  discover: null
  probe: { tables: number; skipped: SkippedFiles }
  describe: Described
  'last-change': LastChange
  profile: DatasetProfile
  take: TakenRows
  values: ListedValues
  periods: MeasuredPeriods
  rewrite: number | null
}

export type ToChild =
  /**
   * `tempFolder`: absolute, created and removed by the parent. `startedAt`: epoch milliseconds. `access`: which files
   * may be read; absent: all. `brokers`: which brokers may be read; absent: any. `stores`: the stores that the work
   * reads, with their keys in clear; only the child gets these keys. `isLast`: the child exits after this work.
   */
  | {
      kind: 'run'
      work: Work
      limits: Limits
      tempFolder: string
      startedAt: number
      access?: PathAccess | undefined
      brokers?: BrokerAccess
      stores?: readonly StoreTarget[]
      isLast: boolean
    }
  | { kind: 'cancel' }
  /** The parent has used one more discovered table, so another may be sent. */
  | { kind: 'taken' }
  /** The answer is in the file `askedFile` of the folder of the run, as JSON lines. `longest`: bytes of the longest line. */
  | { kind: 'answered'; id: number; longest: number }
  | { kind: 'not-answered'; id: number; failure: { code: ErrorCode; message: string } }

export type FromChild =
  | { kind: 'ready' }
  /** The child has answered, has closed all files of its work, and can do more work. */
  | { kind: 'idle' }
  | { kind: 'progress'; progress: Progress }
  | { kind: 'discovered'; found: Discovered }
  /** A crawl opens the table or file at `path`. The next discovery must follow within `withinMs`. */
  | { kind: 'reading'; path: string; withinMs: number }
  /** A question for a side of a comparison that another engine reads. */
  | { kind: 'asked'; id: number; side: SideName; request: SideRequest }
  | { kind: 'done'; answer: Answers[keyof Answers] }
  | { kind: 'failed'; code: ErrorCode; message: string }
