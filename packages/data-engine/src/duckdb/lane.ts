import { AssayError } from '@assay/service-kit/errors'

interface Waiting {
  begin(): void
  refuse(error: unknown): void
}

/** Lets so many go at once; the others wait in order. */
export class Lane {
  readonly #capacity: number
  #busy = 0
  #closed = false
  readonly #queue: Waiting[] = []

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get isFull(): boolean {
    return this.#busy >= this.#capacity
  }

  /** Runs `work` when there is room. Rejects with the signal's reason when it is aborted while waiting. */
  async go<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    if (this.#closed) throw closedError()
    if (this.isFull) await this.#wait(signal)
    else this.#busy += 1
    try {
      return await work()
    } finally {
      const next = this.#queue.shift()
      // The place goes straight to the next one, so that no other call slips in between.
      if (next) next.begin()
      else this.#busy -= 1
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      const place = this.#queue.indexOf(waiting)
      if (place < 0) return
      this.#queue.splice(place, 1)
      reject(signal.reason)
    }
    const done = (settle: () => void) => {
      signal.removeEventListener('abort', leave)
      settle()
    }
    const waiting: Waiting = { begin: () => done(resolve), refuse: (error) => done(() => reject(error)) }
    signal.addEventListener('abort', leave, { once: true })
    this.#queue.push(waiting)
    return promise
  }

  /** Refuses those that wait and those that come. */
  close(): void {
    this.#closed = true
    for (const waiting of this.#queue.splice(0)) waiting.refuse(closedError())
  }
}

function closedError(): AssayError {
  return new AssayError('unavailable', 'The data engine is shutting down. Try again later.')
}
