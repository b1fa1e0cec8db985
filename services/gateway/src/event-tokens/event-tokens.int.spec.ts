import { gatewayOperations, unauthorisedBody } from '@assay/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Pair, type RunningGateway, startGateway } from '../testing/harness.ts'

const events = '/catalog-server/api/events'
let gateway: RunningGateway
let pair: Pair
beforeAll(async () => {
  gateway = await startGateway()
  pair = await gateway.key(['NOTIFICATION_VIEW', 'ASSET_VIEW'])
})
afterAll(() => gateway.stop())

async function issue(by: Pair, body?: object) {
  const answer = await gateway.as(by, `${events}/token`, { method: 'POST', ...(body === undefined ? {} : { body }) })
  const none = { token: '', expiresAt: '' }
  const { status } = answer
  return { status, ...(status === 200 ? answer.body(gatewayOperations.createEventsToken) : none) }
}

test('given a token, when the stream is opened with it, then it is that of the key, and no service sees the token', async () => {
  const { token, expiresAt } = await issue(pair)
  expect(Date.parse(expiresAt)).toBe(gateway.clock.time + 60_000)
  expect((await gateway.send(`${events}?type=io.assay.policy.*&token=${token}`)).status).toBe(200)
  expect(gateway.served.at(-1)?.call).toMatchObject({
    identity: { accessKey: pair.accessKey, permissions: new Set(['NOTIFICATION_VIEW', 'ASSET_VIEW']) },
    query: { type: ['io.assay.policy.*'] },
  })
  expect(JSON.stringify([gateway.served.at(-1)?.call.query, gateway.lines])).not.toContain(token)
})

test('given a token, when it is sent to another route, then 401, as without a key pair', async () => {
  const { token } = await issue(pair)
  for (const path of ['/catalog-server/api/notifications', '/admin/api/api-keys'])
    expect((await gateway.send(`${path}?token=${token}`)).text).toBe(unauthorisedBody)
})

test('given a token that has expired, or of a revoked key, or a forged one, then 401', async () => {
  const revoked = await gateway.key(['NOTIFICATION_VIEW'])
  const ofRevoked = await issue(revoked, { ttlSeconds: 600 })
  const { token } = await issue(pair, { ttlSeconds: 10 })
  const identity = gateway.signer.sign({ tenant: 'default', user: 'x', accessKey: 'x', permissions: new Set() })
  await gateway.as(gateway.admin ?? pair, `/admin/api/api-keys/${revoked.accessKey}`, { method: 'DELETE' })
  gateway.clock.time += 10_000
  for (const bad of [token, ofRevoked.token, `${ofRevoked.token}x`, identity, 'x', ''])
    expect([bad, (await gateway.send(`${events}?token=${bad}`)).text]).toEqual([bad, unauthorisedBody])
})

test('given a token, when the secret of its caller is replaced, then it ends with this secret', async () => {
  const key = await gateway.key(['NOTIFICATION_VIEW'])
  const status = async ({ token }: { token: string }) => (await gateway.send(`${events}?token=${token}`)).status
  const rotate = async (overlapSeconds: number) => {
    const path = `/admin/api/api-keys/${key.accessKey}/rotate`
    const answer = await gateway.as(gateway.admin ?? pair, path, { method: 'POST', body: { overlapSeconds } })
    return answer.body(gatewayOperations.rotateApiKey)
  }
  const first = await issue(key, { ttlSeconds: 600 })
  const second = await issue(await rotate(30), { ttlSeconds: 600 })
  expect([await status(first), await status(second)]).toEqual([200, 200])
  gateway.clock.time += 30_000
  expect([await status(first), await status(second)]).toEqual([401, 200])
  const third = await issue(await rotate(0), { ttlSeconds: 600 })
  expect([await status(first), await status(second), await status(third)]).toEqual([401, 401, 200])
})

test('given a key without NOTIFICATION_VIEW, or a lifetime out of range, then no token is issued', async () => {
  expect((await issue(await gateway.key(['ASSET_VIEW']))).status).toBe(403)
  for (const ttlSeconds of [0, 601, 1.5, 'x']) expect((await issue(pair, { ttlSeconds })).status).toBe(400)
})
