import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type DatasetLocator, type MeasurePlan, type Metric, rowsInto } from '@assay/data-engine'
import { createDuckDbEngine, type DuckDbEngine } from '@assay/data-engine/duckdb'
import { median } from './ratio.ts'

/** The bare engine in a separate process, loaded before its first query, like the engine's children. */
async function serveHandWritten(): Promise<void> {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  process.on('disconnect', () => process.exit(0))
  process.on('message', async (statements: string[]) => {
    const answers: unknown[] = []
    for (const statement of statements) answers.push((await connection.runAndReadAll(statement)).getRowsJson()[0])
    process.send?.(answers, undefined, undefined, () => process.exit(0))
  })
  process.send?.('ready')
}

const message = (child: ChildProcess) =>
  new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', () => reject(new Error('The raw process died.')))
  })

/** Runs statements in a new, warm process. Answers the milliseconds from request to answers. */
export async function raw(statements: string[]): Promise<{ ms: number; answers: unknown[] }> {
  const child = fork(import.meta.filename, ['--hand-written'], { serialization: 'advanced', execArgv: [] })
  await message(child)
  const start = performance.now()
  child.send(statements)
  const answers = await message(child)
  const ms = performance.now() - start
  await new Promise((resolve) => child.once('exit', resolve))
  return { ms, answers: Array.isArray(answers) ? answers : [] }
}

async function highWaterMb(pids: readonly number[]): Promise<number> {
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')))
  return Math.max(0, ...texts.map((text) => Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024))
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
  await settled(engine)
  const outputFolder = await mkdtemp(path.join(folder, 'out-'))
  const limits = { timeoutMs: 600_000, memoryMb: 600, threads: 2, maxTempMb: 8000 }
  let peakMb = 0
  const watch = setInterval(() => void highWaterMb(engine.children()).then((mb) => (peakMb = Math.max(peakMb, mb))), 50)
  const start = performance.now()
  const signal = new AbortController().signal
  const answer = await engine.measure({ dataset, metrics, rows }, { rows: rowsInto(outputFolder), limits, signal })
  const ms = performance.now() - start
  clearInterval(watch)
  await rm(outputFolder, { recursive: true })
  return { ms, peakMb, answer, metrics }
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
