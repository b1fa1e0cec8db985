import { type ChildProcess, fork } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import type { BrokerAccess } from '../broker-access.ts'
import type { Discovered } from '../dataset.ts'
import type { PathAccess } from '../path-access.ts'
import type { Progress } from '../port.ts'
import type { StoreTarget } from '../stores/target.ts'
import type { Answers, FromChild, Limits, ToChild, Work } from './protocol.ts'

/** Time from the request to stop until the process is killed. */
const graceMs = 2000
const memoryCheckMs = 250
/** Memory that a process needs in addition to the engine's own limit. */
const overheadMb = 300
const pageBytes = 4096

/**
 * Address space that a process reserves at its start but never fills, for V8, its allocator and thread stacks.
 * Measured: 650 MB reserved and 130 MB used with two threads.
 */
const reservedMb = 1024
const reservedPerThreadMb = 32

/**
 * On Linux, the system also limits the memory of a child. So a child that fills its memory between two checks fails
 * alone. On other systems, only the periodic checks limit it.
 */
function limited(maxMb: number): { execPath?: string; execArgv: string[] } {
  if (process.platform !== 'linux') return { execArgv: [] }
  const script = 'ulimit -d "$0" 2>/dev/null; exec "$@"'
  return { execPath: '/bin/sh', execArgv: ['-c', script, String(maxMb * 1024), process.execPath] }
}

/**
 * The compile cache of children: that of this process if it is writable. A read-only cache, as in the image, lacks the
 * modules that only children load.
 */
export function compileCacheOf(tempRoot: string): string {
  const own = process.env.NODE_COMPILE_CACHE
  try {
    if (own) accessSync(own, constants.W_OK)
    return own || path.join(tempRoot, 'compiled')
  } catch {
    return path.join(tempRoot, 'compiled')
  }
}

/**
 * Starts the process of a child that may use at most `memoryMb`. It inherits only the environment variables that it
 * needs.
 */
export function spawnEngineChild(tempRoot: string, limits: { memoryMb: number; threads: number }): ChildProcess {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: tempRoot,
    TZ: 'UTC',
    // Certificates that object stores may have.
    ...(process.env.NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS } : {}),
    NODE_COMPILE_CACHE: compileCacheOf(tempRoot),
    // Returns freed memory to the system, so that the process's memory follows what the engine counts. Measured: a
    // fifth less memory. With fewer arenas, threads would wait for each other.
    MALLOC_ARENA_MAX: '4',
    MALLOC_TRIM_THRESHOLD_: '131072',
    MALLOC_MMAP_THRESHOLD_: '4194304',
    // The engine's own allocator would keep the address space of freed memory, which counts towards the system's limit.
    // Measured: lists of JSON then need 540 MB less of it.
    DUCKDB_JE_MALLOC_CONF: 'retain:false',
  }
  return fork(path.join(import.meta.dirname, 'child', 'main.ts'), [], {
    serialization: 'advanced',
    ...limited(limits.memoryMb + reservedMb + reservedPerThreadMb * limits.threads),
    env,
    cwd: tempRoot,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

export type Asked = Extract<FromChild, { kind: 'asked' }>

export interface Assignment {
  work: Work
  limits: Limits
  tempFolder: string
  access: PathAccess | undefined
  brokers: BrokerAccess
  stores: readonly StoreTarget[]
  /** The child exits after this work, even if it succeeds. */
  isLast: boolean
  startedAt: number
  timeoutMs: number
  signal: AbortSignal
  onProgress?: ((progress: Progress) => void) | undefined
  /** Call `taken` once the item has been used, so that the child sends more. */
  onDiscovered?: ((found: Discovered, taken: () => void) => void) | undefined
  onReading?: ((path: string) => void) | undefined
  /** Answers a question by writing the answer to a file. Returns the bytes of its longest line. */
  onAsked?: ((asked: Asked) => Promise<number>) | undefined
}

/** The part of `ChildProcess` that the engine uses. */
export interface EngineProcess {
  readonly pid?: number | undefined
  readonly connected: boolean
  send(message: ToChild, sent: (error: Error | null) => void): boolean
  kill(signal: 'SIGKILL'): boolean
  on(event: 'message', listener: (message: FromChild) => void): unknown
  once(event: 'exit' | 'disconnect' | 'error', listener: () => void): unknown
}

/** A process that does one piece of work at a time. */
export class EngineChild {
  readonly #process: EngineProcess
  readonly #exited: Promise<void>
  #alive = true
  #isKilled = false
  #onMessage: (message: FromChild) => void = () => undefined
  #idle: PromiseWithResolvers<boolean> | undefined
  #isIdle = true
  #killTimer: NodeJS.Timeout | undefined

  constructor(child: EngineProcess) {
    this.#process = child
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#exited = promise
    const end = () => {
      this.#alive = false
      clearTimeout(this.#killTimer)
      this.#idle?.resolve(false)
      resolve()
    }
    child.on('message', (message) => {
      if (message.kind !== 'idle') return this.#onMessage(message)
      this.#isIdle = true
      clearTimeout(this.#killTimer)
      this.#idle?.resolve(true)
    })
    // A process can exit before its last message has been read. The channel closes after all messages.
    child.once('exit', () => {
      this.#alive = false
      if (child.connected) child.once('disconnect', end)
      else end()
    })
    child.once('error', end)
  }

  get pid(): number | null {
    return this.#alive ? (this.#process.pid ?? null) : null
  }

  get isAlive(): boolean {
    // A killed process may still send that it is idle.
    return this.#alive && !this.#isKilled && this.#process.connected
  }

  /** Resolves when the process has ended. */
  get exited(): Promise<void> {
    return this.#exited
  }

  kill(): void {
    this.#isKilled = true
    if (this.#alive) this.#process.kill('SIGKILL')
  }

  /** After work: whether the process waits for more work. It has exited otherwise. */
  async waitsForMore(): Promise<boolean> {
    return (await this.#idle?.promise) === true && this.isAlive
  }

  /** Does the work. The process ends after an error and after its last work; otherwise it becomes idle. */
  async run(assignment: Assignment): Promise<Answers[keyof Answers]> {
    const { signal } = assignment
    this.#idle = Promise.withResolvers<boolean>()
    this.#isIdle = false
    this.#killTimer = undefined
    const { promise, resolve, reject } = Promise.withResolvers<Answers[keyof Answers]>()
    /** Why this process stopped the run. If set, it takes precedence over the child's answer. */
    let stopped: { reason: unknown } | null = null
    const stop = (reason: unknown) => {
      if (stopped) return
      stopped = { reason }
      this.#send({ kind: 'cancel' })
      this.#killTimer = setTimeout(() => this.kill(), graceMs)
    }
    const over = (error: AssayError) => {
      stopped ??= { reason: error }
      this.kill()
    }
    let reading: NodeJS.Timeout | undefined
    let hasEnded = false
    this.#onMessage = (message: FromChild) => {
      if (message.kind === 'progress') assignment.onProgress?.(message.progress)
      else if (message.kind === 'discovered') {
        if (message.found.kind === 'table' || message.found.kind === 'failed') clearTimeout(reading)
        assignment.onDiscovered?.(message.found, () => hasEnded || this.#send({ kind: 'taken' }))
      } else if (message.kind === 'reading') {
        clearTimeout(reading)
        // A child that hangs may not react to messages.
        reading = setTimeout(() => over(new TableTimedOut(message.withinMs)), message.withinMs)
        assignment.onReading?.(message.path)
      } else if (message.kind === 'asked') void this.#answer(message, assignment)
      else if (message.kind === 'done') stopped ? reject(stopped.reason) : resolve(message.answer)
      else if (message.kind === 'failed')
        reject(stopped ? stopped.reason : new AssayError(message.code, message.message))
    }
    const onExit = () => reject(stopped ? stopped.reason : new ChildDied())
    const onAbort = () => stop(signal.reason)
    const timeout = setTimeout(() => stop(timeoutError(assignment.timeoutMs)), assignment.timeoutMs)
    const watch = this.#watchMemory(assignment.limits, over)
    void this.#exited.then(onExit)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    const { work, limits, tempFolder, access, brokers, stores, isLast, startedAt } = assignment
    this.#send({ kind: 'run', work, limits, tempFolder, access, brokers, stores, isLast, startedAt })
    try {
      return await promise
    } finally {
      hasEnded = true
      this.#onMessage = () => undefined
      clearTimeout(timeout)
      clearTimeout(reading)
      clearInterval(watch)
      signal.removeEventListener('abort', onAbort)
      // A child that has answered becomes idle or exits by itself; otherwise it is killed.
      if (this.#alive && !this.#isIdle) this.#killTimer ??= setTimeout(() => this.kill(), graceMs)
    }
  }

  async #answer(asked: Asked, { onAsked }: Assignment): Promise<void> {
    const { id } = asked
    try {
      if (onAsked === undefined) throw new AssayError('internal', 'No other engine reads this side.')
      this.#send({ kind: 'answered', id, longest: await onAsked(asked) })
    } catch (error) {
      const code = isAssayError(error) ? error.code : 'internal'
      this.#send({ kind: 'not-answered', id, failure: { code, message: messageOf(error) } })
    }
  }

  #send(message: ToChild): void {
    // If the child dies just before this, its exit event handles it.
    if (this.isAlive) this.#process.send(message, () => undefined)
  }

  #watchMemory(limits: Limits, over: (error: AssayError) => void): NodeJS.Timeout | undefined {
    const { pid } = this.#process
    if (pid === undefined || process.platform !== 'linux') return undefined
    const most = (limits.memoryMb + overheadMb) * 1_048_576
    const sentence = `The run needed more than its ${limits.memoryMb} MB of memory. Raise the limit or read fewer rows.`
    return setInterval(() => {
      readFile(`/proc/${pid}/statm`, 'latin1').then(
        (text) => {
          if (Number(text.split(' ')[1] ?? 0) * pageBytes > most) over(new AssayError('too-large', sentence))
        },
        () => undefined,
      )
    }, memoryCheckMs)
  }
}

/** The child ended without an answer. */
export class ChildDied extends AssayError {
  constructor() {
    super('unavailable', 'The run ended because its process died. Run it again.')
  }
}

/** One table of a crawl exceeded its time limit. */
export class TableTimedOut extends AssayError {
  constructor(withinMs: number) {
    super('timeout', `could not be read within ${withinMs / 1000} seconds`)
  }
}

function timeoutError(timeoutMs: number): AssayError {
  return new AssayError(
    'timeout',
    `The run did not end within ${timeoutMs / 1000} seconds. Raise the limit or read fewer rows.`,
  )
}
