import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { messageOf } from '@assay/service-kit/errors'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { DatasetLocator } from '../dataset.ts'
import { noRows } from '../row-sink.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { onlyTable, planFor, written } from '../testing/plans.ts'
import { compileCacheOf, spawnEngineChild } from './child-process.ts'
import type { DuckDbEngine } from './engine.ts'
import { createDuckDbEngine } from './engine.ts'

const endless = {
  kind: 'select',
  id: 1,
  select: written('SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b'),
} as const
const clock = { now: () => Date.now() }

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe('children of the engine', () => {
  let folder: string
  let engine: DuckDbEngine
  /** For tests that need no processes. */
  let inProcess: DuckDbEngine
  let dataset: DatasetLocator
  let spawned: ChildProcess[]
  const { signal } = new AbortController()

  // All tests share one engine: what a test does to its children must not harm the next one, and a child starts faster
  // if another one has filled the compile cache.
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'assay-children-'))
    await mkdir(path.join(folder, 'data'))
    await writeFile(path.join(folder, 'data', 'mine.csv'), 'a,b\n1,x\n2,y\n')
    spawned = []
    const tempRoot = path.join(folder, 'temp')
    const spawnChild = () => {
      const child = spawnEngineChild(tempRoot, { memoryMb: 400, threads: 2 })
      spawned.push(child)
      return child
    }
    engine = createDuckDbEngine({ maxRuns: 1, memoryMb: 400, threads: 2, tempRoot, clock, spawnChild })
    inProcess = createEngineInProcess()
    dataset = await onlyTable(engine, { sourceType: 'FILE', path: path.join(folder, 'data', 'mine.csv') })
  })
  afterAll(async () => {
    await Promise.all([engine.close(), inProcess.close()])
    await rm(folder, { recursive: true, force: true })
  })

  /** The child that is measuring. */
  const measuring = async (metrics: (typeof endless)[], options: { signal?: AbortSignal } = {}) => {
    const begun = Promise.withResolvers<void>()
    const onProgress = ({ stage }: { stage: string }) => stage === 'MEASURING' && begun.resolve()
    // One thread, so that the test process keeps a core.
    const limits = { timeoutMs: 60_000, memoryMb: 400, threads: 1, maxTempMb: 1000 }
    const running = engine.measure(planFor(dataset, metrics), {
      rows: noRows,
      limits,
      signal,
      onProgress,
      ...options,
    })
    running.catch(() => undefined)
    await begun.promise
    return { running }
  }

  it('given a child that is killed in a run, then the run is unavailable and the next run succeeds', async () => {
    const { running } = await measuring([endless])
    for (const child of spawned) child.kill('SIGKILL')
    await expect(running).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('ended') })
    const next = await engine.measure(planFor(dataset, []), { rows: noRows, signal })
    expect(next.rowsScanned).toBe(2)
  })

  it('given no folder for temporary files, when the engine is closed after a run, then no files remain', async () => {
    vi.stubEnv('TMPDIR', folder)
    const ofItsOwn = createDuckDbEngine({ memoryMb: 400, threads: 1, clock })
    const isThere = async () => (await readdir(folder)).some((name) => name.startsWith('assay-engine-'))
    expect(await isThere()).toBe(true)
    await ofItsOwn.sample({ dataset, limit: 1 }, { signal })
    await ofItsOwn.close()
    expect(await isThere()).toBe(false)
    vi.unstubAllEnvs()
  })

  it('given a child that does not respond, when the run is aborted, then the child is killed', async () => {
    const stop = new AbortController()
    const { running } = await measuring([endless], { signal: stop.signal })
    const pids = spawned.flatMap((child) => child.pid ?? []).filter(isAlive)
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    stop.abort(new Error('enough'))
    await until(() => !pids.some(isAlive) || engine.children().length === 0)
    await expect(running).rejects.toThrow('enough')
  }, 20_000)

  it('given more runs than slots, then the other runs wait in order, report QUEUED, and can be aborted', async () => {
    const stop = new AbortController()
    const { running } = await measuring([endless], { signal: stop.signal })
    const called = new AbortController()
    const stages: string[] = []
    const onProgress = ({ stage }: { stage: string }) => stages.push(stage)
    const waiting = engine.measure(planFor(dataset, []), {
      rows: noRows,
      signal: called.signal,
      onProgress,
    })
    const second = engine.measure(planFor(dataset, []), { rows: noRows, signal })
    expect(stages).toEqual(['QUEUED'])
    called.abort(new Error('no longer'))
    await expect(waiting).rejects.toThrow('no longer')
    const { rows } = await engine.sample({ dataset, limit: 1 }, { signal })
    expect(rows).toEqual([{ a: 1, b: 'x' }])
    stop.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
    expect((await second).rowsScanned).toBe(2)
  })

  it('given a tenant with 300 calls, then calls of another tenant are next in each queue, and all calls end', async () => {
    const stop = new AbortController()
    const crowd = { tenant: 'crowd', signal: stop.signal }
    const source = { sourceType: 'FILE', path: path.join(folder, 'data') } as const
    const ended = Array.from({ length: 300 }, (_, at) =>
      (at < 240 ? onlyTable(inProcess, source, crowd) : inProcess.sample({ dataset, limit: 1 }, crowd)).catch(
        () => undefined,
      ),
    )
    const other = { tenant: 'other', signal }
    await expect(inProcess.sample({ dataset, limit: 1 }, crowd)).rejects.toMatchObject({ code: 'rate-limited' })
    const job = new AbortController()
    const jobs = inProcess.sample({ dataset, limit: 1 }, { tenant: 'crowd', purpose: 'job', signal: job.signal })
    job.abort(new Error('it waited'))
    await expect(jobs).rejects.toThrow('it waited')
    expect((await inProcess.sample({ dataset, limit: 1 }, other)).rows).toHaveLength(1)
    expect((await onlyTable(inProcess, source, other)).kind).toBe('files')
    expect((await inProcess.prepare({ dataset, metrics: [] }, other)).columns).toHaveLength(2)
    const waiting = new Map(inProcess.queues().map((queue) => [queue.name, queue.waiting]))
    expect(waiting.get('crawls')).toBeGreaterThan(100)
    stop.abort(new Error('enough'))
    await Promise.all(ended)
  }, 60_000)

  it('given work of one tenant, then its process does the next work of this tenant, and of no other', async () => {
    const one = { tenant: 'one', signal }
    await until(async () => {
      const before = spawned.length
      for (let at = 0; at < 3; at += 1) await engine.sample({ dataset, limit: 1 }, one)
      return spawned.length === before
    })
    const pids = engine.children()
    const { rows } = await engine.sample({ dataset, limit: 1 }, { tenant: 'other', signal })
    expect(rows).toEqual([{ a: 1, b: 'x' }])
    await until(() => !engine.children().some((pid) => pids.includes(pid)))
  })

  it('given a child that answers although its work was aborted, then it is killed', async () => {
    const script = path.join(folder, 'late.cjs')
    const answers = "process.send({ kind: 'done', answer: null }); process.send({ kind: 'idle' })"
    await writeFile(script, `process.on('message', ({ kind }) => { if (kind === 'run') { ${answers} } })`)
    const late: ChildProcess[] = []
    const stop = new AbortController()
    const spawnChild = () => {
      stop.abort(new Error('enough'))
      const child = fork(script, [], { execArgv: [], serialization: 'advanced' })
      late.push(child)
      return child
    }
    const other = createDuckDbEngine({ memoryMb: 400, threads: 1, clock, spawnChild })
    await expect(other.sample({ dataset, limit: 1 }, { signal: stop.signal })).rejects.toThrow('enough')
    await until(() => !isAlive(late[0]?.pid ?? 0))
    await other.close()
  })

  it('given a run that needs more memory than its limit, then the error is too-large', async () => {
    const greedy = {
      kind: 'select',
      id: 1,
      select: written("SELECT length(string_agg(repeat('x', 1000), '')) FROM range(2000000)"),
    } as const
    const limits = { timeoutMs: 60_000, memoryMb: 100, threads: 2, maxTempMb: 50 }
    const run = engine.measure(planFor(dataset, [greedy]), { rows: noRows, limits, signal })
    await expect(run).rejects.toMatchObject({ code: 'too-large' })
  })

  it('given a memory limit for short tasks, then it applies to each, independent of the limit of runs', async () => {
    const script = path.join(folder, 'limits.cjs')
    const answer = "{ kind: 'failed', code: 'invalid', message: String(limits.memoryMb) }"
    await writeFile(script, `process.on('message', ({ limits }) => process.send(${answer}, () => process.exit()))`)
    const spawnChild = () => fork(script, [], { execArgv: [], serialization: 'advanced' })
    const allowed = async (memoryMb: number, shortTaskMemoryMb?: number) => {
      const other = createDuckDbEngine({ memoryMb, shortTaskMemoryMb, threads: 1, clock, spawnChild })
      const message = other.sample({ dataset, limit: 1 }, { signal }).catch(messageOf)
      return message.finally(() => other.close())
    }
    expect([await allowed(400, 64), await allowed(400, 900)]).toEqual(['64', '900'])
    expect([await allowed(400), await allowed(2_000)]).toEqual(['400', '512'])
  })

  it('given a file that is read through a copy, then the copy counts towards the temporary space of the run', async () => {
    await mkdir(path.join(folder, 'large'))
    const file = path.join(folder, 'large', 'copied.csv')
    await writeFile(file, `a,b\n1\n${'1,some words\n'.repeat(200_000)}`)
    const copied = await onlyTable(inProcess, { sourceType: 'FILE', path: file })
    const measured = async (maxTempMb: number) => {
      const limits = { timeoutMs: 60_000, memoryMb: 400, threads: 2, maxTempMb }
      return inProcess.measure(planFor(copied, []), { rows: noRows, limits, signal })
    }
    await expect(measured(1)).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringContaining('a copy needs more than the 1 MB of temporary space'),
    })
    expect((await measured(3)).rowsScanned).toBe(200_001)
  })

  it('given a child that is killed in its warm-up run, then the files of that run are removed', async () => {
    const { running } = await measuring([endless])
    const child = spawned.at(-1)
    const temp = path.join(folder, 'temp')
    const left = path.join(temp, `run-warm-up-${child?.pid}-abc`)
    const ofAnother = `run-warm-up-${child?.pid}0-abc`
    await mkdir(path.join(left, 'spill'), { recursive: true })
    await mkdir(path.join(temp, ofAnother))
    child?.kill('SIGKILL')
    await until(() => !existsSync(left))
    expect(await readdir(temp)).toContain(ofAnother)
    await rm(path.join(temp, ofAnother), { recursive: true })
    for (const one of spawned) one.kill('SIGKILL')
    await expect(running).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('given folders of runs of a killed process, when an engine is created, then it removes only these', async () => {
    const tempRoot = path.join(folder, 'left')
    await mkdir(path.join(tempRoot, 'run-abc', 'spill'), { recursive: true })
    await writeFile(path.join(tempRoot, 'run-abc', 'spill', 'x.tmp'), 'x')
    await mkdir(path.join(tempRoot, 'compiled'))
    const next = createDuckDbEngine({ memoryMb: 200, threads: 1, tempRoot, clock })
    await next.close()
    expect(await readdir(tempRoot)).toEqual(['compiled'])
  })

  it('given a compile cache, when it is writable, then children share it; otherwise they have their own', () => {
    const cacheWith = (own: string) => {
      vi.stubEnv('NODE_COMPILE_CACHE', own)
      return compileCacheOf('/temp')
    }
    const seen = [folder, '', path.join(folder, 'missing')].map(cacheWith)
    vi.unstubAllEnvs()
    expect(seen).toEqual([folder, '/temp/compiled', '/temp/compiled'])
  })

  it('given a parent that is killed, then its children end', async () => {
    const script = path.join(folder, 'parent.mjs')
    const module = path.join(import.meta.dirname, 'engine.ts')
    const options = JSON.stringify({ memoryMb: 200, threads: 1, tempRoot: path.join(folder, 'orphans') })
    const source = `import { createDuckDbEngine } from ${JSON.stringify(module)}
      const engine = createDuckDbEngine({ ...${options}, clock: { now: () => 0 } })
      setInterval(() => { if (engine.children().length > 0) process.send(engine.children()) }, 50)`
    await writeFile(script, source)
    const parent = fork(script, [], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    const pids = await new Promise<number[]>((resolve) =>
      parent.once('message', (message) => resolve(Array.isArray(message) ? message.map(Number) : [])),
    )
    parent.kill('SIGKILL')
    await until(() => !pids.some(isAlive))
  })

  it('given the end of a run, then its process and its temporary files are gone', async () => {
    await engine.measure(planFor(dataset, []), { rows: noRows, signal })
    await until(
      async () =>
        engine.children().length <= 1 &&
        !(await readdir(path.join(folder, 'temp'))).some((name) => name.startsWith('run-')),
    )
    await engine.close()
    expect(spawned.flatMap((child) => child.pid ?? []).filter(isAlive)).toEqual([])
  })
})
