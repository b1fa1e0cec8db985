import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse, request as send } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { operations, type ServiceName } from '@assay/contracts'
import {
  createIdentitySigner,
  createLogger,
  createMetrics,
  createOutages,
  type Identity,
  type Listening,
  listen,
  type Metrics,
} from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type AnsweredPositions, createAnsweredPositions } from '../http/answered-positions.ts'
import { createGatewayApp } from '../http/app.ts'
import { createUpstream, type Upstream } from './forward.ts'

const api = '/catalog-server/api'
type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** One server plays all services; each test sets its answer. */
let handle: Handle
let seen: IncomingMessage[]
let server: Server
let http: Listening
let upstreams: Upstream[]
let metrics: Metrics
let writes: AnsweredPositions
let url: string
let works = true
let permissions: Identity['permissions']
/** Delays authentication until it resolves. */
let authenticating: Promise<void>
const signer = createIdentitySigner({ secret: randomBytes(32), clock: systemClock })
const identity: Identity = {
  tenant: 't',
  user: 'u',
  accessKey: 'k',
  permissions: new Set(operations.flatMap(({ permissions }) => permissions)),
}

async function open(port: number): Promise<void> {
  server = createServer((request, response) => {
    seen.push(request)
    handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
}

const portOf = () => (server.address() as AddressInfo).port

async function shut(): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

beforeEach(async () => {
  seen = []
  permissions = identity.permissions
  authenticating = Promise.resolve()
  handle = (_request, response) => response.end('{}')
  await open(0)
  metrics = createMetrics()
  writes = createAnsweredPositions(systemClock, 8)
  const logger = createLogger({ level: 'silent' })
  const names = [...new Set(operations.map(({ service }) => service))]
  const made = names.map((service): [ServiceName, Upstream] => [
    service,
    createUpstream({
      service,
      url: `http://127.0.0.1:${portOf()}`,
      deadlineMs: 600,
      connectMs: 500,
      maxInFlight: 5,
      logger,
      metrics,
      outages: createOutages({ logger, clock: systemClock }),
      clock: systemClock,
    }),
  ])
  upstreams = made.map(([, upstream]) => upstream)
  const app = createGatewayApp({
    gateway: {
      writes,
      requireRoom: () => undefined,
      authenticator: {
        async ofHeaders(headers) {
          await authenticating
          if (headers.accesskey !== 'k' || !works) throw new AssayError('unauthenticated', 'No.')
          return { ...identity, permissions }
        },
        async ofToken(token) {
          if (token !== 'a-token' || !works) throw new AssayError('unauthenticated', 'No.')
          return { ...identity, permissions }
        },
      },
    },
    services: [],
    forwards: new Map(made.map(([service, { forward }]) => [service, forward])),
    signer,
    rateLimit: 0,
    failureLimit: 20,
    version: '0',
    logger,
    metrics,
    newId: uuidV7,
    clock: systemClock,
    timers: systemTimers,
  })
  http = await listen(app, { host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${http.port}`
})
afterEach(async () => {
  if (server.listening) await shut()
  await http.close()
  for (const upstream of upstreams) await upstream.close()
})

interface Asked {
  method?: string
  body?: string
  headers?: Record<string, string>
}

async function ask(path: string, { headers, ...rest }: Asked = {}) {
  const response = await fetch(`${url}${path}`, { ...rest, headers: { accessKey: 'k', secretKey: 's', ...headers } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 5 })
const textOf = async (request: IncomingMessage) => Buffer.concat(await request.toArray()).toString()
const policy = `${api}/rules/data-quality`

const trace = '0af7651916cd43dd8448eb211c80319c'

describe('given a service in another process', () => {
  test('when it answers, then status, body and headers are passed on unchanged', async () => {
    handle = (_request, response) => {
      response.writeHead(422, {
        'content-type': 'application/json; charset=utf-8',
        'x-own': '1',
        connection: 'x-hop',
        'x-hop': '1',
      })
      response.end('{"errors":[{"message":"m","status":422}]}')
    }
    const answer = await ask(`${api}/assets/7?page=1&x=%2F`)
    expect([answer.status, answer.text]).toEqual([422, '{"errors":[{"message":"m","status":422}]}'])
    expect([answer.headers.get('x-own'), answer.headers.get('x-hop')]).toEqual(['1', null])
    expect(seen[0]?.url).toBe(`${api}/assets/7?page=1&x=%2F`)
  })

  test('when a request is forwarded, then it carries the identity, its ids and positions, and never the key pair', async () => {
    await ask(`${api}/assets`, {
      headers: {
        'x-request-id': 'r-1',
        traceparent: `00-${trace}-b7ad6b7169203331-01`,
        tracestate: 'vendor=1',
        'x-assay-identity': 'forged',
        'x-assay-client': 'console',
      },
    })
    const headers = seen[0]?.headers ?? {}
    expect(headers).toMatchObject({
      'x-request-id': 'r-1',
      traceparent: `00-${trace}-b7ad6b7169203331-01`,
      tracestate: 'vendor=1',
      'x-assay-client': 'console',
    })
    expect(signer.verify(String(headers['x-assay-identity']))).toMatchObject({ tenant: 't', accessKey: 'k' })
    expect([headers.accesskey, headers.secretkey]).toEqual([undefined, undefined])
  })

  test('when the caller is not authenticated, then nothing is forwarded', async () => {
    expect((await ask(`${api}/assets`, { headers: { accessKey: 'other' } })).status).toBe(401)
    expect(seen).toEqual([])
  })

  test('when it answers a state, then later requests of the key carry it to every service', async () => {
    handle = (_request, response) => response.setHeader('x-assay-position', 'catalog:tag-1@7').end('{}')
    expect((await ask(`${api}/assets`)).headers.get('x-assay-position')).toBe('catalog:tag-1@7')
    await ask(policy)
    expect(seen[1]?.headers['x-assay-position']).toBe('catalog:tag-1@7')
  })

  test('when it answers the positions of its writes, then only the audit of that key remembers them', async () => {
    const written = 'policy:0007,catalog:0009,policy:0008'
    handle = (_request, response) => response.setHeader('x-assay-written', written).end('{}')
    expect((await ask(policy, { method: 'POST', body: '{}' })).headers.get('x-assay-written')).toBe(written)
    expect(writes.with('k', new Map())).toEqual(new Map([['policy', ['0007', '0008']]]))
    expect(writes.with('other', new Map())).toEqual(new Map())
    await ask(policy)
    expect(seen[1]?.headers['x-assay-position']).toBeUndefined()
  })

  test('when a body is sent, then its bytes arrive, with a length or in chunks', async () => {
    const got: string[] = []
    handle = (request, response) => {
      void textOf(request).then((text) => {
        got.push(text)
        response.end('{}')
      })
    }
    await ask(policy, { method: 'POST', body: '{"a": "ä"}' })
    await new Promise<void>((resolve) => {
      const chunked = send(
        `${url}${policy}`,
        { method: 'POST', headers: { accessKey: 'k', secretKey: 's' } },
        (answer) => {
          answer.resume().on('end', resolve)
        },
      )
      chunked.write('{"b":')
      chunked.end('1}')
    })
    expect(got).toEqual(['{"a": "ä"}', '{"b":1}'])
  })

  test('when it refuses the identity of the gateway, then 502, because the caller is not at fault', async () => {
    handle = (_request, response) => response.writeHead(401).end('{}')
    const answer = await ask(`${api}/assets`)
    expect([answer.status, answer.text]).toEqual([502, expect.stringContaining('ASSAY_IDENTITY_SECRET')])
  })

  test('when the path is not in the table, then it is not forwarded', async () => {
    for (const path of [
      '/internal/prepare',
      `${api}/%2e%2e/%2e%2e/internal/prepare`,
      `${api}/..%2f..%2finternal/prepare`,
    ])
      expect((await ask(path, { method: 'POST', body: '{}' })).status).toBe(404)
    expect(seen).toEqual([])
  })
})

describe('given a body over 1 MiB', () => {
  test('when its length is stated, then 413 and the service is not asked', async () => {
    expect((await ask(policy, { method: 'POST', body: 'x'.repeat(1_048_577) })).status).toBe(413)
    expect(seen).toEqual([])
  })

  test('when it arrives in chunks, then 413 after the first MiB', async () => {
    handle = (request, response) => {
      request
        .on('error', () => undefined)
        .resume()
        .on('end', () => response.end('{}'))
    }
    const status = await new Promise((resolve, reject) => {
      const headers = { accessKey: 'k', secretKey: 's', 'transfer-encoding': 'chunked' }
      const sent = send(`${url}${policy}`, { method: 'POST', headers }, (answer) => resolve(answer.resume().statusCode))
      sent.on('error', reject)
      sent.write('x'.repeat(1_000_000))
      sent.write('x'.repeat(100_000))
    })
    expect(status).toBe(413)
  })
})

describe('given a service that fails', () => {
  test('when it is unreachable, then 503 with Retry-After; once it is reachable, requests are forwarded again', async () => {
    const port = portOf()
    await shut()
    const answer = await ask(`${api}/assets`)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(JSON.parse(answer.text)).toEqual({ errors: [{ message: expect.stringContaining('catalog'), status: 503 }] })
    expect((await ask(policy, { method: 'POST', body: '{"a":1}' })).status).toBe(503)
    await open(port)
    expect((await ask(`${api}/assets`)).status).toBe(200)
  })

  test('when it does not answer in time, then 504, and a write says that its outcome is unknown', async () => {
    handle = () => undefined
    const [read, write] = await Promise.all([ask(`${api}/assets`), ask(policy, { method: 'POST', body: '{}' })])
    expect([read.status, write.status, write.headers.get('retry-after')]).toEqual([504, 504, '1'])
    expect([read.text, write.text]).toEqual([
      expect.not.stringContaining('It is unknown'),
      expect.stringContaining('It is unknown'),
    ])
  })

  test('when it closes the connection before it answers a write, then 502, and the write is not sent again', async () => {
    handle = (request) => request.socket.destroy()
    expect((await ask(policy, { method: 'POST', body: '{}' })).status).toBe(502)
    expect(seen).toHaveLength(1)
  })

  test('when it closes the connection within a large body, then the next request of the same connection is answered', async () => {
    handle = (request, response) => {
      if (request.method === 'POST') request.socket.destroy()
      else response.end('{}')
    }
    const body = 'x'.repeat(1_000_000)
    const head = (first: string) => `${first} HTTP/1.1\r\nhost: x\r\naccesskey: k\r\nsecretkey: s\r\n`
    let answers = ''
    const caller = connect(http.port, '127.0.0.1').on('data', (part: Buffer) => {
      answers += part.toString('latin1')
    })
    caller.write(`${head(`POST ${policy}`)}content-length: ${body.length}\r\n\r\n${body}`)
    await until(() => expect(answers).toContain(' 502 '))
    caller.write(`${head(`GET ${policy}`)}\r\n`)
    await until(() => expect(answers).toContain(' 200 '))
    caller.destroy()
  })

  test('when a request says how long to wait, then its answer may take that much longer', async () => {
    const start = (wait: number) => ask(`${api}/rules/data-quality/7/executions?wait=${wait}`, { method: 'POST' })
    // The service answers the waiting request only after the gateway has given up the other one, so the test does not
    // depend on the speed of the machine.
    const waiting: ServerResponse[] = []
    handle = (request, response) => {
      request.resume()
      if (request.url?.endsWith('wait=60')) waiting.push(response)
    }
    const late = start(60)
    await until(() => expect(waiting).toHaveLength(1))
    expect((await start(0)).status).toBe(504)
    waiting[0]?.end('{}')
    expect((await late).status).toBe(200)
  })

  test('when it closes the connection before it answers a read, then the read is sent again', async () => {
    handle = (request, response) => (seen.length === 1 ? request.socket.destroy() : response.end('{}'))
    expect((await ask(`${api}/assets`)).status).toBe(200)
    expect(seen).toHaveLength(2)
  })

  test('when it closes the connection within its answer, then the caller gets an error, not a shorter answer', async () => {
    handle = (request, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half', () => request.socket.destroy())
    }
    await expect(ask(`${api}/assets`)).rejects.toThrow()
    expect(await metrics.text()).toContain('kind="cut"')
  })

  test('when it fails five times in a row, then the circuit opens, and other services are still asked', async () => {
    handle = (request, response) => (request.url?.includes('/assets') ? request.socket.destroy() : response.end('{}'))
    for (let index = 0; index < 5; index++) expect((await ask(`${api}/assets`)).status).toBe(502)
    const before = seen.length
    const answer = await ask(`${api}/assets`)
    expect([answer.status, answer.headers.get('retry-after'), seen.length]).toEqual([503, '2', before])
    expect(await metrics.text()).toContain('assay_upstream_circuit_open{service="catalog"} 1')
    expect((await ask(policy)).status).toBe(200)
  })
})

describe('given callers', () => {
  test('when a caller leaves, then the request to the service is aborted, which does not count as a failure of the service', async () => {
    handle = () => undefined
    for (let index = 0; index < 6; index++) {
      const caller = connect(http.port, '127.0.0.1')
      caller.write(`GET ${api}/assets HTTP/1.1\r\nhost: x\r\naccessKey: k\r\nsecretKey: s\r\n\r\n`)
      await until(() => expect(seen).toHaveLength(index + 1))
      caller.destroy()
      await until(() => expect(seen[index]?.destroyed).toBe(true))
    }
    handle = (_request, response) => response.end('{}')
    expect((await ask(`${api}/assets`)).status).toBe(200)
  })

  test('when callers leave during authentication, then no slot stays taken', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    authenticating = promise
    for (let index = 1; index <= 5; index++) {
      const caller = connect(http.port, '127.0.0.1')
      caller.write(`GET ${api}/assets?name=long HTTP/1.1\r\nhost: x\r\naccessKey: k\r\nsecretKey: s\r\n\r\n`, () =>
        caller.destroy(),
      )
      await until(async () =>
        expect(await metrics.text()).toMatch(new RegExp(`assay_http_requests_total.* ${index}\n`)),
      )
    }
    handle = (request, response) => response.end(request.url?.includes('long') ? Buffer.alloc(1_000_000) : '{}')
    resolve()
    await vi.waitFor(async () => expect((await ask(`${api}/assets`)).status).toBe(200), { timeout: 10_000 })
  })

  test('when a request has an absolute URL, of any scheme, then the service gets its path', async () => {
    const answerTo = async (target: string) => {
      const caller = connect(http.port, '127.0.0.1')
      caller.write(`GET ${target} HTTP/1.1\r\nhost: x\r\naccessKey: k\r\nsecretKey: s\r\nconnection: close\r\n\r\n`)
      return Buffer.concat(await caller.toArray()).toString()
    }
    for (const scheme of ['http', 'https', 'ftp', 'a', 'b', 'c', 'd'])
      expect(await answerTo(`${scheme}://elsewhere${api}/assets?name=a`)).toContain('200 OK')
    expect(new Set(seen.map((request) => request.url))).toEqual(new Set([`${api}/assets?name=a`]))
  })

  test('when more requests are in flight than the gateway allows for a service, then 503 immediately', async () => {
    const open: ServerResponse[] = []
    handle = (_request, response) => open.push(response)
    const waiting = Array.from({ length: 5 }, () => ask(`${api}/assets`))
    await until(() => expect(open).toHaveLength(5))
    const refused = await ask(`${api}/assets`)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    for (const response of open) response.end('{}')
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })
})

describe('given a stream of events from a service in another process', () => {
  const events = `${api}/events`
  const open = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    response.write(': begun\n\n')
  }

  test('when there is no event for longer than the deadline of an answer, then the stream stays open and still passes events on', async () => {
    let more: () => void = () => undefined
    handle = (_request, response) => {
      open(response)
      more = () => response.write('data: late\n\n')
    }
    const answer = await fetch(`${url}${events}`, { headers: { accessKey: 'k', secretKey: 's' } })
    const reader = answer.body?.getReader()
    const decoder = new TextDecoder()
    expect(decoder.decode((await reader?.read())?.value)).toBe(': begun\n\n')
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    more()
    expect(decoder.decode((await reader?.read())?.value)).toBe('data: late\n\n')
    await reader?.cancel()
  })

  test('when the key no longer works, then the stream ends', async () => {
    handle = (_request, response) => open(response)
    const answer = await fetch(`${url}${events}`, { headers: { accessKey: 'k', secretKey: 's' } })
    works = false
    expect(await answer.text()).toBe(': begun\n\n')
    works = true
    // Otherwise each ended stream would keep a slot for requests in flight.
    await until(() => expect(seen[0]?.socket.destroyed).toBe(true))
  })

  test('when the key loses a permission that decides which events it sees, then the stream ends', async () => {
    handle = (_request, response) => open(response)
    const answer = await fetch(`${url}${events}`, { headers: { accessKey: 'k', secretKey: 's' } })
    permissions = new Set([...identity.permissions].filter((permission) => permission !== 'POLICY_VIEW'))
    expect(await answer.text()).toBe(': begun\n\n')
    const reopened = await fetch(`${url}${events}`, { headers: { accessKey: 'k', secretKey: 's' } })
    expect(reopened.status).toBe(200)
    await reopened.body?.cancel()
  })

  test('when the gateway stops, then the stream ends', async () => {
    handle = (_request, response) => open(response)
    const answer = await fetch(`${url}${events}`, { headers: { accessKey: 'k', secretKey: 's' } })
    await http.close()
    expect(await answer.text()).toBe(': begun\n\n')
  })
})
