import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Clock } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { BrokerAccess } from '../broker-access.ts'
import type { Comparer } from '../compare-across.ts'
import type { BySide, SourceSide } from '../compared-source.ts'
import type { Discovered, Source } from '../dataset.ts'
import { discoveries } from '../discoveries.ts'
import type { PathAccess } from '../path-access.ts'
import type { CallLimits, DataEngine, EngineCall, KeptRowFiles, MeasureCall, Progress } from '../port.ts'
import { noRows, type RowSink } from '../row-sink.ts'
import type { StoreReach } from '../stores/reach.ts'
import type { StoreTarget } from '../stores/target.ts'
import { type Asked, EngineChild, type EngineProcess, spawnEngineChild } from './child-process.ts'
import { crawlTimedOut, discoverTimeoutMs, maxDeaths, messageAbout, tooManyDeaths } from './crawl-failures.ts'
import { filePart } from './file-part.ts'
import { type Answers, askedFile, keptFolder, type Limits, runPrefix, type Work, warmUpPrefix } from './protocol.ts'
import { writeAnswer } from './side-answer.ts'
import { Slots } from './slots.ts'
import { readsTopics, storesIn } from './stores-in.ts'

export interface DuckDbEngineOptions {
  /** Maximum number of concurrent measuring runs. Further runs are queued. */
  maxRuns?: number
  /** Memory limit of one run, which a plan cannot exceed. */
  memoryMb: number
  /**
   * Memory limit of a short task (a table of a crawl, a check, a sample). Default: 512 MB, or `memoryMb` if that is
   * less.
   */
  shortTaskMemoryMb?: number | undefined
  threads: number
  /**
   * Absolute folder for temporary files of runs. Default: a new folder of the system, removed when the engine closes.
   */
  tempRoot?: string | undefined
  /** The paths that a tenant may read. Default: all paths. */
  accessOf?: (tenant: string) => PathAccess
  /**
   * The key of the hashes in content sketches. Sketches can be compared only if they have the same key. Default: a
   * random one.
   */
  contentKey?: string | undefined
  /** Finds object stores. Default: there are none. */
  storeOf?: StoreReach
  /** The Kafka brokers that a tenant may read. Default: any. */
  brokersOf?: (tenant: string) => BrokerAccess
  clock: Clock
  spawnChild?: () => EngineProcess
}

/**
 * Each kind of work has its own slots, so that samples do not delay crawls, and long runs do not delay checks. In each
 * kind, one slot is reserved for a second tenant.
 */
const slotsOf = {
  crawls: { capacity: 3, perTenant: 2 },
  checks: { capacity: 3, perTenant: 2, maxWaiting: 50, maxWaitingPerKey: 10, maxWaitMs: 8_000 },
  samples: { capacity: 3, perTenant: 2, maxWaiting: 50, maxWaitingPerKey: 10 },
}
/** The tenant for Assay's own work. */
const nobody = ''
const shortTaskLimits = { timeoutMs: 120_000, maxTempMb: 10_240 }
/** Limits of calls that specify none. */
const usualLimits = { timeoutMs: 3_600_000, maxTempMb: 10_240 }
const usualShortTaskMb = 512
const noEngine = () => new AssayError('internal', 'No other engine reads this side.')
/** Delay of the first spare child, so that it does not slow down the startup of the process. */
const warmAfterMs = 200
/** Delay of the next spare child, so that it does not slow down judging and storing of a run. */
const warmAfterRunMs = 100

interface RunOptions {
  timeoutMs: number
  limits: Limits
  signal: AbortSignal
  tenant: string
  onProgress?: ((progress: Progress) => void) | undefined
  onDiscovered?: ((found: Discovered, taken: () => void) => void) | undefined
  onReading?: ((path: string) => void) | undefined
  onAsked?: ((asked: Asked, tempFolder: string) => Promise<number>) | undefined
  /** Takes the child's files before its folder is removed. */
  onAnswer?: ((tempFolder: string) => Promise<void>) | undefined
}

/** A child without work. `tenant`: the one that it worked for; a new child may work for any. */
interface Spare {
  child: EngineChild
  tenant?: string
  /** Whether it is there once it has closed its last work; it may exit instead. */
  waits: Promise<boolean>
}

/** DuckDB over files and databases of this machine. */
export interface DuckDbEngine extends DataEngine, KeptRowFiles, Comparer {
  /** Process ids of the living children. */
  children(): number[]
}

/**
 * DuckDB in child processes: one run at a time per child, at most `maxRuns` concurrent measuring runs, and one spare
 * child with the engine loaded. After work on files the child becomes the spare one, for the same tenant only. This process never loads DuckDB. The limits of a plan cannot exceed the engine's own. Only this
 * engine may use `tempRoot`: it removes folders of runs that a killed process left there.
 */
export function createDuckDbEngine(options: DuckDbEngineOptions): DuckDbEngine {
  const { clock, maxRuns = 2, contentKey = randomBytes(32).toString('hex') } = options
  const tempRoot = options.tempRoot ?? mkdtempSync(path.join(tmpdir(), 'assay-engine-'))
  mkdirSync(tempRoot, { recursive: true })
  const leftovers = removeLeftovers(tempRoot, runPrefix)
  const { memoryMb, threads, shortTaskMemoryMb = Math.min(usualShortTaskMb, memoryMb) } = options
  // The spare child may get a run or a short task.
  const highest = { memoryMb: Math.max(memoryMb, shortTaskMemoryMb), threads }
  const spawn = options.spawnChild ?? (() => spawnEngineChild(tempRoot, highest))
  /** Children, each with a promise that resolves once it has exited and the files of its warm-up run are removed. */
  const living = new Map<EngineChild, Promise<void>>()
  const runs = new Slots({ name: 'runs', clock, capacity: maxRuns, reservesOneForOthers: true })
  const crawls = new Slots({ name: 'crawls', clock, ...slotsOf.crawls })
  const checks = new Slots({ name: 'checks', clock, ...slotsOf.checks })
  const samples = new Slots({ name: 'samples', clock, ...slotsOf.samples })
  const all = [runs, crawls, checks, samples]
  let spare: Spare | null = null
  let closed = false

  /** The temporary root has copies of other tenants' data, so no tenant may read it. */
  const accessOf = (tenant: string): PathAccess | undefined => {
    const access = options.accessOf?.(tenant)
    return access && { ...access, denied: [...access.denied, tempRoot] }
  }

  const start = (): EngineChild => {
    const child = new EngineChild(spawn())
    const { pid } = child
    const end = child.exited.then(async () => {
      if (pid !== null) await removeLeftovers(tempRoot, warmUpPrefix(pid)).catch(() => undefined)
      living.delete(child)
    })
    living.set(child, end)
    return child
  }
  const warm = () => {
    if (!closed && !spare?.child.isAlive) spare = { child: start(), waits: Promise.resolve(true) }
  }
  let warming: NodeJS.Timeout | undefined
  const warmLater = (afterMs: number) => {
    clearTimeout(warming)
    warming = setTimeout(warm, afterMs)
    warming.unref()
  }
  warmLater(warmAfterMs)

  const takeChild = async (tenant: string): Promise<EngineChild> => {
    const found = spare
    if (found !== null) {
      spare = null
      if (found.tenant !== undefined && found.tenant !== tenant) found.child.kill()
      else if ((await found.waits) && found.child.isAlive) return found.child
    }
    if (closed) throw new AssayError('unavailable', 'The data engine is shutting down. Try again later.')
    return start()
  }

  /** After work that succeeded: the child becomes the spare one, unless there is one. */
  const keep = (child: EngineChild, tenant: string) => {
    const kept = { child, tenant, waits: child.waitsForMore() }
    const hasOther = closed || spare?.child.isAlive === true
    if (!hasOther) spare = kept
    void kept.waits.then((waits) => {
      if (hasOther) child.kill()
      else if (!waits && spare === kept) {
        spare = null
        warm()
      }
    })
  }

  async function storesOf(work: Work, tenant: string): Promise<StoreTarget[]> {
    const named = storesIn(work)
    const { storeOf } = options
    if (named.length > 0 && storeOf === undefined)
      throw new AssayError('unprocessable', 'This engine reads no object stores.')
    return Promise.all(named.flatMap(({ of, sourceId }) => storeOf?.(of, tenant, sourceId) ?? []))
  }

  async function inChild<K extends keyof Answers>(work: Work & { kind: K }, run: RunOptions): Promise<Answers[K]> {
    // Done before a child is taken: if a store may not be read, there is nothing to clean up.
    const stores = await storesOf(work, run.tenant)
    const tempFolder = await mkdtemp(path.join(tempRoot, runPrefix))
    const child = await takeChild(run.tenant)
    const isLast = stores.length > 0 || readsTopics(work)
    let hasAnswered = false
    try {
      const access = accessOf(run.tenant)
      const brokers = options.brokersOf?.(run.tenant) ?? null
      const onAsked = (asked: Asked) => run.onAsked?.(asked, tempFolder) ?? Promise.reject(noEngine())
      const assigned = { work, tempFolder, access, brokers, stores, isLast, startedAt: clock.now(), ...run, onAsked }
      const answer = await child.run(assigned)
      await run.onAnswer?.(tempFolder)
      hasAnswered = true
      // The answer has the kind of the request.
      return answer as Answers[K]
    } finally {
      if (hasAnswered && !isLast) keep(child, run.tenant)
      else if (work.kind === 'measure') warmLater(warmAfterRunMs)
      else warm()
      void child
        .waitsForMore()
        .then((waits) => {
          // It answered, but too late, or its rows could not be taken.
          if (waits && !hasAnswered) child.kill()
          return rm(tempFolder, { recursive: true, force: true })
        })
        .catch(() => undefined)
    }
  }

  const shortTaskOptions = ({ signal, tenant = nobody }: EngineCall): RunOptions => ({
    timeoutMs: shortTaskLimits.timeoutMs,
    limits: {
      memoryMb: shortTaskMemoryMb,
      threads: options.threads,
      maxTempMb: shortTaskLimits.maxTempMb,
    },
    signal,
    tenant,
  })

  const shortTask = <K extends 'describe' | 'prepare' | 'sample' | 'probe' | 'rewrite' | 'touches'>(
    slots: Slots,
    work: Work & { kind: K },
    call: EngineCall & Pick<RunOptions, 'onProgress'>,
  ) => {
    const { tenant = nobody, key, signal, purpose, onProgress } = call
    return slots.run({ tenant, key, signal, isJob: purpose === 'job' }, () => {
      onProgress?.({ stage: 'READING', fraction: null })
      return inChild<K>(work, { ...shortTaskOptions(call), onProgress })
    })
  }

  async function measuring<
    K extends 'measure' | 'compare' | 'take' | 'values' | 'describe' | 'last-change' | 'profile' | 'periods',
  >(work: Work & { kind: K }, call: MeasureCall, onAnswer?: RunOptions['onAnswer']): Promise<Answers[K]> {
    return measuringIn(call, (run) => inChild<K>(work, { ...run, onAnswer }))
  }

  /** Waits for a slot. */
  async function measuringIn<T>(
    { signal, tenant = nobody, onProgress, limits: given }: MeasureCall,
    work: (run: RunOptions) => Promise<T>,
  ): Promise<T> {
    const requested: CallLimits = given ?? { ...usualLimits, memoryMb, threads }
    if (runs.isFull(tenant)) onProgress?.({ stage: 'QUEUED', fraction: null })
    const limits = {
      memoryMb: Math.min(requested.memoryMb, options.memoryMb),
      threads: Math.min(requested.threads, options.threads),
      maxTempMb: requested.maxTempMb,
    }
    return runs.run({ tenant, signal }, () =>
      work({ timeoutMs: requested.timeoutMs, limits, signal, tenant, onProgress }),
    )
  }

  /** Waits for a slot, then opens tables at their sources until the child has ended. */
  const measuringAcross = <S, T>(
    { signal, ...call }: MeasureCall,
    open: (call: MeasureCall, work: (opened: S) => Promise<T>) => Promise<T>,
    work: (opened: S, run: RunOptions) => Promise<T>,
  ): Promise<T> =>
    measuringIn({ signal, ...call }, (run) => {
      const ended = new AbortController()
      const limits = { ...run.limits, timeoutMs: run.timeoutMs }
      return open({ ...call, limits, signal: AbortSignal.any([signal, ended.signal]) }, async (opened) => {
        try {
          return await work(opened, run)
        } catch (error) {
          // Statements of a run that has ended are cancelled at the source.
          ended.abort(error)
          throw error
        }
      })
    })

  /**
   * Runs a crawl. A table that kills its child counts as failed. Another child continues after it, within the limits of
   * the whole crawl.
   */
  async function crawl(
    { source, sourceId }: { source: Source; sourceId?: number | undefined },
    run: RunOptions,
    emit: (found: Discovered, taken: () => void) => void,
  ) {
    const deadline = clock.now() + discoverTimeoutMs
    let deaths = 0
    let at: string | undefined
    const onReading = (path: string) => {
      at = path
    }
    const onDiscovered = (found: Discovered, taken: () => void) => {
      if (found.kind === 'table' || found.kind === 'failed') at = undefined
      emit(found, taken)
    }
    for (let after: string | undefined; ; ) {
      try {
        const timeoutMs = Math.max(0, deadline - clock.now())
        return await inChild(
          { kind: 'discover', source, after, sourceId },
          { ...run, timeoutMs, onReading, onDiscovered },
        )
      } catch (error) {
        if (closed || run.signal.aborted) throw error
        if (clock.now() >= deadline) throw crawlTimedOut(error)
        if (at === undefined) throw error
        const message = messageAbout(at, error)
        deaths += 1
        if (deaths >= maxDeaths) throw tooManyDeaths(at, error)
        emit({ kind: 'failed', path: at, message }, () => undefined)
        after = at
        at = undefined
      }
    }
  }

  return {
    discover: (source, { signal, sourceId, tenant = nobody }) =>
      discoveries((ended, emit) => {
        const either = AbortSignal.any([signal, ended])
        return crawls.run({ tenant, signal: either }, () =>
          crawl({ source, sourceId }, shortTaskOptions({ signal: either, tenant }), emit),
        )
      }),
    probe: (source, call) => shortTask(checks, { kind: 'probe', source }, call),
    touches: async (texts, call) => (texts.length === 0 ? [] : shortTask(checks, { kind: 'touches', texts }, call)),
    prepare: (request, call) =>
      shortTask(call.purpose === 'job' ? samples : checks, { kind: 'prepare', ...request }, call),
    sample: (request, call) => shortTask(samples, { kind: 'sample', ...request }, call),
    rewrite: (request, { outputFile, ...call }) => shortTask(samples, { kind: 'rewrite', request, outputFile }, call),
    measure: (plan, { rows, ...call }) => measuring({ kind: 'measure', plan }, call, passTo(rows)),
    compare: (plan, { rows, ...call }) => measuring({ kind: 'compare', plan }, call, passTo(rows)),
    compareAcross: (plan, open, { rows, signal, ...call }) =>
      measuringAcross({ signal, ...call }, open, (sides, run) => {
        const known = Object.entries(sides).map(([side, { columns, reached }]) => [side, { columns, reached }])
        const work = { kind: 'compare', plan, sources: Object.fromEntries(known) } as const
        return inChild<'compare'>(work, { ...run, onAsked: answering(sides, run), onAnswer: passTo(rows) })
      }),
    profileAcross: (plan, open, { rows = noRows, ...call }) =>
      measuringAcross(call, open, (table, run) => {
        const { columns, reached } = table
        const work = { kind: 'profile', plan, source: { columns, reached } } as const
        const onAnswer = plan.keepValues && passTo(rows)
        return inChild<'profile'>(work, { ...run, onAsked: answering({ left: table }, run), onAnswer })
      }),
    take: (plan, { rows, ...call }) => measuring({ kind: 'take', plan }, call, passTo(rows)),
    takeAcross: (plan, open, { rows, ...call }) =>
      measuringAcross(call, open, (table, run) => {
        const { columns, reached } = table
        const work = { kind: 'take', plan, source: { columns, reached } } as const
        return inChild<'take'>(work, { ...run, onAsked: answering({ left: table }, run), onAnswer: passTo(rows) })
      }),
    listValues: (plan, call) => measuring({ kind: 'values', plan }, call),
    describe: (plan, call) =>
      call.purpose === 'check'
        ? shortTask(checks, { kind: 'describe', plan, contentKey }, call)
        : measuring({ kind: 'describe', plan, contentKey }, call),
    lastChange: (plan, call) => measuring({ kind: 'last-change', plan }, call),
    measurePeriods: (plan, call) => measuring({ kind: 'periods', plan }, call),
    profile(plan, { rows = noRows, ...call }) {
      const limits = call.limits ?? { ...usualLimits, memoryMb, threads }
      // With more than one thread, a sample would not be repeatable.
      const sampled = plan.maxRows === undefined ? call : { ...call, limits: { ...limits, threads: 1 } }
      return measuring({ kind: 'profile', plan }, sampled, plan.keepValues && passTo(rows))
    },
    queues: () => all.map((slots) => slots.queue()),
    children: () => [...living.keys()].flatMap((child) => child.pid ?? []),
    async close() {
      closed = true
      clearTimeout(warming)
      for (const slots of all) slots.close()
      const ending = [...living.values()]
      for (const child of living.keys()) child.kill()
      await Promise.all([leftovers, ...ending])
      // Folders of runs that have just ended are being removed concurrently.
      if (options.tempRoot === undefined) await rm(tempRoot, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Answers the questions of a child about tables that other engines read. */
function answering(sides: BySide<SourceSide>, { limits }: RunOptions): NonNullable<RunOptions['onAsked']> {
  return async ({ id, side, request }, tempFolder) => {
    const asked = sides[side]
    if (asked === undefined) throw noEngine()
    return writeAnswer(asked, request, { file: askedFile(tempFolder, id), maxMb: limits.maxTempMb })
  }
}

/** Passes the stored files of a child to a sink, one after the other. */
function passTo(rows: RowSink): NonNullable<RunOptions['onAnswer']> {
  return async (tempFolder) => {
    const folder = keptFolder(tempFolder)
    const found = await readdir(folder, { recursive: true, withFileTypes: true })
    for (const entry of found) {
      const file = path.join(entry.parentPath, entry.name)
      if (entry.isFile()) await rows(filePart(path.relative(folder, file).replaceAll(path.sep, '/'), file))
    }
  }
}

/** Lists the folders before any run of this engine starts. The next start retries folders that cannot be removed. */
async function removeLeftovers(tempRoot: string, prefix: string): Promise<void> {
  const names = readdirSync(tempRoot).filter((name) => name.startsWith(prefix))
  await Promise.allSettled(names.map((name) => rm(path.join(tempRoot, name), { recursive: true, force: true })))
}
