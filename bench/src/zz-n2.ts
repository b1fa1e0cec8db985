import { mkdtemp } from 'node:fs/promises'
import { MongoClient } from 'mongodb'
import { startTopology, stopTopology } from '../../deploy/native/topology.ts'
import { benchDistributedPath } from './distributed-path.ts'
import { newTopology, startServers } from './distributed-servers.ts'
const folder = await mkdtemp('/tmp/n2/zz-')
const servers = await startServers()
const topology = await newTopology(servers, folder)
const running = await startTopology({ ...topology, more: { ...topology.more, ...(process.env.PROF ? { NODE_OPTIONS: '--cpu-prof --cpu-prof-dir=/tmp/n2/prof' } : {}) } })
try {
  const m = await new MongoClient(servers.mongoUrl).connect()
  const op = async () => (await m.db('admin').command({ serverStatus: 1 })).opcounters
  const a = await op()
  for (const row of await benchDistributedPath(servers, running)) console.log(row.name, row.ratio.toFixed(2), row.detail)
  const b = await op()
  console.log(a, b)
  for (const { name } of (await m.db().admin().listDatabases()).databases) for (const c of await m.db(name).listCollections({}, { nameOnly: true }).toArray()) { const n = await m.db(name).collection(c.name).countDocuments(); if (n > 20) console.log(name, c.name, n) }
  console.log(await m.db('assay_notification').collection<any>('documents_catalog').findOne({ _id: 'flushes' }), await m.db('assay_catalog').collection<any>('documents_catalog').findOne({ _id: 'flushes' }))
  await m.close()
} finally {
  await stopTopology(running)
  await servers.stop()
}
