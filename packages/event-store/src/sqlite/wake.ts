/** Wakes readers of the log after an append, so that they need not wait for their next poll. */
export interface Wake {
  notify(): void
  /** Resolves at the next `notify`, after `milliseconds`, or when `signal` aborts, whichever comes first. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** For one process. A reader misses no append if it checks the log before it waits, without yielding in between. */
export function createWake(): Wake {
  const waiting = new Set<() => void>()
  return {
    notify() {
      for (const resume of [...waiting]) resume()
    },
    wait(milliseconds, signal) {
      if (signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const resume = (): void => {
          waiting.delete(resume)
          clearTimeout(timer)
          signal.removeEventListener('abort', resume)
          resolve()
        }
        const timer = setTimeout(resume, milliseconds)
        waiting.add(resume)
        signal.addEventListener('abort', resume, { once: true })
      })
    },
  }
}
