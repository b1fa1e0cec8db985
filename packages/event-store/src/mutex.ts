/** Runs asynchronous work one piece at a time, in order. */
export interface Mutex {
  run<T>(work: () => Promise<T>): Promise<T>
}

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(work) {
      const run = last.then(work)
      last = run.catch(() => undefined)
      return run
    },
  }
}

/** A mutex for each key; idle keys use no memory. */
export interface KeyedMutex {
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return {
    run(key, work) {
      const run = (last.get(key) ?? Promise.resolve()).then(work)
      const done = (): void => {
        if (last.get(key) === settled) last.delete(key)
      }
      const settled: Promise<void> = run.then(done, done)
      last.set(key, settled)
      return run
    },
  }
}
