import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { startLoad } from './load.ts'

// The load runs in a separate thread, because run.ts blocks while it waits for kubectl and helm.
const { base, headers, read, write } = z
  .object({ base: z.string(), headers: z.record(z.string(), z.string()), read: z.string(), write: z.string() })
  .parse(workerData)
const load = startLoad(base, headers, {
  read,
  write,
  body: (count) => ({ labels: [{ key: 'count', value: String(count) }] }),
})
parentPort?.on('message', (asked) => {
  if (asked === 'since') parentPort?.postMessage(load.since())
  else void load.stop().then(() => parentPort?.close())
})
