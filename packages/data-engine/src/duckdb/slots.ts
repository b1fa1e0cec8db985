import { type Clock, createTenantSlots, type SlotLimits } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { EngineQueue } from '../port.ts'

interface Waiting {
  since: number
  key: string | undefined
  isJob: boolean
  begin(): void
  refuse(error: unknown): void
}

export interface SlotsOptions extends SlotLimits {
  name: EngineQueue['name']
  clock: Clock
  /**
   * Maximum number of queued calls of one tenant, not counting jobs. Further calls are refused as `rate-limited`.
   * Default: no limit.
   */
  maxWaiting?: number
  /**
   * Maximum number of queued calls of one access key, so that no key fills the queue of its tenant. Default: no limit.
   */
  maxWaitingPerKey?: number
  /** How long a call waits before it is refused as `unavailable`. Default: until its signal aborts. */
  maxWaitMs?: number
}

export interface SlotRequest {
  tenant: string
  /** The access key of the calling tenant. Keys are served round-robin; calls without a key count as one key. */
  key?: string | undefined
  signal: AbortSignal
  /**
   * Whether the call is a job. The number of jobs is limited when they are requested. So here they wait without a
   * limit, and do not count towards the limits of other calls. Default: false.
   */
  isJob?: boolean
}

/** A concurrency limiter of the engine. Tenants are served round-robin. */
export class Slots {
  readonly #options: SlotsOptions
  readonly #slots
  #isClosed = false

  constructor(options: SlotsOptions) {
    this.#options = options
    this.#slots = createTenantSlots<Waiting>(options)
  }

  /** Whether a call would have to wait. */
  isFull(tenant: string): boolean {
    return this.#slots.isFull(tenant)
  }

  /** The numbers of running and waiting calls, and how long the oldest has waited. */
  queue(): EngineQueue {
    const { name, clock } = this.#options
    const waiting = this.#slots.waiting()
    const oldest = waiting.reduce((earliest, { since }) => Math.min(earliest, since), Number.POSITIVE_INFINITY)
    const oldestWaitMs = waiting.length === 0 ? 0 : clock.now() - oldest
    return { name, running: this.#slots.held, waiting: waiting.length, oldestWaitMs }
  }

  /** Runs `work` when a slot is free. Rejects with the signal's reason when it is aborted while waiting. */
  async run<T>(request: SlotRequest, work: () => Promise<T>): Promise<T> {
    const { tenant, signal } = request
    signal.throwIfAborted()
    if (this.#isClosed) throw closedError()
    await this.#slot(request)
    try {
      return await work()
    } finally {
      this.#slots.release(tenant)
      this.#proceed()
    }
  }

  #proceed(): void {
    for (let next = this.#slots.take(); next !== undefined; next = this.#slots.take()) next.item.begin()
  }

  #slot({ tenant, key, signal, isJob = false }: SlotRequest): Promise<void> {
    const { clock, maxWaiting, maxWaitingPerKey, maxWaitMs } = this.#options
    if (!isJob) {
      const others = this.#slots.waiting(tenant).filter((one) => !one.isJob)
      const own = others.filter((one) => one.key === key)
      if (maxWaitingPerKey !== undefined && key !== undefined && own.length >= maxWaitingPerKey)
        throw crowdedError(maxWaitingPerKey, 'key')
      if (maxWaiting !== undefined && others.length >= maxWaiting) throw crowdedError(maxWaiting, 'tenant')
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (reason: unknown) => {
      if (this.#slots.withdraw(tenant, waiting)) waiting.refuse(reason)
    }
    const abort = () => leave(signal.reason)
    const timer = maxWaitMs === undefined ? undefined : setTimeout(() => leave(busyError()), maxWaitMs)
    const done = (settle: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      settle()
    }
    const waiting: Waiting = {
      since: clock.now(),
      key,
      isJob,
      begin: () => done(resolve),
      refuse: (error) => done(() => reject(error)),
    }
    signal.addEventListener('abort', abort, { once: true })
    this.#slots.add(tenant, waiting, key)
    this.#proceed()
    return promise
  }

  /** Refuses queued and later calls. */
  close(): void {
    this.#isClosed = true
    for (const tenant of this.#slots.waitingTenants())
      for (const waiting of this.#slots.waiting(tenant))
        if (this.#slots.withdraw(tenant, waiting)) waiting.refuse(closedError())
  }
}

function closedError(): AssayError {
  return new AssayError('unavailable', 'The data engine is shutting down. Try again later.')
}

function busyError(): AssayError {
  return new AssayError('unavailable', 'The data engine is busy. Try again in a moment.', { retryAfterSeconds: 2 })
}

function crowdedError(most: number, whose: 'key' | 'tenant'): AssayError {
  const message = `${most} requests of this ${whose} already wait for the data engine, which is the limit. Try again when some have ended.`
  return new AssayError('rate-limited', message, { retryAfterSeconds: 2 })
}
