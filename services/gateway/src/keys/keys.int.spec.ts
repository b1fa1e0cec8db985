import { apiKey, apiKeySecret, gatewayOperations, internalTopics } from '@assay/contracts'
import { createCommandHandler } from '@assay/event-store'
import { eventually } from '@assay/hosting/testing'
import { done } from '@assay/message-bus'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Pair, type RunningGateway, startGateway } from '../testing/harness.ts'
import { createKeyCommands } from './key-commands.ts'
import { hashOf } from './key-text.ts'

const { listApiKeys, rotateApiKey } = gatewayOperations
const keys = '/admin/api/api-keys'
/** The listing, with exactly the fields of the contract. */
const exactKeys = z.object({ apiKeys: z.array(apiKey.strict()) })
let gateway: RunningGateway
let admin: Pair

beforeAll(async () => {
  gateway = await startGateway()
  if (!gateway.admin) throw new Error('The first start created no pair.')
  admin = { accessKey: gateway.admin.accessKey, secretKey: gateway.admin.secretKey }
})
afterAll(() => gateway.stop())

const pick = ({ accessKey, secretKey }: Pair) => ({ accessKey, secretKey })
const create = (body: unknown, pair = admin) => gateway.as(pair, keys, { method: 'POST', body })
const rotate = (accessKey: string, body?: unknown, pair = admin) =>
  gateway.as(pair, `${keys}/${accessKey}/rotate`, { method: 'POST', ...(body === undefined ? {} : { body }) })
const works = async (pair: Pair) => (await gateway.as(pick(pair), '/catalog-server/api/assets')).status === 200
const request = (more: object = {}) => ({
  displayName: 'reports',
  validTill: gateway.clock.time + 86_400_000,
  permissions: ['ASSET_VIEW'],
  ...more,
})

describe('creating', () => {
  test('given a valid request, when it is sent, then the pair works and the answer holds its secret', async () => {
    const answer = await create(
      request({ permissions: ['ASSET_VIEW', 'VIEW_API_KEYS', 'ASSET_VIEW'], userName: 'ann' }),
    )
    expect(answer.status).toBe(200)
    const made = apiKeySecret.parse(answer.json())
    expect(made.permissions).toEqual(['ASSET_VIEW', 'API_KEYS_VIEW'])
    expect(made.accessKey).toMatch(/^assay_ak_[A-Za-z0-9]{49}$/)
    expect(made.secretKey).toMatch(/^assay_sk_[A-Za-z0-9]{49}$/)
    expect(await works(made)).toBe(true)
    expect(gateway.served.at(-1)?.call.identity.user).toBe('ann')
    expect(answer.headers.get('x-assay-position')).toMatch(/^gateway:/)
  })

  const refused: [string, object, RegExp][] = [
    ['an unknown permission', { permissions: ['ASSET_VIEW', 'FLY'] }, /permissions/],
    ['no permission', { permissions: [] }, /permissions/],
    ['permissions missing', { permissions: undefined }, /permissions/],
    ['a past date', { validTill: 1000 }, /validTill/],
    ['a past date as text', { validTill: '2020-01-01T00:00:00Z' }, /validTill/],
    ['a date beyond the range of times', { validTill: Number.MAX_SAFE_INTEGER }, /validTill/],
    ['an invalid date', { validTill: 'soon' }, /validTill/],
    ['an empty name', { displayName: '  ' }, /displayName/],
    ['no name', { displayName: undefined }, /displayName/],
    ['the name of Assay itself', { userName: 'system' }, /userName/],
  ]
  test.each(refused)('given %s, when it is sent, then 400 names the field', async (_, more, message) => {
    const answer = await create(request(more))
    expect(answer.status).toBe(400)
    expect(answer.errors()[0]).toEqual({ message: expect.stringMatching(message), status: 400 })
  })

  test('given a permission that the caller lacks, when a key asks for it, then 403 names it', async () => {
    const caller = pick(await gateway.key(['API_KEYS_MODIFY', 'ASSET_VIEW']))
    const answer = await create(request({ permissions: ['ASSET_VIEW', 'TENANT_MODIFY'] }), caller)
    expect([answer.status, answer.errors()[0]?.message]).toEqual([403, expect.stringContaining('TENANT_MODIFY')])
    expect((await create(request(), caller)).status).toBe(200)
  })
})

test('given a key without USERS_IMPERSONATE, then it cannot create or rotate keys of other users, nor a service user of their name', async () => {
  const may = ['API_KEYS_MODIFY', 'ASSET_VIEW', 'USERS_IMPERSONATE'] as const
  const named = async (userName: string, by = admin) => {
    const answer = await create(request({ permissions: [...may], userName }), by)
    return { status: answer.status, pair: answer.status === 200 ? apiKeySecret.parse(answer.json()) : undefined }
  }
  const anna = (await named('anna')).pair
  const bob = pick((await named('bob')).pair ?? admin)
  const weak = pick(apiKeySecret.parse((await create(request({ permissions: may.slice(0, 2) }), bob)).json()))
  const asAnna = { permissions: ['ASSET_VIEW'], userName: 'anna' }
  const { status, json } = await create(request(asAnna), weak).then((answer) => ({
    status: answer.status,
    json: answer.errors()[0]?.message,
  }))
  expect([status, json]).toEqual([403, expect.stringContaining('USERS_IMPERSONATE')])
  expect((await create(request({ ...asAnna, userName: 'bob' }), weak)).status).toBe(200)
  expect((await create(request(asAnna), bob)).status).toBe(200)
  const plain = apiKeySecret.parse((await create(request(asAnna))).json())
  expect((await rotate(plain.accessKey, undefined, weak)).status).toBe(403)
  expect((await rotate(plain.accessKey, undefined, bob)).status).toBe(200)
  const serviceUser = (username: string) =>
    gateway.as(weak, '/admin/api/v1/service-users', { method: 'POST', body: { username } })
  expect([(await serviceUser('anna')).status, (await serviceUser('loader')).status]).toEqual([403, 201])
  const answer = await rotate(anna?.accessKey ?? '')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
})

describe('rotating', () => {
  test('given an overlap, when it ends, then only the new secret works', async () => {
    const old = await gateway.key()
    const answer = await rotate(old.accessKey, { overlapSeconds: 10 })
    const made: Pair = apiKeySecret.parse(answer.json())
    expect(made.accessKey).toBe(old.accessKey)
    expect([await works(old), await works(made)]).toEqual([true, true])
    gateway.clock.time += 10_000
    expect([await works(old), await works(made)]).toEqual([false, true])
  })

  test('given no body, when a key is rotated, then the old secret works for an hour', async () => {
    const old = await gateway.key(['ASSET_VIEW'], { validTill: gateway.clock.time + 86_400_000 })
    expect((await rotate(old.accessKey)).status).toBe(200)
    gateway.clock.time += 3_599_000
    expect(await works(old)).toBe(true)
    gateway.clock.time += 1_000
    expect(await works(old)).toBe(false)
  })

  test('given two rotations, when the second has no overlap, then it ends all older secrets immediately', async () => {
    const first = await gateway.key()
    const second = (await rotate(first.accessKey, { overlapSeconds: 600 })).body(rotateApiKey)
    const third = (await rotate(first.accessKey, { overlapSeconds: 0 })).body(rotateApiKey)
    expect([await works(first), await works(second), await works(third)]).toEqual([false, false, true])
  })

  test('given a key that cannot be rotated, when it is tried, then 422, 404, 403 or 400', async () => {
    const revoked = await gateway.key()
    await gateway.as(admin, `${keys}/${revoked.accessKey}`, { method: 'DELETE' })
    expect((await rotate(revoked.accessKey)).status).toBe(422)
    const expired = await gateway.key(['ASSET_VIEW'], { validTill: gateway.clock.time + 1 })
    gateway.clock.time += 1
    expect((await rotate(expired.accessKey)).status).toBe(422)
    expect((await rotate('assay_ak_unknown_key')).status).toBe(404)
    const weak = pick(await gateway.key(['API_KEYS_MODIFY']))
    expect((await rotate(admin.accessKey, undefined, weak)).status).toBe(403)
    expect((await rotate(admin.accessKey, { overlapSeconds: -1 })).status).toBe(400)
    expect(await works(admin)).toBe(true)
  })
})

describe('revoking', () => {
  test('given a key in use, when it is revoked, then it is refused immediately, and revoking again changes nothing', async () => {
    const pair = await gateway.key()
    expect(await works(pair)).toBe(true)
    const revoke = () => gateway.as(admin, `${keys}/${pair.accessKey}`, { method: 'DELETE' })
    const answer = await revoke()
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await works(pair)).toBe(false)
    expect((await revoke()).status).toBe(204)
  })

  test('given a key, when it is revoked, then this is published to other services, without any of its secrets', async () => {
    const pair = await gateway.key()
    const published: unknown[] = []
    const subscription = await gateway.bus.subscribe({
      topics: [internalTopics.keys],
      group: 'published',
      handle: async ({ message }) => {
        published.push(message)
        return done
      },
    })
    await gateway.as(admin, `${keys}/${pair.accessKey}`, { method: 'DELETE' })
    await eventually(
      async () => JSON.stringify(published),
      (text) => text.includes('"isActive":false'),
    )
    const text = JSON.stringify(published)
    for (const secret of [pair.accessKey, pair.secretKey, hashOf(pair.secretKey)]) expect(text).not.toContain(secret)
    await subscription.close()
  })

  test('given an unknown key, when it is revoked, then 404', async () => {
    for (const name of ['nobody', 'assay_ak_%2F..%2Fx', '%F0%9F%94%91'])
      expect((await gateway.as(admin, `${keys}/${name}`, { method: 'DELETE' })).status).toBe(404)
  })
})

describe('listing', () => {
  test('given keys, when they are listed, then newest first, in pages, and without secrets', async () => {
    for (let index = 0; index < 5; index++) {
      gateway.clock.time += 1000
      await gateway.key(['ASSET_VIEW'], { displayName: `listed ${index}` })
    }
    const first = await gateway.as(admin, `${keys}?size=3`)
    const second = await gateway.as(admin, `${keys}?size=3&page=1`)
    const names = [first, second].flatMap((page) => exactKeys.parse(page.json()).apiKeys.map((key) => key.displayName))
    expect(names.slice(0, 5)).toEqual([4, 3, 2, 1, 0].map((index) => `listed ${index}`))
    const { count } = second.body(listApiKeys).meta
    expect(first.body(listApiKeys).meta).toMatchObject({ page: 0, size: 3, count })
    expect(first.text).not.toMatch(/secret|hash|assay_sk_|[0-9a-f]{64}/i)
    const sorted = (await gateway.as(admin, `${keys}?sortBy=displayName:asc&size=500`)).body(listApiKeys).apiKeys
    const texts = sorted.map(({ displayName }) => displayName)
    expect(texts).toEqual([...texts].sort())
    expect((await gateway.as(admin, `${keys}?size=0`)).json()).toMatchObject({ apiKeys: [], meta: { size: 0 } })
    for (const bad of ['size=501', 'page=x', 'page=-1', 'sortBy=secretHash:asc'])
      expect((await gateway.as(admin, `${keys}?${bad}`)).status).toBe(400)
  })

  test('given a key that was used, when the keys are listed, then the minute of its last use is shown', async () => {
    const pair = await gateway.key(['ASSET_VIEW'], { displayName: 'never used' })
    const listed = async () => {
      const { apiKeys } = (await gateway.as(admin, `${keys}?size=500`)).body(listApiKeys)
      return apiKeys.find(({ accessKey }) => accessKey === pair.accessKey)
    }
    expect((await listed())?.lastUsedAt).toBeNull()
    await works(pair)
    const { createdAt, lastUsedAt } = (await listed()) ?? {}
    expect(lastUsedAt).toBe(Math.max(Number(createdAt), Math.floor(gateway.clock.time / 60_000) * 60_000))
  })
})

test('given the key of another tenant, when it is listed, rotated or revoked, then it counts as unknown', async () => {
  const commands = createKeyCommands({
    handler: createCommandHandler(gateway),
    knownKeys: { get: async () => undefined, forget() {} },
    clock: gateway.clock,
  })
  const pair = { accessKey: 'the_other_tenants_key', secretKey: 'the_other_tenants_secret' }
  const key = {
    ...pair,
    tenant: 'other',
    displayName: 'theirs',
    user: 'eve',
    validTill: gateway.clock.time + 86_400_000,
  }
  await commands.create({ ...key, permissions: ['API_KEYS_VIEW', 'API_KEYS_MODIFY', 'ASSET_VIEW'] }, { actor: 'eve' })
  expect((await rotate(pair.accessKey)).status).toBe(404)
  expect((await gateway.as(admin, `${keys}/${pair.accessKey}`, { method: 'DELETE' })).status).toBe(404)
  expect((await gateway.as(admin, `${keys}?size=500`)).text).not.toContain('theirs')
  const theirs = (await gateway.as(pair, keys)).body(listApiKeys)
  expect(theirs.apiKeys.map(({ displayName }) => displayName)).toEqual(['theirs'])
  expect((await rotate(admin.accessKey, undefined, pair)).status).toBe(404)
})

test('given keys, when the log and the documents are read, then they hold no secret', async () => {
  const pair = await gateway.key()
  const { events } = await gateway.store.readAll({ limit: 10_000 })
  expect(events.length).toBeGreaterThan(5)
  for (const secret of [pair.secretKey, admin.secretKey]) expect(JSON.stringify(events)).not.toContain(secret)
  expect(JSON.stringify(gateway.lines)).not.toContain('assay_sk_')
})
