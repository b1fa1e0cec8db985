/** Slots for concurrent handlers of one group, over all its partitions. */
export interface Slots {
  /** Call it when there may be a message to start. */
  wake(): void
  /** Call it when a handler has ended. */
  leave(): void
  /** Call it when a key waits for a retry. Returns whether the key may free its slot meanwhile. */
  pause(): boolean
  resume(): void
  /** Starts nothing more until `release`. */
  hold(): void
  release(): void
  running(): number
  /** Resolves when no handler runs. */
  idle(): Promise<void>
}

/** `begin` starts one handler and returns whether there was a message to start. */
export function createSlots(options: { concurrency: number; maxPausing: number; begin: () => boolean }): Slots {
  const { concurrency, maxPausing, begin } = options
  let running = 0
  let pausing = 0
  let held = false
  let woken = false
  let waiting: (() => void)[] = []

  function round(): void {
    woken = false
    while (!held && running < concurrency) {
      running++
      if (!begin()) {
        running--
        return
      }
    }
  }

  function wake(): void {
    if (woken || held) return
    woken = true
    // Yields to the event loop between rounds: handlers that never wait must not starve heartbeats.
    setImmediate(round)
  }

  return {
    wake,
    leave() {
      running--
      if (running === 0) {
        for (const resolve of waiting) resolve()
        waiting = []
      }
      wake()
    },
    pause: () => ++pausing <= maxPausing,
    resume() {
      pausing--
    },
    hold() {
      held = true
    },
    release() {
      held = false
      wake()
    },
    running: () => running,
    idle: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  }
}
