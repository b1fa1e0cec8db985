/** Runs pieces of asynchronous work one after the other, in the order in which they were handed in. */
export interface Turns {
  run<T>(work: () => Promise<T>): Promise<T>
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(work) {
      const turn = last.then(work)
      last = turn.catch(() => undefined)
      return turn
    },
  }
}

/** Turns for each key; keys without work take no space. */
export interface TurnsByKey {
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

export function createTurnsByKey(): TurnsByKey {
  const last = new Map<string, Promise<unknown>>()
  return {
    run(key, work) {
      const turn = (last.get(key) ?? Promise.resolve()).then(work)
      const done = (): void => {
        if (last.get(key) === settled) last.delete(key)
      }
      const settled: Promise<void> = turn.then(done, done)
      last.set(key, settled)
      return turn
    },
  }
}
