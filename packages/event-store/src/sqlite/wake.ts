/** Tells readers of the log that something was appended, so that they need not wait for their next look. */
export interface Wake {
  notify(): void
  /** Resolves at the next `notify`, after `milliseconds`, or when `signal` aborts, whichever comes first. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** For one process. Nothing is lost between two waits of a reader that looks before it waits and does not yield between. */
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
