import type { Condition } from '@assay/documents'
import { planOfListing } from '@assay/documents/testing'
import { describe, expect, it } from 'vitest'
import { watches } from '../watch/aggregate.ts'
import { notifications } from './aggregate.ts'

describe('given many users with notifications and watches', () => {
  const own: Condition = { field: 'recipient', is: 'ann' }
  const unread: Condition = { field: 'unread', is: true }
  const later: Condition = { field: 'madeAt', from: '2026' }
  const latest = ['madeAt', 'notificationId'].map((field) => ({ field, direction: 'desc' as const }))
  const numbered = latest.slice(1)

  it.each<[string, Condition[], typeof latest, string]>([
    ['the list of one user is', [own], latest, '(recipient,madeAt,notificationId)_1 (tenant=? AND f_recipient=?)'],
    ['the same by id is', [own], numbered, '(recipient,notificationId)_1 (tenant=? AND f_recipient=?)'],
    [
      'the unread of one user are',
      [own, unread, later],
      latest,
      '(recipient,unread,madeAt,notificationId)_1 (tenant=? AND f_recipient=? AND f_unread=? AND f_madeAt>?)',
    ],
  ])('when %s listed, then no rows of others are read and nothing is sorted', async (_, where, sort, index) => {
    const plan = await planOfListing(notifications, { where, sort, size: 20 })
    expect(plan).toBe(`SEARCH doc_notifications USING INDEX doc_notifications${index}`)
  })

  it('when the unread of one user are counted, then no notification is loaded', async () => {
    const plan = await planOfListing(notifications, { where: [own, unread, later], size: 0 })
    expect(plan).toContain('USING COVERING INDEX doc_notifications(recipient,unread,')
  })

  it('when one of a user is requested by its id, then no other is read', async () => {
    const plan = await planOfListing(notifications, { where: [own, { field: 'notificationId', is: 1 }], size: 1 })
    expect(plan).toContain('(tenant=? AND f_recipient=? AND f_notificationId=?)')
  })

  it('when the watches of a user are listed, then no others are read and nothing is sorted', async () => {
    const sort = ['since', 'watchId'].map((field) => ({ field, direction: 'desc' as const }))
    const plan = await planOfListing(watches, { where: [{ field: 'user', is: 'ann' }], sort, size: 20 })
    expect(plan).toBe('SEARCH doc_watches USING INDEX doc_watches(user,since,watchId)_1 (tenant=? AND f_user=?)')
  })
})
