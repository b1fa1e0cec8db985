import { setTimeout as pause } from 'node:timers/promises'
import { adminOperations, publicTopics } from '@assay/contracts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Pair, type RunningGateway, startGateway } from '../testing/harness.ts'

const path = '/admin/api/audit'
let gateway: RunningGateway
let admin: Pair
let position = 0

beforeAll(async () => {
  gateway = await startGateway()
  admin = await gateway.key()
})
afterAll(() => gateway.stop())

const as = (pair: Pair, more: string) => gateway.as({ accessKey: pair.accessKey, secretKey: pair.secretKey }, more)
const lines = async (query = '', pair = admin) => (await as(pair, `${path}?${query}`)).body(adminOperations.listAudit)

async function publish(type: string, data: unknown, more: object = {}, tenant = 'default') {
  position += 1
  const at = String(position).padStart(19, '0')
  const time = new Date(gateway.clock.time + position).toISOString()
  const subject = `asset/${position}`
  const frame = { specversion: '1.0', id: `event-${position}`, source: '/assay/catalog', type, subject, time, tenant }
  const event = { ...frame, datacontenttype: 'application/json', data, ...more }
  const message = { id: frame.id, key: subject, type, tenant, time, position: at, data: event }
  await gateway.bus.publish(publicTopics.assets, [message])
  return { id: frame.id, position: at, time, entityId: position }
}

describe('the audit', () => {
  test('given public events, when the audit is read, then each line names actor, action, key, before and after', async () => {
    const changed = await publish(
      'io.assay.catalog.AssetLabelsReplaced',
      { before: [{ key: 'a' }], labels: [] },
      { actor: 'ann', accesskey: 'k1' },
    )
    await publish('io.assay.catalog.AssemblyUpdated', { changes: { before: { name: 'a' }, after: { name: 'b' } } })
    await publish('io.assay.catalog.CommentDeleted', { before: 'hi', commentId: 3, by: 'bob', at: 'x' })
    const { data, meta } = await lines('entity=ASSET&size=10')
    expect(meta).toEqual({ count: 3, page: 0, size: 10 })
    expect(data).toEqual([
      expect.objectContaining({
        action: 'CommentDeleted',
        actor: 'bob',
        before: { comment: 'hi' },
        after: null,
        accessKey: null,
      }),
      expect.objectContaining({ actor: 'system', before: { name: 'a' }, after: { name: 'b' } }),
      {
        id: changed.id,
        at: changed.time,
        actor: 'ann',
        accessKey: 'k1',
        action: 'AssetLabelsReplaced',
        entityType: 'ASSET',
        entityId: changed.entityId,
        before: { labels: [{ key: 'a' }] },
        after: { labels: [] },
      },
    ])
    expect((await lines('actor=ann&entity=asset/1&type=AssetLabelsReplaced')).data).toMatchObject([{ id: changed.id }])
    expect((await lines(`from=${Date.parse(changed.time) + 1}&type=ASSET`)).meta.count).toBe(2)
    expect((await lines(`to=${changed.time}&type=ASSET`)).meta.count).toBe(1)
    expect((await lines('actor=nobody')).data).toEqual([])
  })

  test('given an event that arrives twice, or belongs to another tenant, then the lines do not change', async () => {
    const before = (await lines('size=0')).meta.count
    position -= 1
    await publish('io.assay.catalog.CommentDeleted', { before: 'hi' })
    await publish('io.assay.catalog.CommentDeleted', { before: 'hi' }, {}, 'other')
    expect((await lines('size=0')).meta.count).toBe(before)
  })

  test('given keys and tenants, when they change, then the audit has a line for each, without secrets', async () => {
    const { accessKey } = await gateway.key(['ASSET_VIEW'], { displayName: 'to watch' })
    await gateway.as({ accessKey: admin.accessKey, secretKey: admin.secretKey }, `/admin/api/api-keys/${accessKey}`, {
      method: 'DELETE',
    })
    const { data } = await vi.waitFor(
      async () => {
        const found = await lines(`entity=${accessKey}`)
        expect(found.data).toMatchObject([
          { action: 'ApiKeyRevoked', before: { status: 'active' }, after: { status: 'revoked' }, actor: 'admin' },
          { action: 'ApiKeyCreated', before: null, after: { displayName: 'to watch' }, entityType: 'API_KEY' },
        ])
        return found
      },
      { timeout: 20_000 },
    )
    expect(JSON.stringify(data)).not.toMatch(/secretHash|[0-9a-f]{64}/)
    await vi.waitFor(async () => expect((await lines('type=TenantCreated')).meta.count).toBe(1), { timeout: 20_000 })
  })

  async function readAfterWrite(type: string, write: (at: string) => Promise<Record<string, string>>) {
    const at = position + 1
    const headers = await write(String(at).padStart(19, '0'))
    const answer = gateway.send(`${path}?type=${type}`, { headers: { ...admin, ...headers } })
    // A later event arrives first, and the pause is longer than requests wait for other positions.
    position += 1
    await publish('io.assay.catalog.Later', { a: 1 })
    await pause(400)
    position = at - 1
    await publish(`io.assay.catalog.${type}`, { a: 1 })
    position = at + 1
    return (await answer).body(adminOperations.listAudit).meta.count
  }

  test('given a write of the key, when the audit is read, then the answer waits for its line even if later lines exist', async () => {
    const labels = { method: 'PUT', body: { labels: [] } }
    const count = await readAfterWrite('FirstWritten', async (at) => {
      gateway.answered.written = at
      const { status, headers } = await gateway.as(admin, '/catalog-server/api/assets/7/labels', labels)
      delete gateway.answered.written
      expect([status, headers.get('x-assay-written')]).toEqual([200, `catalog:${at}`])
      return {}
    })
    expect(count).toBe(1)
  })

  test('given a write by another gateway, when the caller passes its header on, then the audit waits for the line', async () => {
    expect(await readAfterWrite('OtherWritten', async (at) => ({ 'x-assay-written': `catalog:${at}` }))).toBe(1)
  })

  test.each([
    ['from=yesterday', /^from: must be epoch milliseconds or an ISO 8601 time/],
    ['to=2026-02-31', /^to: must be epoch milliseconds or an ISO 8601 time/],
    ['type=COMMENT', /^type: must be an action, such as CommentAdded, or one of .*\bASSET\b.*have the type ASSET$/],
  ])('given %s, then 400 names the allowed values', async (query, message) => {
    const answer = await as(admin, `${path}?${query}`)
    expect(answer.status).toBe(400)
    expect(answer.errors()).toEqual([{ message: expect.stringMatching(message), status: 400 }])
  })
})
