import { expect, test } from 'vitest'
import { watchMessage } from './notification-messages.ts'

const since = '2026-11-20T10:00:00.000Z'
const watch = {
  ...{ watchId: 3, assetId: 7, policyId: null, assemblyId: null, tagId: null, search: null, user: 'ann' },
  ...{ since, updatedAt: since, kinds: null, minSeverity: null },
}
const recorded = (type: string) => ({
  id: 'event-1',
  type,
  data: {},
  stream: 'default/watch-7',
  revision: 1,
  position: '0000000000000000001',
  recordedAt: '2026-11-20T10:00:00.000Z',
  metadata: {
    tenant: 'default',
    actor: 'ann',
    correlationId: 'c',
    causationId: 'c',
    occurredAt: '2026-11-20T10:00:00.000Z',
    schemaVersion: 1,
  },
})

test('given a watch that ends, then its message has it as `before`', () => {
  const published = watchMessage(recorded('AssetUnwatched'), { status: 'ended', watch })
  expect(published?.message.data).toMatchObject({ data: { before: { watchId: 3, watching: true }, watching: false } })
})

test('given a watch that begins, then `before` is null', () => {
  const published = watchMessage(recorded('AssetWatched'), { status: 'watching', watch })
  expect(published?.message.data).toMatchObject({ data: { watchId: 3, assetId: 7, userId: 'ann', watching: true } })
  expect(published?.message.data).not.toHaveProperty('data.before')
})
