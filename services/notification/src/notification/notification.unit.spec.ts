import { describe, expect, it } from 'vitest'
import { evolve as evolveDelivery, noDelivery } from '../delivery/delivery.ts'
import { decide, evolve, noNotification } from './notification.ts'

const notificationContent = {
  kind: 'ASSET_CREATED',
  assetId: 60,
  policyId: null,
  executionId: null,
  title: 'sales.in.new.csv is new',
  text: 'It was found.',
  link: '/assets/60',
  at: '2026-01-01',
} as const
const written = { ...notificationContent, notificationId: 1, recipient: 'ann', eventId: 'e' }

describe('a notification', () => {
  it('given an event without a watched asset and a creation time, then the asset and the time of the event are used', () => {
    const state = evolve(noNotification, { type: 'NotificationCreated', data: written })
    expect(state).toMatchObject({ status: 'present', watchedId: 60, createdAt: '2026-01-01', readAt: null })
  })
  it('given the watch of a folder, then the notification names the folder; creating it again causes no event', () => {
    const command = { type: 'CreateNotification', ...written, createdAt: '2026-01-02', watchedId: 50 } as const
    const state = decide(command, noNotification).reduce(evolve, noNotification)
    expect(state).toMatchObject({ assetId: 60, watchedId: 50, createdAt: '2026-01-02' })
    expect(decide(command, state)).toEqual([])
  })
  it('given stored rows about tags with an earlier subject, then the kind decides who may read them', () => {
    const of = { ...notificationContent, kind: 'TAGS_CHANGED', severity: 'INFO', about: 'asset' } as const
    const counts = { count: 2, parts: 2 }
    const about = {
      notificationId: 1,
      recipient: 'ann',
      collects: 'row/a',
      createdAt: of.at,
      watch: null,
      heldBy: null,
    }
    const row = evolve(noNotification, { type: 'GroupNotified', data: { ...of, ...counts, ...about } })
    expect(row).toMatchObject({ about: 'tags' })
    const data = { ...counts, at: of.at, content: of }
    expect(evolve(row, { type: 'NotificationCounted', data })).toMatchObject({ about: 'tags' })
    const delivery = { channelId: 1, notificationId: 1, lane: '', order: '', body: '', createdAt: of.at }
    const requested = { type: 'DeliveryRequested', data: { ...delivery, ...of } } as const
    expect(evolveDelivery(noDelivery, requested)).toMatchObject({ about: 'tags' })
  })
})
