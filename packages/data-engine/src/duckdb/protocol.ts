import type { ErrorCode } from '@assay/service-kit/errors'
import type { DatasetLocator, Discovered, Source } from '../dataset.ts'
import type { DistributionRequest, Distributions } from '../distribution.ts'
import type { MeasurePlan, Metric, SqlText } from '../plan.ts'
import type { Measured, Prepared, Progress, RewriteRequest, SampleRows } from '../port.ts'
import type { DatasetProfile, ProfilePlan } from '../profile.ts'

export interface Limits {
  memoryMb: number
  threads: number
  maxTempMb: number
}

/** How names of folders of runs begin, in the temporary root. */
export const runPrefix = 'run-'

/**
 * How the name of the folder begins in which the child of that process id rehearses: the parent removes what it leaves.
 */
export const rehearsalPrefix = (pid: number) => `${runPrefix}rehearsal-${pid}-`

/** What a child is asked for, once in its life. */
export type Work =
  | { kind: 'measure'; plan: MeasurePlan; outputFolder: string }
  | { kind: 'prepare'; dataset: DatasetLocator; filter?: SqlText | undefined; metrics: readonly Metric[] }
  | { kind: 'sample'; dataset: DatasetLocator; limit: number; filter?: SqlText | undefined }
  | ({ kind: 'distributions'; dataset: DatasetLocator } & DistributionRequest)
  | { kind: 'discover'; source: Source }
  | { kind: 'probe'; source: Source }
  | { kind: 'profile'; plan: ProfilePlan }
  | { kind: 'rewrite'; request: RewriteRequest; outputFile: string }

export interface Answers {
  measure: Measured
  prepare: Prepared
  sample: SampleRows
  distributions: Distributions
  discover: null
  probe: { tables: number }
  profile: DatasetProfile
  rewrite: number | null
}

export type ToChild =
  /** `tempFolder`: absolute, made by the parent, removed by it. `startedAt`: epoch milliseconds. */
  | { kind: 'run'; work: Work; limits: Limits; tempFolder: string; startedAt: number }
  | { kind: 'cancel' }
  /** One more discovered table has been used: another may be sent. */
  | { kind: 'taken' }

export type FromChild =
  | { kind: 'ready' }
  | { kind: 'progress'; progress: Progress }
  | { kind: 'discovered'; found: Discovered }
  | { kind: 'done'; answer: Answers[keyof Answers] }
  | { kind: 'failed'; code: ErrorCode; message: string }
