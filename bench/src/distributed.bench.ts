import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTopology, stopTopology, type Topology } from '../../deploy/native/topology.ts'
import { benchDistributedGateway } from './distributed-gateway.ts'
import { benchDistributedPath } from './distributed-path.ts'
import { benchDistributedRebuild } from './distributed-rebuild.ts'
import { newTopology, type Servers, startServers } from './distributed-servers.ts'
import { benchDistributedStart } from './distributed-start.ts'
import type { BenchRow } from './ratio.ts'

const parts = ['rebuild', 'start', 'path', 'gateway'] as const
type Part = (typeof parts)[number]

/** All parts, or those that `BENCH_DISTRIBUTED` names, separated by commas. */
function wantedParts(): ReadonlySet<Part> {
  const named = process.env.BENCH_DISTRIBUTED?.split(',')
  return new Set(named === undefined ? parts : parts.filter((part) => named.includes(part)))
}

async function benchServices(topology: Topology, servers: Servers, wanted: ReadonlySet<Part>): Promise<BenchRow[]> {
  const { rows, running } = wanted.has('start')
    ? await benchDistributedStart(topology)
    : { rows: [], running: await startTopology(topology) }
  try {
    return [...(wanted.has('path') ? await benchDistributedPath(servers, running) : []), ...rows]
  } finally {
    await stopTopology(running)
  }
}

/**
 * D1 to D5: the distributed form as six processes. Kafka, SecantusDB and the tests' event server run on the same cores, so
 * the figures include their work.
 */
export async function benchDistributed(): Promise<BenchRow[]> {
  const wanted = wantedParts()
  const folder = await mkdtemp(join(tmpdir(), 'assay-bench-distributed-'))
  const servers = await startServers()
  try {
    const rebuilt = wanted.has('rebuild') ? await benchDistributedRebuild(servers) : []
    const topology = await newTopology(servers, folder)
    const services = wanted.has('start') || wanted.has('path') ? await benchServices(topology, servers, wanted) : []
    const gateway = wanted.has('gateway') ? await benchDistributedGateway(topology) : []
    return [...services, ...gateway, ...rebuilt]
  } finally {
    await servers.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
