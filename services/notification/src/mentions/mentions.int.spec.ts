import { notificationOperations as operations, type Permission } from '@assay/contracts'
import { answerOf } from '@assay/hosting/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Harness, openHarness, tableFixture } from '../testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  const users: [string, Permission][] = [
    ['Anna', 'ASSET_VIEW'],
    ['bob', 'ASSET_VIEW'],
    ['Eve Moneypenny', 'ASSET_VIEW'],
    ['blind', 'POLICY_VIEW'],
  ]
  for (const [user, permission] of users)
    await harness.key({ keyId: user, user, permissions: [permission, 'NOTIFICATION_VIEW'] })
  await harness.key({ keyId: 'gone', user: 'gone', permissions: ['ASSET_VIEW'], isActive: false })
})
afterEach(() => harness.close())

const rows = async (user: string) =>
  answerOf(operations.listNotifications, (await harness.ask('GET', '/notifications', { user })).body).data.map(
    ({ kind, title }) => [kind, title],
  )
const comment = (type: string, data: object, id = `${type} ${JSON.stringify(data)}`) =>
  harness.event(`catalog.${type}`, { assetId: 11, uid: 'orders.csv', ...data }, { id, actor: 'tom' })

it('given a comment with names, then those who may read it get MENTIONED instead of COMMENT_ADDED, once, without a watch', async () => {
  for (const user of ['bob', 'tim']) await harness.ask('POST', '/assets/11/watch', { user })
  const text = '@anna @"eve moneypenny" @BOB: see `@tim`, @blind @gone @nobody'
  await comment('CommentAdded', { commentId: 1, comment: text }, 'c1')
  await comment('CommentAdded', { commentId: 1, comment: text }, 'c1')
  for (const user of ['Anna', 'bob', 'Eve Moneypenny'])
    expect([user, await rows(user)]).toEqual([user, [['MENTIONED', 'tom mentioned you in a comment on orders.csv']]])
  expect(await rows('tim')).toEqual([['COMMENT_ADDED', 'tom commented on orders.csv']])
  for (const user of ['blind', 'gone', 'nobody']) expect(await rows(user)).toEqual([])
})

it('given an edited comment, then only newly mentioned users are notified, and no watchers', async () => {
  await harness.ask('POST', '/assets/11/watch', { user: 'tim' })
  await comment('CommentEdited', { commentId: 1, before: 'Hello @Anna', comment: 'Hello @anna and @bob' })
  expect(await rows('Anna')).toEqual([])
  expect(await rows('tim')).toEqual([])
  expect(await rows('bob')).toEqual([['MENTIONED', 'tom mentioned you in a comment on orders.csv']])
})

it('given a reply, then the author of the comment is notified', async () => {
  await comment('CommentAdded', { commentId: 2, parentId: 1, parentAuthor: 'bob', comment: 'Yes, @Anna.' })
  expect(await rows('bob')).toEqual([['MENTIONED', 'tom answered your comment on orders.csv']])
  expect(await rows('Anna')).toEqual([['MENTIONED', 'tom mentioned you in a comment on orders.csv']])
})
