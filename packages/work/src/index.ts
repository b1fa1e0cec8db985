export { type Admission, createAdmission } from './admission.ts'
export {
  type AnyWork,
  afterClaim,
  afterRelease,
  afterRenewal,
  type Claim,
  type ClaimGranted,
  type ClaimRequest,
  claim,
  claimed,
  claimsOf,
  deathLimit,
  decideClaim,
  holds,
  isTakenOver,
  newWork,
  type OpenWork,
  waiting,
} from './claim.ts'
export { createDuePoller, type DueKind, type DuePoller, dueBook, duePut } from './due/due-book.ts'
export { type DueTime, decideDue, dueAfterChange, dueTime, firstDue, type Schedule } from './due/schedule.ts'
export type { ClaimedWork, WorkProgress } from './leased-work.ts'
export { countOpenWork, type OpenEntry, openWork, openWorkOf, openWorkPut } from './open-work.ts'
export { createPeriodicWork, type PeriodicWork } from './periodic-work.ts'
export { createRequestedFiles, type RequestedFiles } from './requested-files.ts'
export { createRequestedWork, expiredSentence, type RequestedSource, type RequestedWork } from './requested-work.ts'
export { type Candidate, createWorker, type Worker, type WorkSource } from './worker.ts'
