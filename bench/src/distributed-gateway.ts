import { createServer, type RequestListener, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { environments, startService, type Topology } from '../../deploy/native/topology.ts'
import { admin, cpuMs, ended, forked, load } from './distributed-servers.ts'
import { type BenchRow, interleaved } from './ratio.ts'

const requests = 8_000
const connections = 32
const pairs = 7
const warmUps = 4
const settledMs = 8_000
const path = '/catalog-server/api/assets?page=1'
/** About the size of a page of a list. */
const body = JSON.stringify({
  data: Array.from({ length: 10 }, (_, id) => ({ id, name: `asset ${id}`, note: 'x'.repeat(80) })),
})

async function listening(handle: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return { server, url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}` }
}

/** Microseconds of CPU that the process `pid` uses per request, averaged over `requests`. */
async function cpuOfRequests(client: Pool, pid: number): Promise<number> {
  const before = cpuMs(pid)
  let next = 0
  const worker = async () => {
    while (next++ < requests) {
      const { statusCode, body: answered } = await client.request({ method: 'GET', path, headers: { ...admin } })
      const text = await answered.text()
      if (statusCode !== 200) throw new Error(`The proxy answered ${statusCode}: ${text}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  return ((cpuMs(pid) - before) * 1000) / requests
}

/**
 * D2: the gateway in its default configuration, with traces exported and the access log off, against a proxy of node:http
 * and undici that only forwards, both in front of the same upstream.
 */
export async function benchDistributedGateway(topology: Topology): Promise<BenchRow[]> {
  const upstream = await listening((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json; charset=utf-8')
    response.end(body)
  })
  const traces = await listening((request, response) => {
    request.resume().on('end', () => response.end())
  })
  const { child, message: port } = await forked('distributed-proxy.ts', upstream.url)
  const { gateway: environment } = environments(topology)
  const gateway = startService('gateway', {
    ...environment,
    PORT: '0',
    ASSAY_CATALOG_URL: upstream.url,
    ASSAY_RATE_LIMIT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
  })
  await gateway.ready
  const url = /is ready on (\S+)/.exec(gateway.output())?.[1] ?? ''
  const [ours, bare] = [new Pool(url, { connections }), new Pool(`http://127.0.0.1:${port}`, { connections })]
  try {
    // Waits for the work of the start, and then for optimised code in both processes.
    await sleep(settledMs)
    for (let n = 0; n < warmUps; n++)
      for (const [client, pid] of [
        [ours, gateway.pid],
        [bare, child.pid ?? 0],
      ] as const)
        await cpuOfRequests(client, pid)
    const { ratio, subject, baseline } = await interleaved(
      pairs,
      () => cpuOfRequests(ours, gateway.pid),
      () => cpuOfRequests(bare, child.pid ?? 0),
    )
    return [
      {
        name: 'D2 CPU of the gateway for a forwarded request',
        ratio,
        target: '<= 1.8',
        detail: `${subject.toFixed(0)} us against ${baseline.toFixed(0)} us of a bare undici proxy; ${load()}`,
      },
    ]
  } finally {
    await Promise.all([ours.destroy(), bare.destroy()])
    gateway.kill()
    await Promise.all([gateway.exited, ended(child)])
    for (const { server } of [upstream, traces]) {
      server.closeAllConnections()
      server.close()
    }
  }
}
