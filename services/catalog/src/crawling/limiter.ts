/** A concurrency limiter: runs at most `limit` tasks concurrently. */
export interface Limiter {
  /** Resolves when the task has started; waits while `limit` others run. The task must not reject. */
  begin(task: () => Promise<void>): Promise<void>
  /** Resolves when all started tasks have ended. */
  idle(): Promise<void>
}

export function createLimiter(limit: number): Limiter {
  const running = new Set<Promise<void>>()
  return {
    async begin(task) {
      while (running.size >= limit) await Promise.race(running)
      const run: Promise<void> = task().finally(() => running.delete(run))
      running.add(run)
    },
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
