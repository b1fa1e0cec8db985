import { createTenantSlots } from './tenant-slots.ts'

/**
 * Works on jobs concurrently, never twice on the same one. Slots rotate among tenants, and among the keys of a tenant.
 */
export interface JobQueue<Job> {
  /** Starts working, also on jobs taken before. */
  open(): void
  isOpen(): boolean
  /** Takes a job, unless it waits or runs already. `key`: the access key that requested it, if known. */
  take(job: Job, key?: string): void
  /** Aborts the work on a job, or drops the job if it waits. */
  cancel(requestId: string): void
  /** Waiting jobs, oldest of each key first. */
  waiting(): readonly Job[]
  /** Drops waiting jobs and aborts running ones; resolves when these have ended. It can be opened again. */
  close(): Promise<void>
}

export function createJobQueue<Job extends { tenant: string; requestId: string }>(options: {
  maxAtOnce: number
  /** Concurrent jobs per tenant. Absent: `maxAtOnce`. */
  perTenant?: number
  /** `stopped` aborts when the job is cancelled or the queue closes. */
  work(job: Job, stopped: AbortSignal): Promise<void>
  /** The work rejected: the state of the job is unknown. */
  onError(error: unknown, job: Job): void
  /** The job has ended or was dropped. */
  onGone?(job: Job): void
}): JobQueue<Job> {
  const { maxAtOnce, perTenant = maxAtOnce, work, onError, onGone } = options
  const slots = createTenantSlots<Job>({ capacity: maxAtOnce, perTenant })
  const known = new Map<string, { job: Job; stop: AbortController; ended?: Promise<void> }>()
  let isOpen = false

  function proceed(): void {
    while (isOpen) {
      const next = slots.take()
      if (next === undefined) return
      const { tenant, item: job } = next
      const entry = known.get(job.requestId)
      if (entry === undefined) {
        slots.release(tenant)
        continue
      }
      entry.ended = work(job, entry.stop.signal)
        .catch((error: unknown) => onError(error, job))
        .finally(() => {
          known.delete(job.requestId)
          onGone?.(job)
          slots.release(tenant)
          proceed()
        })
    }
  }

  function drop(job: Job): void {
    if (!slots.withdraw(job.tenant, job)) return
    known.delete(job.requestId)
    onGone?.(job)
  }

  return {
    isOpen: () => isOpen,
    open() {
      isOpen = true
      proceed()
    },
    take(job, key) {
      if (known.has(job.requestId)) return
      known.set(job.requestId, { job, stop: new AbortController() })
      slots.add(job.tenant, job, key)
      proceed()
    },
    cancel(requestId) {
      const entry = known.get(requestId)
      entry?.stop.abort()
      if (entry !== undefined && entry.ended === undefined) drop(entry.job)
    },
    waiting: () => slots.waiting(),
    async close() {
      isOpen = false
      for (const job of slots.waiting()) drop(job)
      const ending = [...known.values()]
      for (const { stop } of ending) stop.abort()
      await Promise.all(ending.map(({ ended }) => ended))
    },
  }
}
