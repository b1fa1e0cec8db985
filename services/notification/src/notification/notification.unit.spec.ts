import { describe, expect, it } from 'vitest'
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
})
