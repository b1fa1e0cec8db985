import { mkdtemp } from 'node:fs/promises'
import { benchDistributedGateway } from './distributed-gateway.ts'
import { newTopology, startServers } from './distributed-servers.ts'
const folder = await mkdtemp('/tmp/n2/zz-')
const servers = await startServers()
const topology = await newTopology(servers, folder)
try {
  for (const row of await benchDistributedGateway({ ...topology, more: { ...topology.more, ...(process.env.PROF ? { NODE_OPTIONS: '--cpu-prof --cpu-prof-interval 500 --cpu-prof-dir=/tmp/n2/prof' } : {}) } })) console.log(row.name, row.ratio.toFixed(2), row.detail)
} finally {
  await servers.stop()
}
