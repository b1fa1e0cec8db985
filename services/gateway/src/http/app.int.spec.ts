import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Pair, type RunningGateway, startGateway } from '../testing/harness.ts'

const api = '/catalog-server/api'
let gateway: RunningGateway
let pair: Pair

async function pairOf(started: RunningGateway): Promise<Pair> {
  const { accessKey, secretKey } = await started.key()
  return { accessKey, secretKey }
}

beforeAll(async () => {
  gateway = await startGateway()
  pair = await pairOf(gateway)
})
afterAll(() => gateway.stop())

describe('given an unauthenticated caller', () => {
  test('when the path is unknown, then 404', async () => {
    expect((await gateway.send('/nothing')).status).toBe(404)
  })

  test.each([
    ['a path that cannot be decoded', 'GET', `${api}/assets/%E0%A4%A`],
    ['an invalid id', 'GET', `${api}/assets/abc`],
    ['an invalid body', 'POST', '/admin/api/api-keys'],
  ])('when %s is sent, then 401 takes precedence over 400', async (_, method, path) => {
    expect((await gateway.send(path, { method })).status).toBe(401)
  })
})

describe('given a known path and another method', () => {
  test.each([
    ['PATCH', `${api}/rules/data-quality`, 'GET, HEAD, POST'],
    ['DELETE', `${api}/assets/7`, 'GET, HEAD'],
    ['POST', `${api}/assemblies/7`, 'DELETE, GET, HEAD, PUT'],
    ['OPTIONS', `${api}/assets`, 'GET, HEAD'],
  ])('when %s %s is sent with a key, then 405 allows %s', async (method, path, allow) => {
    const answer = await gateway.as(pair, path, { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
    expect(answer.errors()).toMatchObject([{ status: 405 }])
  })

  test('when it is sent without a key, then 401', async () => {
    expect((await gateway.send(`${api}/assets`, { method: 'PATCH' })).status).toBe(401)
  })
})

describe('given paths that could be confused', () => {
  const source = { name: 'x', sourceType: 'FILE', configuration: { path: '/x' } }
  test.each<[string, string, string, unknown?]>([
    ['GET', '/rules/executions', 'listRuleExecutions'],
    ['GET', '/rules/7', 'getRule'],
    ['POST', '/assemblies/test', 'testAssembly', source],
    ['GET', '/assemblies/test', 'getAssembly'],
    ['PUT', '/assemblies/7', 'updateAssembly', source],
    ['HEAD', '/assets', 'listAssets'],
  ])('when %s %s is sent, then it reaches %s', async (method, path, operation, body) => {
    const answer = await gateway.as(pair, `${api}${path}`, { method, ...(body === undefined ? {} : { body }) })
    expect([answer.status, gateway.served.at(-1)?.operation.id]).toEqual([200, operation])
  })
})

describe('given a rate of 5 requests a second', () => {
  test('when a key sends more than twice that in a burst, then 429 with Retry-After, and other keys are served', async () => {
    const limited = await startGateway({ rateLimit: 5 })
    try {
      const [eager, calm] = [await pairOf(limited), await pairOf(limited)]
      const statuses: number[] = []
      for (let index = 0; index < 10; index++) statuses.push((await limited.as(eager, `${api}/assets`)).status)
      expect(new Set(statuses)).toEqual(new Set([200]))
      const refused = await limited.as(eager, `${api}/assets`)
      expect([refused.status, refused.errors()]).toMatchObject([429, [{ status: 429 }]])
      expect(Object.fromEntries(refused.headers)).toMatchObject({
        'retry-after': '1',
        'ratelimit-limit': '10',
        'ratelimit-remaining': '0',
        'ratelimit-reset': '2',
      })
      expect((await limited.as(calm, `${api}/assets`)).status).toBe(200)
      limited.clock.time += 200
      expect((await limited.as(eager, `${api}/assets`)).status).toBe(200)
    } finally {
      await limited.stop()
    }
  })

  test('when an address guesses pairs, then it gets 429 after a hundred, and a valid key from there is still served', async () => {
    const guessed = await startGateway()
    try {
      const good = await pairOf(guessed)
      const guess = () => guessed.send(`${api}/assets`, { headers: { ...good, secretKey: 'x'.repeat(40) } })
      const statuses = await Promise.all(Array.from({ length: 110 }, async () => (await guess()).status))
      expect(statuses.filter((status) => status === 401)).toHaveLength(100)
      const refused = await guess()
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
      expect((await guessed.as(good, `${api}/assets`)).status).toBe(200)
      guessed.clock.time += 1000
      expect((await guess()).status).toBe(401)
    } finally {
      await guessed.stop()
    }
  })
})

describe('given endpoints for probes and documents, which need no key', () => {
  test('when health, readiness and metrics are asked for, then they answer', async () => {
    expect((await gateway.send('/healthz')).json()).toMatchObject({ status: 'ok' })
    expect((await gateway.send('/readyz')).status).toBe(200)
    gateway.problems.push('the disk is full')
    const answer = await gateway.send('/readyz')
    gateway.problems.length = 0
    expect([answer.status, answer.errors()[0]]).toEqual([
      503,
      { message: 'catalog is not ready: 1 problem, see its log.', status: 503 },
    ])
    const metrics = await gateway.send('/metrics')
    expect(metrics.text).toMatch(/assay_http_requests_total\{operation="createApiKey",status="200"\} \d/)
    expect(metrics.headers.get('content-type')).toContain('text/plain')
  })

  test('when the process counts as not alive, then the health check answers 503', async () => {
    gateway.health.isAlive = false
    const { status, errors } = await gateway.send('/healthz')
    gateway.health.isAlive = true
    expect([status, errors()]).toEqual([503, [expect.objectContaining({ status: 503 })]])
  })

  test('when the documentation page is read, then it loads only from this origin, under a strict policy', async () => {
    const page = await gateway.send('/docs')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none';script-src 'self'")
    expect(page.text).not.toMatch(/https?:\/\/|<script>|style=/)
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(links.length).toBeGreaterThan(3)
    for (const link of links) expect([link, (await gateway.send(link)).status]).toEqual([link, 200])
    expect((await gateway.send('/docs/initializer.js')).headers.get('content-type')).toContain('javascript')
    expect((await gateway.send('/docs/package.json')).status).toBe(404)
    expect((await gateway.send('/')).text).toBe(page.text)
    expect((await gateway.send('/docs/..%2f..%2fpackage.json')).status).toBe(404)
    expect((await gateway.send('/healthz')).headers.get('content-security-policy')).toBeNull()
  })
})

describe('given states in the answers of services', () => {
  const seen = () => gateway.served.at(-1)?.call.seen

  test('when the same key asks another service, then that service gets them, for ten seconds', async () => {
    const reader = await pairOf(gateway)
    // The writes of earlier tests at this address are forgotten.
    gateway.clock.time += 10_001
    gateway.answered.state = 'tag-1@9'
    const answer = await gateway.as(reader, `${api}/assets`)
    expect(answer.headers.get('x-assay-position')).toBe('catalog:tag-1@9')
    gateway.answered.state = 'tag-2@4'
    await gateway.as(reader, `${api}/assets`)
    await gateway.as(reader, `${api}/rules/data-quality`)
    expect(seen()?.get('catalog')).toEqual(['tag-1@9', 'tag-2@4'])
    await gateway.as(reader, `${api}/assets`, { headers: { 'x-assay-position': 'catalog:tag-3@3,policy:policy-1@20' } })
    expect(seen()?.get('catalog')).toEqual(['tag-1@9', 'tag-2@4', 'tag-3@3'])
    expect(seen()?.get('policy')?.at(-1)).toBe('policy-1@20')
    gateway.clock.time += 10_001
    await gateway.as(reader, `${api}/assets`)
    expect(seen()?.get('catalog')).toBeUndefined()
    await gateway.as(await pairOf(gateway), `${api}/assets`)
    expect(seen()?.get('catalog')).toBeUndefined()
  })
})
