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
  it('given an event without the watched asset, then it is the asset itself, made when it happened', () => {
    const state = evolve(noNotification, { type: 'NotificationCreated', data: written })
    expect(state).toMatchObject({ status: 'there', watchedId: 60, madeAt: '2026-01-01', readAt: null })
  })
  it('given one of a folder, then it is that of the folder; when it is created again, then nothing happens', () => {
    const command = { type: 'CreateNotification', ...written, madeAt: '2026-01-02', watchedId: 50 } as const
    const state = decide(command, noNotification).reduce(evolve, noNotification)
    expect(state).toMatchObject({ assetId: 60, watchedId: 50, madeAt: '2026-01-02' })
    expect(decide(command, state)).toEqual([])
  })
})
