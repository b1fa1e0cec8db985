import { expect, it } from 'vitest'
import { digestOf } from './digest.ts'

it('given rows with the same title, then a digest names it once, with their number', () => {
  const row = (title: string, notificationId: number, count = 1) => ({
    ...{ title, notificationId, count, kind: 'COMMENT_ADDED' as const, severity: 'INFO' as const },
    ...{ about: 'asset' as const, at: '2026-11-20T10:00:00.000Z' },
  })
  const rows = [row('ann commented', 1), row('bob commented', 2), row('ann commented', 3, 2)]
  const digest = digestOf(rows, { during: 'today', link: '/x', at: '2026-11-20T11:00:00.000Z' })
  expect(digest).toMatchObject({ title: '3 notifications today', text: 'ann commented (3 times). bob commented.' })
})
