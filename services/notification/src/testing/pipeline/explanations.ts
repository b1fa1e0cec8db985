import { expect } from 'vitest'
import { z } from 'zod'
import { everyone } from '../../channel/aggregate.ts'
import type { Channel } from '../../channel/channel.ts'
import { accepts } from '../../delivering/outbox.ts'
import { deliveryKey, messageIdOf, type StoredDelivery } from '../../delivery/aggregate.ts'
import { groupOfRow, groupRowKey, placeOf } from '../../notification/aggregate.ts'
import type { StoredNotification } from '../../notification/notification.ts'
import { channelRecipient } from '../../routing/channel-recipient.ts'

/** Each notification is in a list, held, or part of a row that counts it; each row counts what it has. */
export function explainRows(stored: readonly StoredNotification[]): void {
  const rows = stored.filter((one) => placeOf(one) !== 'part')
  for (const one of stored) {
    if (one.partOf === null) continue
    const isIts = ({ key, collects }: StoredNotification) => (collects ?? groupOfRow(key)) === one.partOf
    const [row, ...others] = rows.filter((each) => each.recipient === one.recipient && isIts(each))
    expect([one.partOf, row?.recipient, others]).toEqual([one.partOf, one.recipient, []])
  }
  for (const row of rows) {
    const { recipient } = row
    const group = row.collects ?? groupOfRow(row.key)
    const parts = stored.filter((each) => each.partOf === group && each.recipient === recipient)
    expect(row.parts).toBe(parts.length)
    const assets = new Set(parts.map(({ assetId }) => assetId)).size
    const isCrawl = group.startsWith('crawl/')
    expect(row.count).toBe(isCrawl ? assets : row.collects === null ? parts.length + 1 : parts.length)
    if (isCrawl) expect(row.key).toBe(groupRowKey(group, recipient))
  }
}

/** The row of the list, or of the channel, that stands for a notification; `undefined` if it is muted. */
function topOf(one: StoredNotification, rows: readonly StoredNotification[]): StoredNotification | undefined {
  if (one.partOf === null) return placeOf(one) === 'list' ? one : undefined
  const isIts = ({ key, collects }: StoredNotification) => (collects ?? groupOfRow(key)) === one.partOf
  const row = rows.find((each) => each.recipient === one.recipient && isIts(each))
  return row && topOf(row, rows)
}

/** Which channels get the row that stands for a notification: those of its recipient that take it. */
function deliveriesOf(one: StoredNotification, top: StoredNotification, all: readonly Channel[]): string[] {
  const { recipient } = one
  return all
    .filter(({ channelId, shared, owner }) => recipient === (shared ? channelRecipient(channelId) : owner))
    .filter((channel) => accepts(channel, one))
    .map(({ channelId }) => deliveryKey({ eventId: top.key, about: '', recipient, channelId }))
}

/** The ids of the digests of a channel, by the keys of their deliveries. */
function digestsOf({ channelId, digests, shared, owner }: Channel): [key: string, digest: string][] {
  const recipient = shared ? everyone : owner
  return Array.from({ length: digests }, (_, n) => {
    const eventId = `digest/${channelId}/${n + 1}`
    return [deliveryKey({ eventId, about: '', recipient, channelId }), eventId]
  })
}

const body = z.object({ data: z.object({ count: z.int() }) })

/**
 * Each row has one delivery to each channel that takes it, and no other: it was received, is part of a digest that was
 * received or parked, or is parked with a reason. Nothing else was received.
 */
export function explainDeliveries(of: {
  rows: readonly StoredNotification[]
  deliveries: readonly StoredDelivery[]
  channels: readonly Channel[]
  received: readonly string[]
}): void {
  const { rows, deliveries, channels, received } = of
  const digestKeys = new Map(channels.flatMap(digestsOf))
  const digests = deliveries.filter(({ key }) => digestKeys.has(key))
  const single = deliveries.filter(({ key }) => !digestKeys.has(key))
  const due = rows.flatMap((one) => {
    const top = topOf(one, rows)
    return top === undefined ? [] : deliveriesOf(one, top, channels)
  })
  expect(new Set(single.map(({ key }) => key))).toEqual(new Set(due))
  const ids = new Set(received)
  for (const { key, status, attempts, digest, channelId } of deliveries) {
    if (digest !== undefined) {
      const itsDigest = digests.find((each) => digestKeys.get(each.key) === digest)
      expect([digest, itsDigest?.channelId]).toEqual([digest, channelId])
    } else if (status === 'DELIVERED') expect(ids).toContain(messageIdOf(key))
    else expect([status, attempts.length > 0]).toEqual(['PARKED', true])
  }
  for (const each of digests) {
    const collected = single.filter(({ digest }) => digest === digestKeys.get(each.key))
    expect(body.parse(JSON.parse(each.body)).data.count).toBe(collected.length)
    expect(collected.length).toBeGreaterThan(0)
  }
  const known = new Set(deliveries.map(({ key }) => messageIdOf(key)))
  expect([...ids].filter((id) => !known.has(id))).toEqual([])
}
