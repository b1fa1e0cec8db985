import { unauthorisedBody } from '@assay/contracts'
import { createCommandHandler } from '@assay/event-store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeyCommands } from '../keys/key-commands.ts'
import { bearerOf, type Pair, type RunningGateway, startGateway } from '../testing/harness.ts'

const path = '/catalog-server/api/assets'
let gateway: RunningGateway
let good: Pair
let other: Pair
let revoked: Pair
let expired: Pair
let rotated: Pair

beforeAll(async () => {
  gateway = await startGateway()
  good = await gateway.key()
  other = await gateway.key()
  revoked = await gateway.key()
  expired = await gateway.key(['ASSET_VIEW'], { validTill: gateway.clock.time + 1 })
  rotated = await gateway.key()
  const admin = gateway.admin ?? good
  await gateway.as(admin, `/admin/api/api-keys/${revoked.accessKey}`, { method: 'DELETE' })
  const overlapSeconds = 0
  await gateway.as(admin, `/admin/api/api-keys/${rotated.accessKey}/rotate`, {
    method: 'POST',
    body: { overlapSeconds },
  })
  gateway.clock.time += 2
})
afterAll(() => gateway.stop())

const refused: [string, () => Pair][] = [
  ['an unknown access key', () => ({ ...good, accessKey: `${good.accessKey.slice(0, -1)}_` })],
  ['a wrong secret', () => ({ ...good, secretKey: `${good.secretKey.slice(0, -1)}_` })],
  ["another key's secret", () => ({ ...good, secretKey: other.secretKey })],
  ['swapped halves', () => ({ accessKey: good.secretKey, secretKey: good.accessKey })],
  ['a revoked key', () => revoked],
  ['an expired key', () => expired],
  ['a secret that was rotated away', () => rotated],
  ['an access key with characters that no key has', () => ({ ...good, accessKey: "' OR 1=1; --" })],
]
const forms: [string, (pair: Pair) => Record<string, string>][] = [
  ['in headers', (pair) => ({ ...pair })],
  ['as Bearer', (pair) => bearerOf(pair)],
]

describe.each(forms)('given a pair %s', (_, headersOf) => {
  test('when it is valid, then the caller is its user in its tenant', async () => {
    const answer = await gateway.send(path, {
      headers: headersOf({ accessKey: good.accessKey, secretKey: good.secretKey }),
    })
    expect(answer.status).toBe(200)
    expect(gateway.served.at(-1)?.call.identity).toMatchObject({
      tenant: 'default',
      user: 'admin',
      accessKey: good.accessKey,
    })
  })

  test.each(refused)('when it is %s, then the answer is 401, identical byte for byte', async (_, pair) => {
    const { accessKey, secretKey } = pair()
    const answer = await gateway.send(path, { headers: headersOf({ accessKey, secretKey }) })
    expect([answer.status, answer.text]).toEqual([401, unauthorisedBody])
  })
})

const malformed: [string, (pair: Pair) => Record<string, string>][] = [
  ['nothing', () => ({})],
  ['an access key alone', ({ accessKey }) => ({ accessKey })],
  ['a secret alone', ({ secretKey }) => ({ secretKey })],
  ['an empty secret', ({ accessKey }) => ({ accessKey, secretKey: '' })],
  ['an empty Bearer token', () => ({ authorization: 'Bearer ' })],
  ['a Bearer token that is not base64', () => ({ authorization: 'Bearer %%%' })],
  ['a Bearer token without a colon', () => ({ authorization: `Bearer ${Buffer.from('abc').toString('base64')}` })],
  [
    'the pair as Basic credentials',
    (pair) => ({ authorization: bearerOf(pair).authorization.replace('Bearer', 'Basic') }),
  ],
  ['both forms with different pairs', (pair) => ({ ...pick(pair), ...bearerOf(other) })],
  ['half a pair and a valid Bearer token', (pair) => ({ accessKey: pair.accessKey, ...bearerOf(pair) })],
  ['a forged identity', () => ({ 'x-assay-identity': forged() })],
]
const pick = ({ accessKey, secretKey }: Pair) => ({ accessKey, secretKey })
const forged = () =>
  gateway.signer.sign({ tenant: 'default', user: 'x', accessKey: 'x', permissions: new Set(['ASSET_VIEW']) })

test.each(malformed)(
  'given %s, when a request arrives, then the answer is 401, identical byte for byte',
  async (_, headers) => {
    const answer = await gateway.send(path, { headers: headers(good) })
    expect([answer.status, answer.text]).toEqual([401, unauthorisedBody])
  },
)

test('given both forms with the same pair, when a request arrives, then it is admitted', async () => {
  expect((await gateway.send(path, { headers: { ...pick(good), ...bearerOf(good) } })).status).toBe(200)
})

test('given a valid pair and a forged identity, when a request arrives, then the forged identity is dropped', async () => {
  const identity = gateway.signer.sign({ tenant: 't2', user: 'x', accessKey: 'x', permissions: new Set() })
  expect((await gateway.as(good, path, { headers: { 'x-assay-identity': identity } })).status).toBe(200)
  expect(gateway.served.at(-1)?.call.identity.tenant).toBe('default')
})

test('given a key revoked by another process, when five seconds have passed, then it is refused', async () => {
  const pair = await gateway.key()
  expect((await gateway.as(pick(pair), path)).status).toBe(200)
  const elsewhere = createKeyCommands({
    handler: createCommandHandler(gateway),
    knownKeys: { get: async () => undefined, forget() {} },
    clock: gateway.clock,
  })
  const at = new Date(gateway.clock.time).toISOString()
  await elsewhere.change(pair.accessKey, { type: 'RevokeApiKey', tenant: 'default', at, by: 'x' }, { actor: 'x' })
  gateway.clock.time += 5000
  expect((await gateway.as(pick(pair), path)).status).toBe(401)
})

test('given an unavailable store, when a request arrives, then 503, not 401, and the log has no secret', async () => {
  const broken = await startGateway()
  try {
    const canary = `canary_${'x'.repeat(40)}`
    const pair = { accessKey: `${canary}a`, secretKey: `${canary}s` }
    const admin = broken.admin ?? pair
    const keys = '/admin/api/api-keys'
    expect((await broken.as(pick(admin), keys, { method: 'POST', body: `{"${canary}` })).status).toBe(400)
    await broken.documents.close()
    expect((await broken.send(path, { headers: pair })).status).toBe(503)
    expect((await broken.send(path, { headers: bearerOf(pair) })).status).toBe(503)
    expect((await broken.as(pick(admin), keys)).status).toBe(503)
    expect((await broken.send('/readyz')).errors()[0]).toEqual({
      message: 'gateway is not ready: 1 problem, see its log.',
      status: 503,
    })
    expect(broken.lines.join('')).toContain('Keys cannot be looked up')
    expect(broken.lines.length).toBeGreaterThan(0)
    for (const secret of [canary, admin.secretKey, 'Bearer']) expect(broken.lines.join('')).not.toContain(secret)
  } finally {
    await broken.stop()
  }
})
