import { z } from 'zod'

/** Number of expired claims after which work fails, because the work itself may kill its workers. */
export const deathLimit = 3

/** A claim. Each claim of a piece of work has a higher fence than earlier claims. Times are ISO 8601 UTC. */
export const claim = z.object({ worker: z.string(), fence: z.int(), until: z.string(), renewedAt: z.string() })
export type Claim = z.infer<typeof claim>

/** Work that nobody has claimed. `fence`: fence of the last claim. `lost`: number of claims that expired. */
export const waiting = z.object({ status: z.literal('waiting'), fence: z.int(), lost: z.int() })
export type Waiting = z.infer<typeof waiting>
/** Work that a worker has claimed. */
export const claimed = z.object({ status: z.literal('running'), claim, lost: z.int() })
export type Claimed = z.infer<typeof claimed>

/** Work that has not ended. */
export type OpenWork = Waiting | Claimed
/** The state of an aggregate of work. Any other `status` means that the work has ended or does not exist. */
export type AnyWork = OpenWork | { status: string; claim?: never }

/** Work that was just requested. */
export const newWork: Waiting = { status: 'waiting', fence: 0, lost: 0 }

/**
 * A request for a claim. `until`: when the claim expires unless it is renewed. `isSole`: no other process works on the
 * log, so the claim of another worker is void.
 */
export type ClaimRequest = { worker: string; at: string; until: string; isSole?: boolean }

/** The event data of a claim. */
export type ClaimGranted = { worker: string; at: string; until: string; fence: number }

/** Whether the work has not ended. */
export function isOpen(work: AnyWork): work is OpenWork {
  return isWaiting(work) || isClaimed(work)
}

/**
 * The claim, or why there is none: `taken` if the work is claimed or has ended, `died` if its workers died too often.
 */
export function decideClaim(work: AnyWork | undefined, request: ClaimRequest): ClaimGranted | 'taken' | 'died' {
  const { worker, at, until } = request
  if (work === undefined) return 'taken'
  if (isWaiting(work)) return { worker, at, until, fence: work.fence + 1 }
  if (!isClaimed(work)) return 'taken'
  const isVoid = request.isSole === true && work.claim.worker !== worker
  if (!isVoid && work.claim.until > at) return 'taken'
  return work.lost + 1 >= deathLimit ? 'died' : { worker, at, until, fence: work.claim.fence + 1 }
}

/**
 * Whether the worker with this fence still holds the work. The end of work that any other worker reports is ignored.
 */
export function holds(work: AnyWork | undefined, fence: number): boolean {
  return work !== undefined && isClaimed(work) && work.claim.fence === fence
}

/** Whether another worker has claimed the work since the claim with this fence. False if the work has ended. */
export function isTakenOver(work: AnyWork | undefined, fence: number): boolean {
  return work !== undefined && isOpen(work) && claimsOf(work) > fence
}

/** The number of claims so far. */
export function claimsOf(work: OpenWork): number {
  return work.status === 'waiting' ? work.fence : work.claim.fence
}

export function afterClaim(work: OpenWork, { worker, fence, at, until }: ClaimGranted): Claimed {
  const lost = work.status === 'running' ? work.lost + 1 : work.lost
  return { status: 'running', claim: { worker, fence, until, renewedAt: at }, lost }
}

export function afterRenewal(work: Claimed, { at, until }: { at: string; until: string }): Claimed {
  return { status: 'running', claim: { ...work.claim, until, renewedAt: at }, lost: work.lost }
}

/** The work after a release, which does not count as a death. */
export function afterRelease(work: Claimed): Waiting {
  return { status: 'waiting', fence: work.claim.fence, lost: work.lost }
}

function isWaiting(work: AnyWork): work is Waiting {
  return work.status === 'waiting' && 'fence' in work
}

function isClaimed(work: AnyWork): work is Claimed {
  return work.status === 'running' && work.claim !== undefined
}
