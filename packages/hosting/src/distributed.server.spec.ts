import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { undocumented, unreported } from '../../../deploy/dashboards/documented.ts'
import { missingFrom } from '../../../deploy/dashboards/queries.ts'
import {
  type Answer,
  eventually,
  type Installation,
  type Servers,
  startInstallation,
  startServers,
} from '../../../deploy/native/installation.fixture.ts'
import { environments, type ServiceProcess, startService } from '../../../deploy/native/topology.ts'
import { freePorts } from '../../../tools/servers/ports.mjs'
import { startTraceReceiver, type TraceReceiver } from './testing/trace-receiver.ts'

const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`
let folder: string
let servers: Servers
let assay: Installation
let traces: TraceReceiver

const good: Installation['good'] = (...request) => assay.good(...request)

/** Sends a request as the administrator, to any process and with any headers. */
async function call(
  method: string,
  path: string,
  body?: unknown,
  base = assay.url,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { ...assay.topology.admin, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, text, json: text === '' ? undefined : JSON.parse(text) }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-distributed-'))
  await mkdir(join(folder, 'lake'))
  await writeFile(join(folder, 'lake', 'people.csv'), 'id,name\n1,Ada\n2,\n3,Grace\n')
  servers = await startServers()
  traces = await startTraceReceiver()
  const began = performance.now()
  assay = await startInstallation(servers, folder, {
    more: { ASSAY_LOG_LEVEL: 'warn', OTEL_EXPORTER_OTLP_ENDPOINT: traces.url, OTEL_BSP_SCHEDULE_DELAY: '200' },
  })
  process.stdout.write(`started in ${Math.round(performance.now() - began)} ms\n`)
}, 300_000)
afterAll(async () => {
  await assay?.stop()
  await Promise.all([servers?.stop(), traces?.stop()])
  await rm(folder, { recursive: true, force: true })
})

/**
 * Creates a policy with one item, runs it, and returns the result. Retries, because after the publishing process was
 * killed the execution service learns of a new policy only once the lease has expired.
 */
async function runPolicy(name: string) {
  const { rule } = await good('POST', quality, {
    rule: { name, backingAsset: { tableAssetUid: 'lake.people.csv' } },
    items: [{ name: 'has a name', measurementType: 'MISSING_VALUES', columnName: 'name' }],
  })
  const { execution } = await eventually(() => good('POST', `${quality}/${rule.id}/executions`, {}))
  return eventually(async () => {
    const result = await good('GET', `${quality}/executions/${execution.id}/result`)
    expect(result.execution.executionStatus).not.toMatch(/RUNNING|WAITING|STARTED/)
    return result
  })
}

describe('given the services as processes', () => {
  test('when a policy is created and run through the gateway, then it finds the bad row', async () => {
    const source = { name: 'lake', sourceType: 'FILE', configuration: { path: join(folder, 'lake') } }
    const assembly = await good('POST', `${api}/assemblies`, source)
    const id = assembly.id ?? assembly.assembly?.id ?? assembly.data?.id
    expect([assembly, id]).toEqual([expect.anything(), expect.any(Number)])
    const crawl = await call('POST', `${api}/assemblies/${id}/crawl`, {})
    expect([200, 422]).toContain(crawl.status)
    await eventually(() => good('GET', `${api}/assets/byUid/lake.people.csv`))
    const result = await runPolicy('names')
    expect(result.execution).toMatchObject({ executionStatus: 'SUCCESSFUL', executionError: null })
    expect(result.items).toMatchObject([{ rowsScanned: 3, rowsFailed: 1 }])
  })

  test('when the rows of an asset are requested through the gateway, then they are returned', async () => {
    const { id } = (await good('GET', `${api}/assets/byUid/lake.people.csv`)).data
    // 404 until the catalog's table has arrived.
    const { requestId } = await eventually(() => good('POST', `${api}/assets/${id}/sample/async`, {}))
    await eventually(async () => {
      const sample = await good('GET', `${api}/assets/sample/result/${requestId}`)
      expect(sample).toMatchObject({ jobExecutionStatus: 'SUCCESSFUL', errorMsg: null })
      expect(sample.sampleData.data.map((row: { name: unknown }) => row.name)).toEqual(['Ada', null, 'Grace'])
    })
  })

  test('when an asset is watched through the gateway, then a run with bad rows causes a notification', async () => {
    await eventually(() => good('POST', `${api}/assets/byUid/lake.people.csv/watch`))
    await runPolicy('watched')
    await eventually(async () => {
      const { data } = await good('GET', `${api}/notifications`)
      const kinds = data.map(({ kind, count }: { kind: string; count: number }) => `${kind} ${count}`)
      expect(kinds.toSorted()).toEqual(['EXECUTION_ERRORED 1', 'POLICY_CREATED 1'])
    })
  })

  test('when the regular expression of an item is invalid, then the policy is refused with the message of execution', async () => {
    const refused = await call('POST', quality, {
      rule: { name: 'broken', backingAsset: { tableAssetUid: 'lake.people.csv' } },
      items: [{ name: 'x', measurementType: 'REGEX_MATCH', columnName: 'name', value: { pattern: '(' } }],
    })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('items[0].value.pattern')])
  })

  test('when a policy is written, then the audit has the write immediately, and the event stream has it, also at another replica', async () => {
    const left = new AbortController()
    async function* heard(base: string, headers: Record<string, string> = {}) {
      const signal = AbortSignal.any([left.signal, AbortSignal.timeout(180_000)])
      const response = await fetch(`${base}${api}/events?entity=policy`, {
        headers: { ...assay.topology.admin, ...headers },
        signal,
      })
      expect(response.status).toBe(200)
      const decoder = new TextDecoder()
      let text = ''
      for await (const part of response.body ?? []) {
        text += decoder.decode(part, { stream: true })
        for (const lines = text.split('\n\n'); lines.length > 1; text = lines.join('\n\n')) yield lines.shift() ?? ''
      }
    }
    const idOf = (event: string) => /^id: (.*)$/m.exec(event)?.[1] ?? ''
    async function next(stream: AsyncGenerator<string>, wanted: string): Promise<string> {
      for (;;) {
        const { value = '', done } = await stream.next()
        if (done) throw new Error('The stream ended.')
        if (value.includes(wanted)) return value
      }
    }
    const stream = heard(assay.url)
    await next(stream, 'events follow')
    const { rule } = await good('POST', quality, {
      rule: { name: 'to be audited', backingAsset: { tableAssetUid: 'lake.people.csv' } },
      items: [{ measurementType: 'MISSING_VALUES', columnName: 'name' }],
    })
    const { data } = await good('GET', `/admin/api/audit?entity=POLICY/${rule.id}`)
    expect(data).toMatchObject([
      {
        action: 'PolicyCreated',
        actor: 'admin',
        accessKey: assay.topology.admin.accessKey,
        before: null,
        after: { version: 1 },
      },
    ])
    const created = await next(stream, `"policyName":"to be audited"`)
    await good('PUT', `${api}/rules/${rule.id}/enable`, { enable: false })
    const disabled = await next(stream, 'PolicyDisabled')
    const [port = 0, second = 0] = await freePorts(2)
    const environment = environments(assay.topology)
    const replica = startService('notification', { ...environment.notification, PORT: String(port) })
    const gateway = startService('gateway', {
      ...environment.gateway,
      PORT: String(second),
      ASSAY_NOTIFICATION_URL: `http://127.0.0.1:${port}`,
    })
    try {
      await Promise.all([replica.ready, gateway.ready])
      const again = heard(`http://127.0.0.1:${second}`, { 'last-event-id': idOf(created) })
      expect(idOf(await next(again, 'PolicyDisabled'))).toBe(idOf(disabled))
    } finally {
      left.abort()
      for (const process of [gateway, replica]) {
        process.kill()
        await process.exited
      }
    }
  }, 300_000)

  test('when parked messages are listed, then the list is empty', async () => {
    const main = fileURLToPath(new URL('./parked/main.ts', import.meta.url))
    const env = { PATH: process.env.PATH ?? '', ...environments(assay.topology).gateway }
    const { stdout } = await promisify(execFile)(process.execPath, [main, 'list'], { env })
    expect(stdout).toBe('0 messages are parked.\n0 streams are parked.\n')
  })

  test('when readiness is checked, then all services are ready; without the token of the gateway, routes answer 401', async () => {
    for (const port of Object.values(assay.topology.ports)) {
      const base = `http://127.0.0.1:${port}`
      expect((await call('GET', '/healthz', undefined, base)).status).toBe(200)
      expect((await call('GET', '/readyz', undefined, base)).status).toBe(200)
    }
    const base = (service: ServiceProcess) => `http://127.0.0.1:${assay.topology.ports[service]}`
    expect((await call('GET', `${api}/assets`, undefined, base('catalog'))).status).toBe(401)
    for (const path of ['/internal/prepare', '/internal/first-bad-rows']) {
      expect((await call('POST', path, {}, base('execution'))).status).toBe(401)
      expect((await call('POST', path, {})).status).toBe(404)
    }
  })

  test('when their metrics are read, then they include all metrics that dashboard and alerts use, and the docs describe them', async () => {
    const ports = Object.values(assay.topology.ports)
    const pages = await Promise.all(ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()))
    expect([missingFrom(pages), undocumented(pages), unreported(pages)]).toEqual([[], [], []])
  })

  test('when a webhook starts a run, then one trace covers it from the request to the verdict across all services', async () => {
    const { rule } = await good('POST', quality, {
      rule: { name: 'traced', backingAsset: { tableAssetUid: 'lake.people.csv' } },
      items: [{ name: 'x', measurementType: 'MISSING_VALUES', columnName: 'name' }],
    })
    const ask = (flags: '00' | '01') =>
      eventually(async () => {
        const traceId = randomBytes(16).toString('hex')
        const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}`, tracestate: 'vendor=1' }
        const path = `/api/webhook/rules/executions/${rule.id}`
        expect((await call('POST', path, {}, assay.url, headers)).status).toBe(200)
        return traceId
      })
    const traceId = await ask('01')
    const ofTrace = () => traces.spans().filter((span) => span.traceId === traceId)
    await eventually(async () => {
      const described = ofTrace().map(({ service, kind, name }) => `${service} ${kind} ${name}`)
      expect(described).toEqual(
        expect.arrayContaining([
          'assay-gateway server POST /api/webhook/rules/executions/{id}',
          'assay-gateway client POST /api/webhook/rules/executions/{id}',
          'assay-execution server POST /api/webhook/rules/executions/{id}',
          'assay-execution client append execution',
          'assay-execution consumer work on a run',
          'assay-execution internal engine measure',
          'assay-execution client put executions',
          expect.stringMatching(/^assay-execution producer send assay\..*executions/),
          expect.stringMatching(/^assay-notification consumer process assay\..*executions/),
          expect.stringMatching(/^assay-gateway consumer process assay\..*executions/),
          expect.stringMatching(/^assay-policy consumer process assay\./),
        ]),
      )
      // The spans are one complete tree: every parent is among them.
      const ids = new Set(ofTrace().map(({ spanId }) => spanId))
      const roots = ofTrace().filter(({ parentId }) => !ids.has(parentId))
      expect(roots.map(({ service, kind, parentId }) => [service, kind, parentId])).toEqual([
        ['assay-gateway', 'server', '00f067aa0ba902b7'],
      ])
    })
    expect(ofTrace().every(({ traceState }) => traceState === 'vendor=1')).toBe(true)
    const append = ofTrace().find(({ name }) => name === 'append execution')
    expect(append?.attributes).toEqual({
      'db.system.name': 'eventstoredb',
      'db.operation.name': 'append',
      'db.collection.name': 'execution',
    })
    // Every service respects a caller's decision not to record a trace.
    const unrecorded = await ask('00')
    await runPolicy('after the unrecorded one')
    expect(traces.spans().filter((span) => span.traceId === unrecorded)).toEqual([])
  })

  test('when a service is killed, then requests are answered 503 until it is back, and no write is lost', async () => {
    assay.running.policy.kill('SIGKILL')
    await assay.running.policy.exited
    expect((await call('GET', `${quality}/1`)).status).toBe(503)
    await assay.restart('policy')
    await eventually(() => good('GET', `${quality}/1`))
    const result = await runPolicy('after the kill')
    expect(result.items).toMatchObject([{ rowsScanned: 3, rowsFailed: 1 }])
  })

  test('when the publishing replica stops, then it drains, and the other replica publishes immediately', async () => {
    const port = (await freePorts(1))[0] ?? 0
    const second = startService('policy', { ...environments(assay.topology).policy, PORT: String(port) })
    try {
      await second.ready
      const holds = async () =>
        (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).includes('assay_lease_held 1')
      expect(await holds()).toBe(false)
      assay.running.policy.kill('SIGTERM')
      expect(await assay.running.policy.exited).toBe(0)
      await eventually(async () => expect(await holds()).toBe(true))
      await assay.restart('policy')
      // One replica handles the write, the other one publishes it.
      await eventually(() => good('GET', `${quality}/1`))
      expect(await holds()).toBe(true)
      const result = await runPolicy('by two')
      expect(result.items).toMatchObject([{ rowsScanned: 3, rowsFailed: 1 }])
    } finally {
      second.kill('SIGTERM')
      expect(await second.exited).toBe(0)
    }
  })

  test('when the publishing replica is killed, then the other replica continues within seconds', async () => {
    const holds = async (of: number) =>
      (await (await fetch(`http://127.0.0.1:${of}/metrics`)).text()).includes('assay_lease_held 1')
    // Waits until the first replica has the lease, so that the second one cannot take it first.
    await eventually(async () => expect(await holds(assay.topology.ports.policy)).toBe(true))
    const port = (await freePorts(1))[0] ?? 0
    const second = startService('policy', { ...environments(assay.topology).policy, PORT: String(port) })
    try {
      await second.ready
      assay.running.policy.kill('SIGKILL')
      const killedAt = performance.now()
      await assay.running.policy.exited
      await eventually(async () => expect(await holds(port)).toBe(true))
      process.stdout.write(`taken over after ${Math.round(performance.now() - killedAt)} ms\n`)
      await assay.restart('policy')
      const result = await runPolicy('after the killed publisher')
      expect(result.items).toMatchObject([{ rowsScanned: 3, rowsFailed: 1 }])
    } finally {
      second.kill('SIGTERM')
      expect(await second.exited).toBe(0)
    }
  })

  test('when the event store is down, then writes are answered 503 and reads continue at replicas that stay ready and report it; when it is back, writes work, and the log has one line for each change', async () => {
    const before = assay.running.policy.output().length
    const { policy, gateway } = assay.topology.ports
    const delays = async () =>
      Promise.all(
        [policy, gateway].map(async (port) => {
          const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
          const { waiting = [] } = z.object({ waiting: z.array(z.string()).optional() }).parse(await answer.json())
          return [answer.status, ...waiting]
        }),
      )
    const away = [200, expect.stringMatching(/^The event store does not answer/)]
    await servers.events.kill()
    await eventually(async () => expect(await delays()).toEqual([away, away]))
    await good('GET', `${quality}/1`)
    const refused = await call('POST', quality, {
      rule: { name: 'refused', backingAsset: { tableAssetUid: 'lake.people.csv' } },
      items: [{ name: 'x', measurementType: 'MISSING_VALUES', columnName: 'name' }],
    })
    expect(refused.status).toBe(503)
    await Promise.all(Array.from({ length: 50 }, () => call('PUT', `${api}/rules/1/enable`, { enable: true })))
    await servers.events.restart()
    await eventually(async () => expect(await delays()).toEqual([[200], [200]]))
    const result = await runPolicy('after the event store')
    expect(result.items).toMatchObject([{ rowsScanned: 3, rowsFailed: 1 }])
    await eventually(async () => {
      const lines = assay.running.policy.output().slice(before).split('\n')
      const logged = lines.flatMap((line) => /"msg":"(EventStoreDB [^"]*)"/.exec(line)?.[1] ?? [])
      expect(logged).toEqual(['EventStoreDB does not answer', 'EventStoreDB answers again'])
      expect(lines.filter((line) => line.includes('a request failed'))).toEqual([])
    })
  })

  test('when a key is revoked at one gateway while the bus is cut, then another refuses it within five seconds', async () => {
    const port = (await freePorts(1))[0] ?? 0
    const second = startService('gateway', { ...environments(assay.topology).gateway, PORT: String(port) })
    const bases = [assay.url, `http://127.0.0.1:${port}`]
    try {
      await second.ready
      const request = { displayName: 'to be revoked', validTill: Date.now() + 3_600_000, permissions: ['ASSET_VIEW'] }
      const { accessKey, secretKey } = await good('POST', '/admin/api/api-keys', request)
      const ask = async (base: string) =>
        (await call('GET', `${api}/assets`, undefined, base, { accessKey, secretKey })).status
      for (const base of bases) await eventually(async () => expect(await ask(base)).toBe(200))
      servers.kafka.pause()
      const revoked = await call('DELETE', `/admin/api/api-keys/${accessKey}`)
      const revokedAt = performance.now()
      expect(revoked.status).toBeLessThan(300)
      expect(await ask(assay.url)).toBe(401)
      let lastAccepted = revokedAt
      await eventually(async () => {
        const sentAt = performance.now()
        const status = await ask(bases[1] ?? '')
        if (status === 200) lastAccepted = sentAt
        expect(status).toBe(401)
      })
      expect(lastAccepted - revokedAt).toBeLessThanOrEqual(5_000)
    } finally {
      servers.kafka.resume()
      second.kill('SIGTERM')
      expect(await second.exited).toBe(0)
    }
  })
})
