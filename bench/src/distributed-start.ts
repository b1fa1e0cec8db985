import { setTimeout as sleep } from 'node:timers/promises'
import {
  type RunningProcess,
  type ServiceProcess,
  startTopology,
  stopTopology,
  type Topology,
} from '../../deploy/native/topology.ts'
import { load, residentMb } from './distributed-servers.ts'
import { type BenchRow, median } from './ratio.ts'

const startTargetMs = 10_000
const memoryTargetMb = 160
const rounds = 3
/** Services return the memory of their start some seconds later. */
const idleMs = Number(process.env.BENCH_IDLE_SECONDS ?? 12) * 1000

export type Running = Record<ServiceProcess, RunningProcess>

/**
 * Starts the six services `rounds` times on the same servers; the first start also creates topics, databases and indexes.
 * Then measures the last six idle, and returns them running.
 */
export async function benchDistributedStart(topology: Topology): Promise<{ rows: BenchRow[]; running: Running }> {
  const times: number[] = []
  let running: Running | undefined
  for (let round = 0; round < rounds; round++) {
    if (running !== undefined) await stopTopology(running)
    const began = performance.now()
    running = await startTopology(topology)
    times.push(performance.now() - began)
  }
  if (running === undefined) throw new Error('Nothing was started.')
  const seen = load()
  await sleep(idleMs)
  const memory = Object.values(running).map(({ service, pid }) => ({ service, mb: residentMb(pid) }))
  const most = Math.max(...memory.map(({ mb }) => mb))
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const [first = Number.NaN, ...again] = times
  return {
    running,
    rows: [
      {
        name: 'D3 six services to ready, of 10 s: first start',
        ratio: first / startTargetMs,
        target: '<= 1',
        detail: `${seconds(first)}, including topics, databases and indexes; ${load()}`,
      },
      {
        name: 'D3 six services to ready, of 10 s: later starts',
        ratio: median(again) / startTargetMs,
        target: '<= 1',
        detail: `${again.map(seconds).join(', ')}; ${seen}`,
      },
      {
        name: 'D4 memory of an idle service, of 160 MB',
        ratio: most / memoryTargetMb,
        target: '<= 1',
        detail: memory.map(({ service, mb }) => `${service} ${mb.toFixed(0)}`).join(', '),
      },
    ],
  }
}
