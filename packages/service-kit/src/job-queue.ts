/** Works on jobs as they come, some at the same time, none twice at the same time. */
export interface JobQueue<Job> {
  /** Work begins, also on the jobs that were taken before. */
  open(): void
  isOpen(): boolean
  /** Takes a job, unless it waits or is under way already. */
  take(job: Job): void
  /** Drops the jobs that wait, aborts those that are under way; resolves when these have ended. It can be opened again. */
  close(): Promise<void>
}

export function createJobQueue<Job extends { requestId: string }>(options: {
  maxAtOnce: number
  /** `stopping` aborts when the queue closes. */
  work(job: Job, stopping: AbortSignal): Promise<void>
  /** The work rejected: what came of the job is not known. */
  onError(error: unknown, job: Job): void
}): JobQueue<Job> {
  const { maxAtOnce, work, onError } = options
  const underWay = new Map<string, Promise<void>>()
  const waiting: Job[] = []
  let stopping: AbortController | undefined

  function proceed(): void {
    while (stopping !== undefined && underWay.size < maxAtOnce) {
      const job = waiting.shift()
      if (job === undefined) return
      const ended = work(job, stopping.signal)
        .catch((error: unknown) => onError(error, job))
        .finally(() => {
          underWay.delete(job.requestId)
          proceed()
        })
      underWay.set(job.requestId, ended)
    }
  }

  return {
    isOpen: () => stopping !== undefined,
    open() {
      stopping ??= new AbortController()
      proceed()
    },
    take(job) {
      const isKnown = underWay.has(job.requestId) || waiting.some(({ requestId }) => requestId === job.requestId)
      if (!isKnown) waiting.push(job)
      proceed()
    },
    async close() {
      stopping?.abort()
      stopping = undefined
      waiting.length = 0
      await Promise.all(underWay.values())
    },
  }
}
