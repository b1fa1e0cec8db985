import path from 'node:path'
import type { ErrorCode } from '@assay/service-kit/errors'
import type { Compared, ComparePlan } from '../compare.ts'
import type { DatasetLocator, Discovered, SkippedFiles, Source } from '../dataset.ts'
import type { Fence } from '../fence.ts'
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

/** Where a child leaves the rows that it keeps, in the folder of its run. */
export const keptFolder = (tempFolder: string) => path.join(tempFolder, 'kept')

/** How names of folders of runs begin, in the temporary root. */
export const runPrefix = 'run-'

/**
 * How the name of the folder begins in which the child of that process id rehearses: the parent removes what it leaves.
 */
export const rehearsalPrefix = (pid: number) => `${runPrefix}rehearsal-${pid}-`

/** What a child is asked for, once in its life. */
export type Work =
  | { kind: 'touches'; texts: readonly WrittenText[] }
  | { kind: 'measure'; plan: MeasurePlan }
  | { kind: 'prepare'; dataset: DatasetLocator; filter?: SqlText | undefined; metrics: readonly Metric[] }
  | { kind: 'sample'; dataset: DatasetLocator; limit: number; filter?: SqlText | undefined }
  /** `after`: the path at which another child ended; it and everything before it are left out. */
  | { kind: 'discover'; source: Source; after?: string | undefined }
  | { kind: 'probe'; source: Source }
  | { kind: 'compare'; plan: ComparePlan }
  | { kind: 'profile'; plan: ProfilePlan }
  | { kind: 'rewrite'; request: RewriteRequest; outputFile: string }

export interface Answers {
  touches: (Touched | { problem: string })[]
  measure: Measured
  compare: Compared
  prepare: Prepared
  sample: SampleRows
  discover: null
  probe: { tables: number; skipped: SkippedFiles }
  profile: DatasetProfile
  rewrite: number | null
}

export type ToChild =
  /**
   * `tempFolder`: absolute, made by the parent, removed by it. `startedAt`: epoch milliseconds. `fence`: what may be read of
   * sources; absent: everything.
   */
  | { kind: 'run'; work: Work; limits: Limits; tempFolder: string; startedAt: number; fence?: Fence | undefined }
  | { kind: 'cancel' }
  /** One more discovered table has been used: another may be sent. */
  | { kind: 'taken' }

export type FromChild =
  | { kind: 'ready' }
  | { kind: 'progress'; progress: Progress }
  | { kind: 'discovered'; found: Discovered }
  /** A crawl opens the table or file at `path`, which is done when something is discovered or within `withinMs`. */
  | { kind: 'looking'; path: string; withinMs: number }
  | { kind: 'done'; answer: Answers[keyof Answers] }
  | { kind: 'failed'; code: ErrorCode; message: string }
