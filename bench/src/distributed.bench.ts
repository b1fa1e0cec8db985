import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stopTopology } from '../../deploy/native/topology.ts'
import { benchDistributedGateway } from './distributed-gateway.ts'
import { benchDistributedPath } from './distributed-path.ts'
import { benchDistributedRebuild } from './distributed-rebuild.ts'
import { newTopology, startServers } from './distributed-servers.ts'
import { benchDistributedStart } from './distributed-start.ts'
import type { BenchRow } from './ratio.ts'

/**
 * D1 to D5: the distributed form as six processes. Kafka, SecantusDB and the tests' event server run on the same cores,
 * so what is measured holds their work too.
 */
export async function benchDistributed(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-bench-distributed-'))
  const servers = await startServers()
  try {
    const rebuilt = await benchDistributedRebuild(servers)
    const topology = await newTopology(servers, folder)
    const { rows, running } = await benchDistributedStart(topology)
    try {
      return [
        ...(await benchDistributedPath(servers)),
        ...(await benchDistributedGateway(topology)),
        ...rows,
        ...rebuilt,
      ]
    } finally {
      await stopTopology(running)
    }
  } finally {
    await servers.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
