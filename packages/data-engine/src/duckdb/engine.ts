import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Clock } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Discovered } from '../dataset.ts'
import type { MeasurePlan } from '../plan.ts'
import type { DataEngine, Progress } from '../port.ts'
import { EngineChild, spawnEngineChild } from './child-process.ts'
import { Lane } from './lane.ts'
import { type Answers, type Limits, rehearsalPrefix, runPrefix, type Work } from './protocol.ts'

export interface DuckDbEngineOptions {
  /** Measuring runs at once; more wait. */
  maxRuns?: number
  /** The most that one run may use, whatever its plan says. */
  memoryMb: number
  threads: number
  /**
   * Absolute folder for what runs need for a while; without one, a new folder of the system's, which goes when the
   * engine closes.
   */
  tempRoot?: string | undefined
  clock: Clock
  spawnChild?: () => ChildProcess
}

/**
 * Looks (discover, probe, prepare, sample) have places of their own, so that long measuring does not keep people
 * waiting.
 */
const maxLooks = 4
const lookLimits = { timeoutMs: 120_000, memoryMb: 512, maxTempMb: 10_240 }
const discoverTimeoutMs = 30 * 60_000
/** The start of the calling process comes first. */
const warmAfterMs = 200
/** So does judging and storing the answer of a run. */
const warmAfterRunMs = 100

interface RunOptions {
  timeoutMs: number
  limits: Limits
  signal: AbortSignal
  onProgress?: ((progress: Progress) => void) | undefined
  onDiscovered?: ((found: Discovered, taken: () => void) => void) | undefined
}

/**
 * DuckDB in child processes: one run for each, at most `maxRuns` measuring at once, one spare child that waits with the
 * engine loaded. This process never loads DuckDB. Limits of a plan are cut to the engine's own. `tempRoot` is this
 * engine's alone: folders of runs that an engine before left there, because its process was killed, are removed.
 */
export function createDuckDbEngine(options: DuckDbEngineOptions): DataEngine {
  const { clock, maxRuns = 2 } = options
  const tempRoot = options.tempRoot ?? mkdtempSync(path.join(tmpdir(), 'assay-engine-'))
  mkdirSync(tempRoot, { recursive: true })
  const leftovers = removeLeftovers(tempRoot, runPrefix)
  const spawn = options.spawnChild ?? (() => spawnEngineChild(tempRoot))
  /** Each with its end: when it has exited, and what a rehearsal left is gone. */
  const living = new Map<EngineChild, Promise<void>>()
  const runs = new Lane(maxRuns)
  const looks = new Lane(maxLooks)
  let spare: EngineChild | null = null
  let closed = false

  const start = (): EngineChild => {
    const child = new EngineChild(spawn())
    const { pid } = child
    const end = child.exited.then(async () => {
      if (pid !== null) await removeLeftovers(tempRoot, rehearsalPrefix(pid)).catch(() => undefined)
      living.delete(child)
    })
    living.set(child, end)
    return child
  }
  const warm = () => {
    if (!closed && !spare?.isAlive) spare = start()
  }
  let warming: NodeJS.Timeout | undefined
  const warmLater = (afterMs: number) => {
    clearTimeout(warming)
    warming = setTimeout(warm, afterMs)
    warming.unref()
  }
  warmLater(warmAfterMs)

  const takeChild = (): EngineChild => {
    if (closed) throw new AssayError('unavailable', 'The data engine is shutting down. Try again later.')
    const taken = spare?.isAlive ? spare : start()
    spare = null
    return taken
  }

  async function inChild<K extends keyof Answers>(work: Work & { kind: K }, run: RunOptions): Promise<Answers[K]> {
    const tempFolder = await mkdtemp(path.join(tempRoot, runPrefix))
    const child = takeChild()
    try {
      const answer = await child.run({ work, tempFolder, startedAt: clock.now(), ...run })
      // The child answers in the kind that it was asked in.
      return answer as Answers[K]
    } finally {
      if (work.kind === 'measure') warmLater(warmAfterRunMs)
      else warm()
      void child.exited.then(() => rm(tempFolder, { recursive: true, force: true })).catch(() => undefined)
    }
  }

  const lookOptions = (signal: AbortSignal): RunOptions => ({
    timeoutMs: lookLimits.timeoutMs,
    limits: {
      memoryMb: Math.min(lookLimits.memoryMb, options.memoryMb),
      threads: options.threads,
      maxTempMb: lookLimits.maxTempMb,
    },
    signal,
  })

  const look = <K extends 'prepare' | 'sample' | 'probe' | 'rewrite'>(work: Work & { kind: K }, signal: AbortSignal) =>
    looks.go(signal, () => inChild<K>(work, lookOptions(signal)))

  async function measuring<K extends 'measure' | 'profile'>(
    work: Work & { kind: K },
    asked: MeasurePlan['limits'],
    signal: AbortSignal,
    onProgress: RunOptions['onProgress'],
  ): Promise<Answers[K]> {
    if (runs.isFull) onProgress?.({ stage: 'QUEUED', fraction: null })
    const limits = {
      memoryMb: Math.min(asked.memoryMb, options.memoryMb),
      threads: Math.min(asked.threads, options.threads),
      maxTempMb: asked.maxTempMb,
    }
    return runs.go(signal, () => inChild<K>(work, { timeoutMs: asked.timeoutMs, limits, signal, onProgress }))
  }

  return {
    discover: (source, { signal }) =>
      stream((ended, emit) => {
        const either = AbortSignal.any([signal, ended])
        const run = { ...lookOptions(either), timeoutMs: discoverTimeoutMs, onDiscovered: emit }
        return looks.go(either, () => inChild({ kind: 'discover', source }, run))
      }),
    probe: (source, { signal }) => look({ kind: 'probe', source }, signal),
    prepare: (request, { signal }) => look({ kind: 'prepare', ...request }, signal),
    sample: (request, { signal }) => look({ kind: 'sample', ...request }, signal),
    async distributions(request, { signal }) {
      const options = lookOptions(signal)
      // With more than one thread a sample would not be the same again.
      const run = { ...options, timeoutMs: discoverTimeoutMs, limits: { ...options.limits, threads: 1 } }
      return looks.go(signal, () => inChild({ kind: 'distributions', ...request }, run))
    },
    rewrite: (request, { outputFile, signal }) => look({ kind: 'rewrite', request, outputFile }, signal),
    measure: (plan, { outputFolder, signal, onProgress }) =>
      measuring({ kind: 'measure', plan, outputFolder }, plan.limits, signal, onProgress),
    profile: (plan, { signal, onProgress }) => measuring({ kind: 'profile', plan }, plan.limits, signal, onProgress),
    children: () => [...living.keys()].flatMap((child) => child.pid ?? []),
    async close() {
      closed = true
      clearTimeout(warming)
      runs.close()
      looks.close()
      const ending = [...living.values()]
      for (const child of living.keys()) child.kill()
      await Promise.all([leftovers, ...ending])
      // The folders of the runs that ended just now are being removed meanwhile.
      if (options.tempRoot === undefined) await rm(tempRoot, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/**
 * The names are read at once, so that no run of this engine is among them. A folder that cannot be removed is left for
 * the next time.
 */
async function removeLeftovers(tempRoot: string, prefix: string): Promise<void> {
  const names = readdirSync(tempRoot).filter((name) => name.startsWith(prefix))
  await Promise.allSettled(names.map((name) => rm(path.join(tempRoot, name), { recursive: true, force: true })))
}

/** What `produce` emits, as it comes; its rejection ends the iteration. Leaving the loop aborts `ended`. */
async function* stream(
  produce: (ended: AbortSignal, emit: (found: Discovered, taken: () => void) => void) => Promise<unknown>,
): AsyncGenerator<Discovered> {
  const ended = new AbortController()
  const waiting: { found: Discovered; taken: () => void }[] = []
  let wake = Promise.withResolvers<void>()
  const outcomes: { error?: unknown }[] = []
  const emit = (found: Discovered, taken: () => void) => {
    waiting.push({ found, taken })
    wake.resolve()
  }
  const finish = (how: { error?: unknown }) => {
    outcomes.push(how)
    wake.resolve()
  }
  const producing = produce(ended.signal, emit).then(
    () => finish({}),
    (error: unknown) => finish({ error }),
  )
  try {
    for (;;) {
      for (const { found, taken } of waiting.splice(0)) {
        yield found
        taken()
      }
      if (waiting.length > 0) continue
      const [how] = outcomes
      if (how && 'error' in how) throw how.error
      if (how) return
      await wake.promise
      wake = Promise.withResolvers<void>()
    }
  } finally {
    ended.abort()
    await producing
  }
}
