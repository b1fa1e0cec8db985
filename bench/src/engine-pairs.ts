import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type DatasetLocator, type MeasurePlan, type Metric, rowsInto } from '@assay/data-engine'
import { createDuckDbEngine, type DuckDbEngine } from '@assay/data-engine/duckdb'
import { z } from 'zod'
import { median } from './ratio.ts'

/** The bare engine in a separate process, loaded before its first query, like the engine's children. */
async function serveHandWritten(): Promise<void> {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  process.on('disconnect', () => process.exit(0))
  process.on('message', async (statements: string[]) => {
    const answers: unknown[] = []
    const before = process.cpuUsage()
    for (const statement of statements) answers.push((await connection.runAndReadAll(statement)).getRowsJson()[0])
    const { user, system } = process.cpuUsage(before)
    process.send?.({ answers, cpuMs: (user + system) / 1000 }, undefined, undefined, () => process.exit(0))
  })
  process.send?.('ready')
}

const message = (child: ChildProcess) =>
  new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', () => reject(new Error('The raw process died.')))
  })

const rawAnswer = z.object({ answers: z.array(z.unknown()), cpuMs: z.number() })

/** Runs statements in a new, warm process. Returns the milliseconds from request to answers, and those of CPU. */
export async function raw(statements: string[]): Promise<{ ms: number; cpuMs: number; answers: unknown[] }> {
  const child = fork(import.meta.filename, ['--hand-written'], { serialization: 'advanced', execArgv: [] })
  await message(child)
  const start = performance.now()
  child.send(statements)
  const { answers, cpuMs } = rawAnswer.parse(await message(child))
  const ms = performance.now() - start
  await new Promise((resolve) => child.once('exit', resolve))
  return { ms, cpuMs, answers }
}

/** The CPU time (ms) that a process has used, and its peak memory. Zero if it has ended. */
async function used(pid: number): Promise<{ cpuMs: number; peakMb: number }> {
  const [stat, status] = await Promise.all(
    ['stat', 'status'].map((name) => readFile(`/proc/${pid}/${name}`, 'latin1').catch(() => '')),
  )
  // After the name: user and system time in hundredths of a second.
  const fields = (stat ?? '').split(') ').at(-1)?.split(' ') ?? []
  const ticks = Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
  return { cpuMs: ticks * 10, peakMb: Number(/VmHWM:\s+(\d+)/.exec(status ?? '')?.[1] ?? 0) / 1024 }
}

/** Runs `work` in a warm child of the engine. Returns the CPU and the peak memory of that child, read every 20 ms. */
export async function inWarmChild<T>(engine: DuckDbEngine, work: () => Promise<T>) {
  await settled(engine)
  const [pid = 0] = engine.children()
  const before = await used(pid)
  let now = before
  const watch = setInterval(() => void used(pid).then((one) => (now = one.peakMb > 0 ? one : now)), 20)
  const start = performance.now()
  const result = await work()
  const ms = performance.now() - start
  clearInterval(watch)
  return { result, ms, cpuMs: now.cpuMs - before.cpuMs, peakMb: now.peakMb }
}

/** An engine and the folder that it may write to. */
export interface Setup {
  engine: DuckDbEngine
  folder: string
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Waits until a spare child is loaded, as it is when an idle engine gets a run. */
async function settled(engine: DuckDbEngine): Promise<void> {
  await until(async () => engine.children().length === 1)
  await new Promise((resolve) => setTimeout(resolve, 500))
}

export async function locate(engine: DuckDbEngine, file: string): Promise<DatasetLocator> {
  const signal = new AbortController().signal
  for await (const found of engine.discover({ sourceType: 'FILE', path: file }, { signal })) {
    if (found.kind === 'table') return found.locator
    if (found.kind === 'failed') throw new Error(found.message)
  }
  throw new Error(`${file} has no table.`)
}

type Keep = MeasurePlan['rows']
export const keepNothing: Keep = { bad: null, good: null, preview: 100 }
export const keepBad: Keep = { ...keepNothing, bad: { format: 'PARQUET', limit: null } }
export const keepBoth: Keep = { ...keepBad, good: { format: 'PARQUET', limit: null } }

/** Measures a plan: milliseconds from request to answer, and the engine's peak memory. */
export async function measured({ engine, folder }: Setup, dataset: DatasetLocator, metrics: Metric[], rows: Keep) {
  const outputFolder = await mkdtemp(path.join(folder, 'out-'))
  const limits = { timeoutMs: 600_000, memoryMb: 600, threads: 2, maxTempMb: 8000 }
  const signal = new AbortController().signal
  const { result: answer, ...figures } = await inWarmChild(engine, () =>
    engine.measure({ dataset, metrics, rows }, { rows: rowsInto(outputFolder), limits, signal }),
  )
  await rm(outputFolder, { recursive: true })
  return { ...figures, answer, metrics }
}

/** Medians of pairs of a call of the engine and SQL written by hand, by time and by CPU, and the engine's highest peak. */
export async function againstSql(count: number, engine: DuckDbEngine, call: () => Promise<void>, statements: string[]) {
  const runs: { ms: number; cpuMs: number; peakMb: number; rawMs: number; rawCpuMs: number }[] = []
  for (let pair = 0; pair < count; pair += 1) {
    const { result: _, ...ours } = await inWarmChild(engine, call)
    const theirs = await raw(statements)
    runs.push({ ...ours, rawMs: theirs.ms, rawCpuMs: theirs.cpuMs })
  }
  const of = (figure: (run: (typeof runs)[number]) => number) => median(runs.map(figure))
  const [ratio, cpuRatio] = [of((run) => run.ms / run.rawMs), of((run) => run.cpuMs / run.rawCpuMs)]
  const peak = Math.max(...runs.map(({ peakMb }) => peakMb))
  const times = `engine ${of(({ ms }) => ms).toFixed(0)} ms, SQL ${of(({ rawMs }) => rawMs).toFixed(0)} ms`
  const cpu = `CPU ${of(({ cpuMs }) => cpuMs).toFixed(0)} against ${of(({ rawCpuMs }) => rawCpuMs).toFixed(0)} ms (${cpuRatio.toFixed(2)})`
  return { ratio, detail: `${times}; ${cpu}; peak ${peak.toFixed(0)} MB` }
}

/** A text for each check: the failed rows or the value; for distinct checks the number of different values. */
function fromEngine({ answer, metrics }: Awaited<ReturnType<typeof measured>>): string[] {
  const distinct = new Set(metrics.filter(({ kind }) => kind === 'distinct').map(({ id }) => id))
  return answer.metrics.map((metric) => {
    if (metric.kind === 'error') return `error ${metric.message}`
    if (metric.kind === 'value') return String(metric.value).replace(/T(.*)Z$/, ' $1')
    return String(distinct.has(metric.id) ? metric.scanned - metric.failed : metric.failed)
  })
}

function requireEqual(left: readonly unknown[], right: readonly unknown[], what: string): void {
  const texts = [left, right].map((values) => values.map(String).join(' '))
  if (texts[0] !== texts[1]) throw new Error(`${what}: the answers differ:\n${texts[0]}\n${texts[1]}`)
}

/** Medians of pairs, and the highest peak. */
export interface Pairs {
  ratio: number
  engineMs: number
  rawMs: number
  peakMb: number
}

/** Interleaved pairs, so that other work on the machine affects both sides. */
export async function pairs(
  count: number,
  engineRun: () => ReturnType<typeof measured>,
  rawRun: () => Promise<{ ms: number; answers: unknown[] }>,
  compare: boolean,
): Promise<Pairs> {
  const runs: { engine: number; raw: number; peak: number }[] = []
  for (let pair = 0; pair < count; pair++) {
    const ours = await engineRun()
    const theirs = await rawRun()
    const row = theirs.answers[0]
    if (compare && Array.isArray(row)) requireEqual(fromEngine(ours), row.slice(1), 'The engine and the query')
    runs.push({ engine: ours.ms, raw: theirs.ms, peak: ours.peakMb })
  }
  return {
    ratio: median(runs.map((run) => run.engine / run.raw)),
    engineMs: median(runs.map((run) => run.engine)),
    rawMs: median(runs.map((run) => run.raw)),
    peakMb: Math.max(...runs.map((run) => run.peak)),
  }
}

/** A row's figures as text. */
export function detailOf(run: Pairs): string {
  return `engine ${run.engineMs.toFixed(0)} ms, raw ${run.rawMs.toFixed(0)} ms, peak ${run.peakMb.toFixed(0)} MB`
}

/** Runs `work` with a new engine, and closes the engine afterwards. */
export async function withEngine<T>(work: (setup: Setup) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'assay-bench-'))
  const engine = createDuckDbEngine({ memoryMb: 1000, threads: 2, tempRoot: folder, clock: { now: () => Date.now() } })
  try {
    return await work({ engine, folder })
  } finally {
    await engine.close()
    await rm(folder, { recursive: true, force: true })
  }
}

if (process.argv.includes('--hand-written')) await serveHandWritten()
