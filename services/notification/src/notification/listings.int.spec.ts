import type { Condition } from '@assay/documents'
import { planOfListing } from '@assay/documents/testing'
import { describe, expect, it } from 'vitest'
import { watches } from '../watch/aggregate.ts'
import { notifications } from './aggregate.ts'

describe('given many users with notifications and watches', () => {
  const own: Condition[] = [
    { field: 'recipient', is: 'ann' },
    { field: 'place', is: 'list' },
  ]
  const unread: Condition = { field: 'unread', is: true }
  const later: Condition = { field: 'createdAt', from: '2026' }
  const latest = ['createdAt', 'notificationId'].map((field) => ({ field, direction: 'desc' as const }))
  const numbered = latest.slice(1)

  it.each<[string, Condition[], typeof latest, string]>([
    [
      'the notifications of one user',
      own,
      latest,
      '(recipient,place,createdAt,notificationId)_1 (tenant=? AND f_recipient=? AND f_place=?)',
    ],
    [
      'the notifications of one user by id',
      own,
      numbered,
      '(recipient,place,notificationId)_1 (tenant=? AND f_recipient=? AND f_place=?)',
    ],
    [
      'the unread notifications of one user',
      [...own, unread, later],
      latest,
      '(recipient,place,unread,createdAt,notificationId)_1 (tenant=? AND f_recipient=? AND f_place=? AND f_unread=? AND f_createdAt>?)',
    ],
  ])('when %s are listed, then the query reads no others and does not sort', async (_, where, sort, index) => {
    const plan = await planOfListing(notifications, { where, sort, size: 20 })
    expect(plan).toBe(`SEARCH doc_notifications USING INDEX doc_notifications${index}`)
  })

  it('when the unread notifications of one user are counted, then no notification is loaded', async () => {
    const plan = await planOfListing(notifications, { where: [...own, unread, later], size: 0 })
    expect(plan).toContain('USING COVERING INDEX doc_notifications(recipient,place,unread,')
  })

  it('when a notification is requested by its id, then the query reads no others', async () => {
    const plan = await planOfListing(notifications, {
      where: [
        { field: 'notificationId', is: 1 },
        { field: 'recipient', is: 'ann' },
      ],
      size: 1,
    })
    expect(plan).toBe(
      'SEARCH doc_notifications USING INDEX doc_notifications(notificationId)_1 (tenant=? AND f_notificationId=?)',
    )
  })

  it.each<[string, Condition[]]>([
    ['partOf', [{ field: 'partOf', is: 'crawl/1' }]],
    ['alertedIncident', [{ field: 'alertedIncident', is: 1 }]],
    [
      'waits',
      [
        { field: 'recipient', is: 'ann' },
        { field: 'waits', is: true },
      ],
    ],
  ])(
    'when notifications are looked up by `%s`, which most lack, then the query reads no others',
    async (field, where) => {
      const plan = await planOfListing(notifications, { where, size: 20 })
      expect(plan).toContain(`f_${field}=?)`)
    },
  )

  it('when the last runs of a policy are looked up, then the query reads no others', async () => {
    const plan = await planOfListing(notifications, {
      where: [
        { field: 'recipient', is: 'ann' },
        { field: 'policyId', is: 1 },
        { field: 'runOutcome', in: ['alarm', 'recovered'] },
        { field: 'at', to: '2026' },
      ],
      sort: ['at', 'notificationId'].map((field) => ({ field, direction: 'desc' as const })),
      size: 1,
    })
    expect(plan).toContain('USING INDEX doc_notifications(recipient,policyId,runOutcome?,at,notificationId)_1')
  })

  it('when the watches of a user are listed, then the query reads no others and does not sort', async () => {
    const sort = ['since', 'watchId'].map((field) => ({ field, direction: 'desc' as const }))
    const plan = await planOfListing(watches, { where: [{ field: 'user', is: 'ann' }], sort, size: 20 })
    expect(plan).toBe('SEARCH doc_watches USING INDEX doc_watches(user,since,watchId)_1 (tenant=? AND f_user=?)')
  })
})
