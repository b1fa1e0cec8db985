import { adminOperations, gatewayOperations, permissions } from '@assay/contracts'
import { systemTimers } from '@assay/service-kit/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Pair, type RunningGateway, startGateway } from '../testing/harness.ts'

const { createTenant, listApiKeys, listTenants } = gatewayOperations
const path = '/admin/api/tenants'
let gateway: RunningGateway
let admin: Pair
beforeAll(async () => {
  gateway = await startGateway()
  const { accessKey, secretKey } = await gateway.key()
  admin = { accessKey, secretKey }
})
afterAll(() => gateway.stop())

const create = (name: unknown, pair = admin) => gateway.as(pair, path, { method: 'POST', body: { name } })

describe('given the tenant default', () => {
  test('when it creates a tenant, then its administrator is admitted to that tenant, with all permissions, and cannot create or list tenants', async () => {
    const made = await create('acme')
    expect([made.status, made.body(createTenant).tenant]).toEqual([200, { id: 'acme', name: 'acme' }])
    const { accessKey, secretKey } = made.body(createTenant)
    const keys = (await gateway.as({ accessKey, secretKey }, '/admin/api/api-keys')).body(listApiKeys)
    expect(keys.apiKeys).toMatchObject([{ accessKey, permissions }])
    expect((await gateway.as({ accessKey, secretKey }, path)).status).toBe(403)
    expect((await create('below', { accessKey, secretKey })).status).toBe(403)
    // The write was that of another user, so the audit does not wait for it.
    const audit = async () => (await gateway.as({ accessKey, secretKey }, '/admin/api/audit')).text
    await expect.poll(audit, { timeout: 20_000 }).toContain('ApiKeyCreated')
    expect(await audit()).not.toContain(admin.accessKey)
    expect(keys.apiKeys[0]?.createdBy).toBe('system')
  })

  test('when it lists tenants, then all are listed, in pages', async () => {
    await create('beta')
    const { data, meta } = (await gateway.as(admin, `${path}?size=2&sortBy=id:desc`)).body(listTenants)
    expect(data.map(({ id }) => id)).toEqual(['default', 'beta'])
    expect(meta).toEqual({ count: 3, page: 0, size: 2 })
  })

  test('when a name is taken, or requested twice concurrently, then the second request gets 409', async () => {
    expect((await create('default')).status).toBe(409)
    const both = await Promise.all([create('twice'), create('twice')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const [won] = both.filter(({ status }) => status === 200).map((answer) => answer.body(createTenant))
    if (won === undefined) throw new Error('Neither was created.')
    const { accessKey, secretKey } = won
    const { apiKeys } = (await gateway.as({ accessKey, secretKey }, '/admin/api/api-keys')).body(listApiKeys)
    expect(apiKeys.filter(({ revoked }) => !revoked)).toHaveLength(1)
  })

  test.each(['', 'assay', 'With Capitals', '../up', 'x'.repeat(64), 'имя', 7, null])(
    'when it is %j, then 400',
    async (name) => {
      expect((await create(name)).status).toBe(400)
    },
  )
})

test('given a limit of bytes, when a tenant has reached it, then it may read and change its keys, other tenants may write, and the list shows the bytes', async () => {
  const every = (_milliseconds: number, work: () => void) => systemTimers.every(20, work)
  const limited = await startGateway({ dependencies: { maxTenantBytes: 300, timers: { ...systemTimers, every } } })
  const { admin: operator } = limited
  if (operator === undefined) throw new Error('This is a first start.')
  const made = await limited.as(operator, path, { method: 'POST', body: { name: 'full' } })
  const tenant = made.body(createTenant)
  const user = (pair: Pair, username: string) =>
    limited.as(pair, adminOperations.createServiceUser.path, { method: 'POST', body: { username } })
  const tag = (pair: Pair) => limited.as(pair, '/catalog-server/api/tags', { method: 'POST', body: { name: 'a' } })
  expect((await tag(tenant)).status).toBe(200)
  for (const name of ['a', 'b', 'c']) expect((await user(tenant, name.repeat(250))).status).toBe(201)
  await expect.poll(async () => (await tag(tenant)).status, { timeout: 20_000 }).toBe(403)
  expect((await limited.as(tenant, '/admin/api/api-keys')).status).toBe(200)
  expect((await limited.as(tenant, `/admin/api/api-keys/${tenant.accessKey}`, { method: 'DELETE' })).status).toBe(204)
  expect((await tag(operator)).status).toBe(200)
  const { data } = (await limited.as(operator, path)).body(listTenants)
  expect(data.find(({ id }) => id === 'full')?.storedBytes).toBeGreaterThan(300)
  await limited.stop()
})
