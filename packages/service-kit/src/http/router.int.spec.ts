import { Readable } from 'node:stream'
import { type Operation, permissions } from '@assay/contracts'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { AssayError } from '../errors.ts'
import { createLogger } from '../logger.ts'
import { createMetrics } from '../metrics.ts'
import { createHttpApp } from './app.ts'
import { type Route, route } from './handler.ts'
import { createIdentitySigner, identityHeader } from './identity.ts'
import { type Listening, listen } from './listen.ts'
import { createRouter } from './router.ts'

const params = z.object({
  id: z
    .string()
    .regex(/^[1-9]\d*$/, 'must be a positive integer')
    .transform(Number),
})
const none = z.object({})
const body = z.object({ name: z.string(), items: z.array(z.object({ n: z.number() })).optional() })
const common = {
  service: 'catalog' as const,
  permissions: ['ASSET_VIEW' as const],
  summary: '',
  query: none,
  errors: [],
}
const read: Operation = { ...common, id: 'read', method: 'GET', path: '/things/{id}', params, answer: z.unknown() }
const list: Operation = { ...common, id: 'list', method: 'GET', path: '/things/all', params: none, answer: z.unknown() }
const write: Operation = {
  ...common,
  id: 'write',
  method: 'POST',
  path: '/things',
  params: none,
  body,
  answer: z.unknown(),
  permissions: ['ASSEMBLY_CREATE'],
}
const broken: Operation = { ...common, id: 'broken', method: 'GET', path: '/broken', params: none, answer: z.unknown() }
const paged: Operation = { ...broken, id: 'paged', path: '/paged', query: z.object({ n: z.string().optional() }) }
const events: Operation = { ...broken, id: 'events', path: '/events', events: true }
const file: Operation = { ...broken, id: 'file', path: '/file' }
const operations = [read, list, write, broken, paged, events, file]
let streams: Readable[] = []
/** A stream that never ends. */
function streamed(): Readable {
  const stream = new Readable({ read: () => undefined })
  streams.push(stream)
  return stream
}
const routes: Route[] = [
  route(read, async (call) => ({ body: { params: call.params, seen: [...call.seen] }, states: ['thing-12@7'] })),
  route(list, async () => ({ text: '{"as":"stored"}' })),
  route(write, async (call) => ({ body: { got: call.body ?? null } })),
  route(paged, async () => ({ body: {} })),
  route(broken, async () => {
    throw new Error('the password is hunter2')
  }),
  route(events, async () => ({ events: streamed() })),
  route(file, async () => ({
    file: { name: 'a', contentType: 'text/plain', sizeBytes: 1_000_000, stream: streamed() },
  })),
]

const clock = { now: () => 1_000_000 }
const signer = createIdentitySigner({ secret: Buffer.alloc(32, 7), clock })
const token = signer.sign({ tenant: 'default', user: 'ada', accessKey: 'k', permissions: new Set(permissions) })
const lines: string[] = []
let listening: Listening | undefined
afterEach(async () => {
  await listening?.close()
  lines.length = 0
  streams = []
})

async function ask(method: string, path: string, options: { body?: string; headers?: Record<string, string> } = {}) {
  const logger = createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } })
  const app = createHttpApp({
    logger,
    newId: () => 'made',
    metrics: createMetrics(),
    dispatch: createRouter({ service: 'catalog', routes, verify: signer.verify, operations }),
  })
  listening = await listen(app, { host: '127.0.0.1', port: 0 })
  const response = await fetch(`http://127.0.0.1:${listening.port}${path}`, {
    method,
    headers: { [identityHeader]: token, 'content-type': 'application/json', connection: 'close', ...options.headers },
    ...(options.body === undefined ? {} : { body: options.body }),
  })
  const text = await response.text()
  return {
    status: response.status,
    text,
    headers: response.headers,
    message: () => JSON.parse(text).errors[0].message as string,
  }
}

describe('given a router of operations', () => {
  test('when a path has a literal segment, then it takes precedence over a parameter', async () => {
    expect(await ask('GET', '/things/all')).toMatchObject({ status: 200, text: '{"as":"stored"}' })
  })

  test('when a handler answers, then it got parsed parameters and states, and the answer has its own states and the request id', async () => {
    const answer = await ask('GET', '/things/12', {
      headers: { 'x-assay-position': 'policy:policy-7@3, nonsense, catalog:tag-1@0' },
    })
    expect(JSON.parse(answer.text)).toEqual({
      params: { id: 12 },
      seen: [
        ['policy', ['policy-7@3']],
        ['catalog', ['tag-1@0']],
      ],
    })
    expect(answer.headers.get('x-assay-position')).toBe('catalog:thing-12@7')
    expect(answer.headers.get('x-request-id')).toBe('made')
    expect(answer.headers.get('x-powered-by')).toBeNull()
  })

  test.each([
    ['events', 'text/event-stream; charset=utf-8', null],
    ['file', 'text/plain', '1000000'],
  ])('when HEAD is requested for %s, then the answer ends and the stream is not read', async (name, type, length) => {
    const { status, text, headers } = await ask('HEAD', `/${name}`, { headers: { connection: 'keep-alive' } })
    expect([status, text, headers.get('content-type'), headers.get('content-length')]).toEqual([200, '', type, length])
    await vi.waitFor(() => expect(streams.map(({ destroyed }) => destroyed)).toEqual([true]))
    await listening?.close()
  })

  test.each([
    ['no token', {}, ''],
    [
      'a token of another secret',
      {},
      createIdentitySigner({ secret: Buffer.alloc(32, 8), clock }).sign({
        tenant: 'x',
        user: 'x',
        accessKey: 'x',
        permissions: new Set(),
      }),
    ],
    [
      'an expired token',
      {},
      createIdentitySigner({ secret: Buffer.alloc(32, 7), clock: { now: () => 900_000 } }).sign({
        tenant: 'x',
        user: 'x',
        accessKey: 'x',
        permissions: new Set(),
      }),
    ],
    ['a malformed token', {}, 'a.b.c'],
  ])('when the request has %s, then the answer is 401 with the exact body', async (_, __, value) => {
    const answer = await ask('GET', '/things/1', { headers: { [identityHeader]: value } })
    expect(answer.status).toBe(401)
    expect(answer.text).toBe(
      '{"errors":[{"message":"Unauthorised:: Authorisation through API Keys failed","status":401}]}',
    )
  })

  test('when the permission is missing, then 403 takes precedence over 400', async () => {
    const poor = signer.sign({ tenant: 'default', user: 'ada', accessKey: 'k', permissions: new Set(['ASSET_VIEW']) })
    const answer = await ask('POST', '/things', { body: '{', headers: { [identityHeader]: poor } })
    expect(answer).toMatchObject({ status: 403 })
    expect(answer.message()).toContain('ASSEMBLY_CREATE')
  })

  test.each([
    ['POST', '/things', '{"name":', 400, /JSON/],
    ['POST', '/things', '{"name":1}', 400, /^name: /],
    ['POST', '/things', '{"name":"x","items":[{"n":"1"}]}', 400, /^items\[0\]\.n: /],
    ['POST', '/things', '', 400, /^This operation needs a JSON body\.$/],
    ['POST', '/things', '[]', 400, /^body: /],
    ['POST', '/things', '"text"', 400, /^body: /],
    ['POST', '/things', `"${'x'.repeat(1_048_576)}"`, 413, /1 MiB/],
    ['POST', '/things', '{"name":"x","__proto__":{"polluted":true}}', 200, /./],
    ['POST', '/things', `{"name":"x","deep":${'['.repeat(5000)}${']'.repeat(5000)}}`, 400, /deep/],
    ['POST', '/things', `{"name":"${'[{'.repeat(500)}"}`, 200, /./],
    ['GET', '/paged?n=1&n=2', undefined, 400, /^n: is given 2 times; give it once$/],
    ['GET', '/things/abc', undefined, 400, /^id: must be a positive integer/],
    ['GET', '/things/%E0%A4%A', undefined, 400, /encoding/],
    ['GET', '/things//x', undefined, 400, /empty segment/],
    ['GET', '/nothing', undefined, 404, /No operation has this path/],
  ])('when %s %s with the body %s is requested, then the status is %i', async (method, path, sent, status, message) => {
    const answer = await ask(method, path, sent === undefined ? {} : { body: sent })
    expect({ status: answer.status, text: answer.text.slice(0, 200) }).toMatchObject({ status })
    if (status !== 200) expect(answer.message()).toMatch(message)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  test.each([
    [
      'an unknown field',
      '/things',
      '{"name":"x","colour":1,"items":[{"n":1,"größe":2,"a,b\\r\\nc":3}]}',
      'colour,items[0].gr%C3%B6%C3%9Fe,items[0].a%2Cb%0D%0Ac',
    ],
    ['an unknown query parameter', '/things?watch=%0D%0A&n%25=1', '{"name":"x"}', 'watch,n%25'],
    ['nothing unknown', '/things', '{"name":"x"}', null],
  ])(
    'when %s is sent, then the answer names it in a header, and a strict caller gets 400',
    async (_, path, sent, ignored) => {
      const answer = await ask('POST', path, { body: sent })
      expect([answer.status, answer.headers.get('x-assay-ignored')]).toEqual([200, ignored])
      const strict = await ask('POST', path, { body: sent, headers: { prefer: 'respond-async, handling="strict"' } })
      expect(strict.status).toBe(ignored === null ? 200 : 400)
      if (ignored !== null) expect(strict.message()).toMatch(/"\S+" is not known here/)
    },
  )

  test('when a field is misspelled, then 400 names the field and the suggestion, and no missing fields', async () => {
    const answer = await ask('POST', '/things', { body: '{"nam":"x","items":[{"m":1}]}' })
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.text).errors[0]).toEqual({
      message: '"nam" is not known here; did you mean "name"? items[0]: "m" is not known here; did you mean "n"?',
      status: 400,
      details: { fields: ['nam', 'items[0].m'] },
    })
  })

  test('when a handler fails, then 500 reveals no internals, and the log has them', async () => {
    const answer = await ask('GET', '/broken')
    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain('hunter2')
    expect(lines.join('')).toContain('hunter2')
  })
})

describe('given a table of operations', () => {
  const make = (some: Route[]) => () =>
    createRouter({ service: 'catalog', routes: some, verify: signer.verify, operations })
  test('when an operation has no route, then the service does not start', () =>
    expect(make(routes.slice(1))).toThrow(/no route for read/))
  test('when a route is registered twice, then the service does not start', () =>
    expect(make([...routes, ...routes])).toThrow(AssayError))
})
