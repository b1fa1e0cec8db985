import path from 'node:path'
import type { ErrorCode } from '@assay/service-kit/errors'
import type { BrokerAccess } from '../broker-access.ts'
import type { Compared, ComparePlan } from '../compare.ts'
import type { DatasetLocator, Discovered, SkippedFiles, Source } from '../dataset.ts'
import type { Described, DescribePlan } from '../described.ts'
import type { LastChange, LastChangePlan } from '../last-change.ts'
import type { PathAccess } from '../path-access.ts'
import type { MeasuredPeriods, PeriodPlan } from '../periods.ts'
import type { MeasurePlan, Metric, SqlText } from '../plan.ts'
import type { Measured, Prepared, Progress, RewriteRequest, SampleRows } from '../port.ts'
import type { DatasetProfile, ProfilePlan } from '../profile.ts'
import type { Touched } from '../sql/tree/touched.ts'
import type { WrittenText } from '../sql/written-in.ts'

export interface Limits {
  memoryMb: number
  threads: number
  maxTempMb: number
}

/** The folder for stored rows, in the folder of a run. */
export const keptFolder = (tempFolder: string) => path.join(tempFolder, 'kept')

/** The prefix of folders of runs, in the temporary root. */
export const runPrefix = 'run-'

/** The prefix of the folder of the warm-up run of the child with that process id. The parent removes its leftovers. */
export const warmUpPrefix = (pid: number) => `${runPrefix}warm-up-${pid}-`

/** The request to a child. Each child gets only one. */
export type Work =
  | { kind: 'touches'; texts: readonly WrittenText[] }
  | { kind: 'measure'; plan: MeasurePlan }
  | { kind: 'prepare'; dataset: DatasetLocator; filter?: SqlText | undefined; metrics: readonly Metric[] }
  | { kind: 'sample'; dataset: DatasetLocator; limit: number; filter?: SqlText | undefined }
  /** `after`: the path at which the previous child ended. That table and everything before it are skipped. */
  | { kind: 'discover'; source: Source; after?: string | undefined }
  | { kind: 'probe'; source: Source }
  | { kind: 'compare'; plan: ComparePlan }
  | { kind: 'describe'; plan: DescribePlan; contentKey: string }
  | { kind: 'last-change'; plan: LastChangePlan }
  | { kind: 'profile'; plan: ProfilePlan }
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
  periods: MeasuredPeriods
  rewrite: number | null
}

export type ToChild =
  /**
   * `tempFolder`: absolute, created and removed by the parent. `startedAt`: epoch milliseconds. `access`: which files
   * may be read; absent: all. `brokers`: which brokers; absent: any.
   */
  | {
      kind: 'run'
      work: Work
      limits: Limits
      tempFolder: string
      startedAt: number
      access?: PathAccess | undefined
      brokers?: BrokerAccess
    }
  | { kind: 'cancel' }
  /** The parent has used one more discovered table, so another may be sent. */
  | { kind: 'taken' }

export type FromChild =
  | { kind: 'ready' }
  | { kind: 'progress'; progress: Progress }
  | { kind: 'discovered'; found: Discovered }
  /** A crawl opens the table or file at `path`. The next discovery must follow within `withinMs`. */
  | { kind: 'reading'; path: string; withinMs: number }
  | { kind: 'done'; answer: Answers[keyof Answers] }
  | { kind: 'failed'; code: ErrorCode; message: string }
