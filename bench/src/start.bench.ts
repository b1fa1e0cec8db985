import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startAssay } from '@assay/testkit'
import { type BenchRow, interleaved } from './ratio.ts'

const here = fileURLToPath(new URL('.', import.meta.url))

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
}

/** Plain Node that imports DuckDB: milliseconds until the import is done, and the memory then. */
async function bareNode(compiled: string): Promise<{ ms: number; mb: number }> {
  const began = performance.now()
  const child = spawn(
    process.execPath,
    ['-e', "import('@duckdb/node-api').then(() => { console.log('ready'); setInterval(() => {}, 1000) })"],
    {
      cwd: here,
      env: { ...process.env, NODE_COMPILE_CACHE: compiled },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const ms = performance.now() - began
  const mb = await residentMb(child.pid ?? 0)
  child.kill('SIGKILL')
  return { ms, mb }
}

/** P14 (start to ready) and P15 (memory of the idle process), against plain Node with DuckDB imported. */
export async function benchStart(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-bench-'))
  // As with `npm start`, later starts use the compiled code of the first.
  const compiled = join(folder, 'compiled')
  try {
    const memory: number[] = []
    const bareMemory: number[] = []
    const start = await interleaved(
      5,
      async () => {
        const began = performance.now()
        const assay = await startAssay(join(folder, 'data'), { env: { NODE_COMPILE_CACHE: compiled } })
        const ms = performance.now() - began
        // Five seconds after the start, the process returns the memory of the start. It is idle then.
        await new Promise((resolve) => setTimeout(resolve, 7_000))
        memory.push(await residentMb(assay.pid))
        await assay.stop()
        return ms
      },
      async () => {
        const bare = await bareNode(compiled)
        bareMemory.push(bare.mb)
        return bare.ms
      },
    )
    const mb = Math.max(...memory)
    const bareMb = Math.max(...bareMemory)
    return [
      {
        name: 'P14 start to ready',
        ratio: start.ratio,
        target: '<= 8',
        detail: `${start.subject.toFixed(0)} ms against ${start.baseline.toFixed(0)} ms`,
      },
      {
        name: 'P15 idle memory',
        ratio: mb / bareMb,
        target: '<= 2.2',
        detail: `${mb.toFixed(0)} MB against ${bareMb.toFixed(0)} MB`,
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
