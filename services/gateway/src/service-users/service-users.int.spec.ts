import { adminOperations, roleOf } from '@assay/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Pair, type RunningGateway, startGateway } from '../testing/harness.ts'

const path = '/admin/api/v1/service-users'
let gateway: RunningGateway
let admin: Pair
let viewing: Pair

beforeAll(async () => {
  gateway = await startGateway()
  admin = await gateway.key()
  viewing = await gateway.key(['API_KEYS_VIEW', 'API_KEYS_MODIFY'])
})
afterAll(() => gateway.stop())

const pick = ({ accessKey, secretKey }: Pair) => ({ accessKey, secretKey })
const send = (method: string, more: string, body?: unknown, pair = admin) =>
  gateway.as(pick(pair), `${path}${more}`, { method, ...(body === undefined ? {} : { body }) })
const rolesOf = (...names: Parameters<typeof roleOf>[0][]) => names.map((name) => roleOf(name).id)
const give = (id: string, ...names: Parameters<typeof roleOf>[0][]) =>
  send('PUT', `/${id}/add-roles`, { clientId: 'x', roles: rolesOf(...names) })
const keyRequest = () => ({ displayName: 'nightly', validTill: gateway.clock.time + 3_600_000 })
const reads = async (pair: Pair) => (await gateway.as(pick(pair), '/catalog-server/api/assets')).status

async function made(username: string): Promise<string> {
  const answer = await send('POST', '', { username, description: 'reads' })
  expect(answer.status).toBe(201)
  return answer.body(adminOperations.createServiceUser).id
}

describe('service users', () => {
  test('given a new name, when a service user is created, then it has no roles; creating it again is refused', async () => {
    const id = await made('loader')
    const shown = (await send('GET', `/${id}`)).json()
    expect(shown).toMatchObject({ id, username: 'loader', email: '', enabled: true, apiKeys: [], roles: [] })
    expect(shown).toMatchObject({ domainRoleMappings: [], description: 'reads', createdOn: gateway.clock.time })
    expect((await send('POST', '', { username: 'loader' })).status).toBe(409)
    expect((await send('POST', '', { username: 'System' })).status).toBe(400)
    expect((await send('POST', '', {})).status).toBe(400)
  })

  test('given a service user, when a key is created for a user of that name, then it is refused, because both would be one user', async () => {
    await made('ceo')
    const body = { ...keyRequest(), permissions: ['ASSET_VIEW'], userName: 'ceo' }
    const answer = await gateway.as(pick(admin), '/admin/api/api-keys', { method: 'POST', body })
    expect([answer.status, answer.errors()]).toEqual([
      400,
      [expect.objectContaining({ message: expect.stringContaining("'ceo' is a service user") })],
    ])
  })

  test('given roles, when a key is created, then it has their permissions until the roles are removed or the user is disabled', async () => {
    const id = await made('worker')
    expect((await send('POST', `/${id}/api-key`, keyRequest())).status).toBe(422)
    await give(id, 'ASSET_VIEW', 'POLICY_VIEW')
    const answer = await send('POST', `/${id}/api-key`, keyRequest())
    expect(answer.status).toBe(200)
    expect(answer.json()).toMatchObject({ displayName: 'nightly', email: null, ingestKey: null })
    const pair = answer.body(adminOperations.createServiceUserKey)
    expect(await reads(pair)).toBe(200)
    expect((await send('PUT', `/${id}/remove-roles`, { clientId: 'x', roles: rolesOf('ASSET_VIEW') })).status).toBe(200)
    expect(await reads(pair)).toBe(403)
    await give(id, 'ASSET_VIEW')
    expect(await reads(pair)).toBe(200)
    expect((await send('PUT', `/${id}`, { enabled: false })).json()).toMatchObject({ status: true })
    expect(await reads(pair)).toBe(401)
    await send('PUT', `/${id}`, { enabled: true })
    expect(await reads(pair)).toBe(200)
    expect((await send('GET', `/${id}`)).json()).toMatchObject({
      description: 'reads',
      apiKeys: [{ accessKey: pair.accessKey, secretKey: '***', userName: 'worker' }],
    })
    expect((await send('DELETE', `/${id}/api-key/${pair.accessKey}`)).status).toBe(200)
    expect(await reads(pair)).toBe(401)
    expect((await send('DELETE', `/${id}/api-key/${admin.accessKey}`)).status).toBe(404)
  })

  test('given a caller, when they grant permissions that they lack, then 403', async () => {
    const id = await made('mighty')
    const roles = { clientId: 'x', roles: rolesOf('ASSET_VIEW') }
    expect((await send('PUT', `/${id}/add-roles`, roles, viewing)).status).toBe(403)
    await give(id, 'ASSET_VIEW')
    expect((await send('POST', `/${id}/api-key`, keyRequest(), viewing)).status).toBe(403)
    expect((await send('PUT', `/${id}`, { enabled: false }, viewing)).status).toBe(200)
    expect((await send('PUT', `/${id}`, { enabled: true }, viewing)).status).toBe(403)
    expect((await send('PUT', `/${id}/add-roles`, { clientId: 'x', roles: [9999] })).status).toBe(400)
  })

  test('given an unknown service user, when it is requested, then 404', async () => {
    const bodies: [string, string, unknown?][] = [
      ['GET', '/none'],
      ['PUT', '/none', { enabled: true }],
      ['PUT', '/none/add-roles', { clientId: 'x', roles: [1] }],
      ['PUT', '/none/remove-roles', { clientId: 'x', roles: [1] }],
      ['POST', '/none/api-key', keyRequest()],
      ['DELETE', '/none/api-key/some'],
    ]
    for (const [method, more, body] of bodies)
      expect([more, (await send(method, more, body)).status]).toEqual([more, 404])
  })

  test('given several service users, when they are listed, then they are sorted by name, and a part of the name selects them', async () => {
    for (const name of ['row-a', 'row-b', 'row-c']) await made(name)
    const list = async (query: string) => (await send('GET', `/list?${query}`)).body(adminOperations.listServiceUsers)
    const names = (answer: { serviceUsers: { username: string }[] }) => answer.serviceUsers.map((each) => each.username)
    expect(names(await list('searchString=ROW&first=1&max=2'))).toEqual(['row-b', 'row-c'])
    expect((await list('searchString=row&max=1')).meta).toEqual({ page: 0, size: 1, total: 3 })
  })
})

describe('keys of users', () => {
  test('given a user, when they list and revoke their own keys, then they need no permission; for keys of others they do', async () => {
    const own = await gateway.key(['ASSET_VIEW'], { userName: 'ann', displayName: 'of ann' })
    const other = await gateway.key(['ASSET_VIEW'], { userName: 'bob' })
    const list = (pair: Pair, user: string) => gateway.as(pick(pair), `/admin/api/users/${user}/api-keys`)
    expect((await list(own, 'ann')).json()).toMatchObject({
      apiKeys: [{ accessKey: own.accessKey, displayName: 'of ann', secretKey: '***', email: '', userName: 'ann' }],
      meta: { page: 0, size: 25, total: 1 },
    })
    expect((await list(own, 'bob')).status).toBe(403)
    expect((await list(viewing, 'nobody')).status).toBe(404)
    expect((await list(viewing, 'bob')).body(adminOperations.listUserApiKeys).meta.total).toBe(1)
    const all = await gateway.as(pick(viewing), '/admin/api/users/api-keys/all')
    expect(all.body(adminOperations.listAllApiKeys).meta.total).toBeGreaterThan(3)
    const end = (pair: Pair, accessKey: string) =>
      gateway.as(pick(pair), `/admin/api/users/api-keys/${accessKey}`, { method: 'DELETE' })
    expect((await end(own, other.accessKey)).status).toBe(403)
    expect((await end(own, 'none')).status).toBe(403)
    expect((await end(viewing, 'none')).status).toBe(404)
    expect((await end(viewing, other.accessKey)).status).toBe(200)
    expect((await end(own, own.accessKey)).status).toBe(200)
    expect(await reads(own)).toBe(401)
  })

  test('given a key that can do more than the caller, when it is revoked, then it succeeds; rotating it is refused', async () => {
    const strong = await gateway.key()
    const at = `/admin/api/api-keys/${strong.accessKey}`
    expect((await gateway.as(pick(viewing), `${at}/rotate`, { method: 'POST' })).status).toBe(403)
    expect((await gateway.as(pick(viewing), at, { method: 'DELETE' })).status).toBe(204)
    expect(await reads(strong)).toBe(401)
  })
})

test('given an image with a build time, then the version shows it', async () => {
  const buildDate = '2026-03-01T00:00:00Z'
  const image = await startGateway({ dependencies: { buildDate } })
  const key = await image.key(['ASSET_VIEW'])
  expect((await image.as(pick(key), '/admin/api/build-details')).json()).toMatchObject({ buildDate })
  await image.stop()
})

test('given any key, when a client asks for versions, then it gets them', async () => {
  const key = await gateway.key(['ASSET_VIEW'])
  const details = (await gateway.as(pick(key), '/admin/api/build-details')).json()
  expect(details).toEqual({ buildVersion: expect.stringMatching(/^\d+(\.\d+(\.\d+)?)?(-.*)?$/), buildDate: null })
  expect((await gateway.as(pick(key), '/catalog-server/api/sdk/compatible-versions')).json()).toEqual({
    versions: { minVersion: '2.0.0', maxVersion: '99.0.0' },
  })
  expect((await gateway.send('/admin/api/build-details')).status).toBe(401)
  const wrong = await gateway.as(pick(key), '/admin/api/build-details', { method: 'PUT' })
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})
