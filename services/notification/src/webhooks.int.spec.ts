import { channelOperations as operations } from '@assay/contracts'
import { answerOf, eventually } from '@assay/hosting/testing'
import { openReceiver, type Receiver } from '@assay/testkit/receiver'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { publicEvents } from './events/collection.ts'
import { openHarness, tableFixture } from './testing/harness.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
})

async function open(settings: Parameters<typeof openHarness>[0] = {}, of: Parameters<typeof openReceiver>[0] = {}) {
  const receiver = await openReceiver(of)
  opened.push(receiver)
  const harness = await openHarness(settings)
  opened.push(harness)
  await harness.table(tableFixture())
  await harness.table(tableFixture({ assetId: 21, uid: 'sales.people.csv', columns: [] }))
  for (const id of [11, 21]) await harness.ask('POST', `/assets/${id}/watch`)

  const create = async (configuration: object = { url: receiver.url }, more: object = {}) => {
    const sent = { name: 'data team', type: 'WEBHOOK', configuration, ...more }
    const { status, body } = await harness.ask('POST', '/notification-channels', {}, sent)
    expect(status, JSON.stringify(body)).toBe(200)
    return answerOf(operations.createChannel, body)
  }
  const deliveriesOf = async (id: number, query = '') => {
    const { body } = await harness.ask('GET', `/notification-channels/${id}/deliveries${query}`)
    return answerOf(operations.listDeliveries, body)
  }
  return {
    harness,
    receiver,
    create,
    deliveriesOf,
    channel: async (id: number) =>
      answerOf(operations.getChannel, (await harness.ask('GET', `/notification-channels/${id}`)).body).data,
    change: (id: number, sent: object) => harness.ask('PUT', `/notification-channels/${id}`, {}, sent),
    /** Waits until all deliveries have these states, oldest first. */
    states: async (id: number, ...expected: string[]) => {
      const found = await eventually(
        () => deliveriesOf(id, '?size=100&sortBy=createdAt:asc'),
        ({ data }) => JSON.stringify(data.map(({ status }) => status)) === JSON.stringify(expected),
      )
      return found.data
    },
    facts: (assetId = 11) => harness.event('catalog.AssetFactsObserved', { assetId, uid: `table ${assetId}` }),
  }
}

const bodyOf = ({ body }: Receiver['received'][number]) => JSON.parse(body)

describe('a webhook', () => {
  it('given a watch, when its asset changes, then the receiver gets the signed row of the list, once', async () => {
    const { harness, receiver, create, states, facts } = await open()
    const { data, secret } = await create({ url: receiver.url, headers: { 'x-team': 'data' } })
    await facts()
    await receiver.until(1)
    const [got] = receiver.received
    const clock = Date.now
    Date.now = harness.clock.now
    const verified = new Webhook(secret ?? '').verify(got?.body ?? '', got?.headers ?? {})
    Date.now = clock
    const { body } = await harness.ask('GET', '/notifications')
    const [row] = body.data
    expect(verified).toMatchObject({
      type: 'ASSET_CHANGED',
      timestamp: '2026-11-20T10:00:00.000Z',
      data: { ...row, severity: 'INFO', link: `https://assay.test${row.link}` },
    })
    expect(got?.headers).toMatchObject({ 'x-team': 'data', 'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{32}$/) })
    const [delivery] = await states(data.id, 'DELIVERED')
    expect(delivery).toMatchObject({
      notificationId: row.id,
      kind: 'ASSET_CHANGED',
      attempts: [{ status: 204, error: null }],
      nextAttemptAt: null,
    })
    expect(receiver.received).toHaveLength(1)
  })

  it.each([
    ['the only key of its owner is revoked', { isActive: false }],
    ['the only key of its owner has expired', { validTill: '2026-11-20T10:00:00.000Z' }],
    [
      'no key of its owner may read assets any more',
      { permissions: ['NOTIFICATION_VIEW' as const, 'POLICY_VIEW' as const] },
    ],
  ])('given a channel, when %s, then what is due is parked with a reason, and nothing is sent', async (_, change) => {
    const { harness, receiver, create, states, facts, channel } = await open()
    const { data } = await create()
    await harness.key({ revision: 1, ...change })
    await facts()
    const [delivery] = await states(data.id, 'PARKED')
    expect(delivery?.attempts).toMatchObject([{ status: null, error: expect.stringContaining('no valid key') }])
    expect(receiver.received).toEqual([])
    expect(await channel(data.id)).toMatchObject({ state: 'ACTIVE' })
    await harness.key({ revision: 2 })
    await harness.ask('POST', `/notification-channels/${data.id}/deliveries/${delivery?.id}/replay`)
    await receiver.until(1)
  })

  it('given secrets, when the channel is read and changed, then they are masked, kept, and nowhere in the log', async () => {
    const { harness, receiver, create, change, channel } = await open()
    const configuration = { url: receiver.url, headers: { authorization: 'Bearer abc' } }
    const { data, secret } = await create(configuration)
    expect(secret).toMatch(/^whsec_/)
    const masked = { url: receiver.url, headers: { authorization: '***' }, secret: '***' }
    expect(data.configuration).toEqual(masked)
    expect((await change(data.id, { configuration: masked, name: 'other' })).status).toBe(200)
    expect(await channel(data.id)).toMatchObject({ name: 'other', configuration: masked })
    const test = await harness.ask('POST', `/notification-channels/${data.id}/test`)
    expect(test.body.data).toMatchObject({ delivered: true, status: 204, message: 'The receiver took the message.' })
    expect(receiver.received[0]?.headers.authorization).toBe('Bearer abc')
    const { events } = await harness.store.readAll({ limit: 1_000 })
    const log = JSON.stringify(events)
    expect(log).not.toContain('Bearer abc')
    expect(log).not.toContain(secret?.slice(6))
  })

  it('given changes of a channel, then their public events say which settings and which fields of the configuration changed', async () => {
    const { harness, receiver, create, change } = await open()
    const { data } = await create({ url: receiver.url, headers: { authorization: 'Bearer abc' } })
    const masked = { url: receiver.url, headers: { authorization: '***' }, secret: '***' }
    await change(data.id, { configuration: masked, minSeverity: 'ERROR', digest: 'DAILY' })
    await change(data.id, { configuration: { ...masked, url: `${receiver.url}/other` } })
    await change(data.id, { configuration: { headers: { authorization: 'Bearer new' } } })
    const isChange = ({ type }: { type: string }) => type === 'io.assay.notification.ChannelChanged'
    const changes = await eventually(
      async () => (await harness.documents.find(publicEvents, 'default', { where: [], size: 100 })).documents,
      (kept) => kept.filter(isChange).length === 3,
    )
    const published = changes.filter(isChange).toSorted((a, b) => a.storedAt - b.storedAt)
    expect(published.map(({ event }) => event.data)).toMatchObject([
      {
        ...{ minSeverity: 'ERROR', digest: 'DAILY', kinds: null, changedConfiguration: [] },
        before: { minSeverity: null, digest: 'NONE' },
      },
      { changedConfiguration: ['url'] },
      { changedConfiguration: ['headers'] },
    ])
  })

  it('given a header named __proto__, then 400, at the creation and at a change', async () => {
    const { harness, receiver, create, change } = await open()
    const configuration = { url: receiver.url, headers: JSON.parse('{"__proto__": "x", "x-a": "b"}') }
    const { data } = await create({ url: receiver.url, headers: { 'x-a': 'b' } })
    const sent = { name: 'x', type: 'WEBHOOK', configuration }
    for (const { status, body } of [
      await harness.ask('POST', '/notification-channels', {}, sent),
      await change(data.id, { configuration }),
    ])
      expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining('headers.__proto__')])
  })

  it('given secrets, when another server is to get them, or a mask is sent as a secret, then 400', async () => {
    const { receiver, create, change, channel, harness } = await open()
    const { data } = await create({ url: receiver.url, headers: { authorization: 'Bearer abc' } })
    const url = 'http://127.0.0.1:1/elsewhere'
    for (const configuration of [{ url }, { url, headers: { authorization: '***' } }]) {
      const { status, body } = await change(data.id, { configuration })
      expect([status, body.errors[0].message]).toEqual([
        400,
        expect.stringContaining('configuration.headers.authorization'),
      ])
    }
    expect((await channel(data.id)).configuration).toEqual(data.configuration)
    expect((await change(data.id, { configuration: { url: `${receiver.url}/other` } })).status).toBe(200)
    const sent = { url, headers: { authorization: 'Bearer new' } }
    expect((await change(data.id, { configuration: sent })).status).toBe(200)
    const masked = { name: 'on call', type: 'PAGERDUTY', configuration: { routingKey: '***' } }
    expect((await harness.ask('POST', '/notification-channels', {}, masked)).status).toBe(400)
    const chat = { name: 'chat', type: 'SLACK', configuration: { url: `${receiver.url}/T0/secret` } }
    const { body } = await harness.ask('POST', '/notification-channels', {}, chat)
    expect((await change(body.data.id, { configuration: body.data.configuration })).status).toBe(200)
    expect((await change(body.data.id, { configuration: { url: 'http://127.0.0.1:1/***' } })).status).toBe(400)
  })

  it('given a mask for a header without a stored value, then 400 that names the header, at the creation and at a change', async () => {
    const { harness, receiver, create, change, channel } = await open()
    const { url } = receiver
    const bare = await create({ url })
    const { data } = await create({ url, headers: { authorization: 'Bearer abc' } })
    const masked = { url, headers: { 'X-New': '***', constructor: 'x' } }
    for (const { status, body } of [
      await harness.ask('POST', '/notification-channels', {}, { name: 'x', type: 'WEBHOOK', configuration: masked }),
      await change(bare.data.id, { configuration: masked }),
      await change(data.id, { configuration: { headers: { authorization: '***', 'X-New': '***' } } }),
    ])
      expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining('configuration.headers.X-New:')])
    expect((await change(data.id, { configuration: { headers: { constructor: '***' } } })).status).toBe(400)
    expect((await channel(data.id)).configuration).toEqual(data.configuration)
  })

  it.each([
    [{ url: 'https://a.test', headrs: {} }, 'configuration: "headrs" is not known here; did you mean "headers"?'],
    [{ url: 'https://a.test', colour: 'red' }, 'configuration: "colour" is not known here. Known fields: url, headers'],
  ])('given the configuration %j, then 400 that names the fields', async (configuration, sentence) => {
    const { harness } = await open()
    const sent = { name: 'a', type: 'WEBHOOK', configuration }
    const { status, body } = await harness.ask('POST', '/notification-channels', {}, sent)
    expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining(sentence)])
  })

  it('given filters, when they are null in a change, then the channel has none', async () => {
    const { create, change, channel } = await open()
    const { data } = await create(undefined, { kinds: ['ASSET_CHANGED'], minSeverity: 'ERROR' })
    await change(data.id, { name: 'other' })
    expect(await channel(data.id)).toMatchObject({ kinds: ['ASSET_CHANGED'], minSeverity: 'ERROR' })
    await change(data.id, { kinds: null, minSeverity: null })
    expect(await channel(data.id)).toMatchObject({ kinds: null, minSeverity: null })
  })

  it('given a shared channel, when another user stops sharing it, then 403', async () => {
    const { harness, create, change, channel } = await open()
    const { data } = await create(undefined, { shared: true })
    const other = { user: 'bob' }
    const { status } = await harness.ask('PUT', `/notification-channels/${data.id}`, other, { shared: false })
    expect(status).toBe(403)
    expect(await channel(data.id)).toMatchObject({ shared: true })
    expect((await change(data.id, { shared: false })).status).toBe(200)
  })

  it('given a rotation, then both secrets sign until the overlap ends, the new one first', async () => {
    const { harness, receiver, create } = await open()
    const { data, secret: old = '' } = await create()
    const path = `/notification-channels/${data.id}`
    const rotate = async (overlapSeconds: number) =>
      (await harness.ask('POST', `${path}/rotate`, {}, { overlapSeconds })).body.secret
    const test = () => harness.ask('POST', `${path}/test`)
    const second = await rotate(60)
    await test()
    harness.clock.time += 30_000
    const third = await rotate(60)
    await test()
    harness.clock.time += 30_001
    await test()
    const last = await rotate(0)
    await test()
    const signs = (secret: string, number: number) => {
      const { body: sent = '', headers = {} } = receiver.received[number] ?? {}
      const at = new Date(Number(headers['webhook-timestamp']) * 1_000)
      return new Webhook(secret).sign(headers['webhook-id'] ?? '', at, sent)
    }
    const signature = (number: number) => receiver.received[number]?.headers['webhook-signature']
    expect(signature(0)).toBe(`${signs(second, 0)} ${signs(old, 0)}`)
    expect(signature(1)).toBe(`${signs(third, 1)} ${signs(second, 1)} ${signs(old, 1)}`)
    expect(signature(2)).toBe(`${signs(third, 2)} ${signs(second, 2)}`)
    expect(signature(3)).toBe(signs(last, 3))
  })

  it('given filters, then only kinds and severities that pass are sent, and none to a disabled channel or before it was created', async () => {
    const { harness, receiver, create, states, facts } = await open()
    await facts()
    await eventually(
      () => harness.ask('GET', '/notifications'),
      ({ body }) => body.meta.count === 1,
    )
    harness.clock.time += 1_000
    const all = await create()
    const severe = await create({ url: receiver.url }, { minSeverity: 'WARNING' })
    const others = await create({ url: receiver.url }, { kinds: ['ASSET_DELETED'] })
    await create({ url: receiver.url }, { enabled: false })
    await facts()
    await states(all.data.id, 'DELIVERED')
    await states(severe.data.id)
    await states(others.data.id)
    expect(receiver.received).toHaveLength(1)
  })
})

describe('receivers that fail', () => {
  it.each([
    ['a bad status', 500, 'The receiver answered 500.'],
    ['a redirect', 302, 'The receiver answered 302.'],
  ])(
    'given %s, then it is retried with the same id and bytes, and the asset waits while others do not',
    async (_, status, error) => {
      const { harness, receiver, create, states, facts } = await open({ retries: [2, 10] })
      const { data } = await create()
      receiver.setAnswer((response, { body }) => {
        const isOther = JSON.parse(body).data.assetId !== 11
        response.writeHead(isOther ? 204 : status, { location: receiver.url }).end('text of the receiver')
      })
      await facts()
      await receiver.until(1)
      await facts()
      await facts(21)
      const [first] = await states(data.id, 'RETRYING', 'PENDING', 'DELIVERED')
      expect(first).toMatchObject({ attempts: [{ status, error }], nextAttemptAt: '2026-11-20T10:00:02.000Z' })
      receiver.setAnswer((response) => void response.writeHead(200).end())
      harness.clock.time += 2_000
      const [again] = await states(data.id, 'DELIVERED', 'DELIVERED', 'DELIVERED')
      expect(again?.attempts).toHaveLength(2)
      const [one, , two, three] = receiver.received
      expect(two?.body).toBe(one?.body)
      expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id'])
      expect(three && bodyOf(three).data.id).toBeGreaterThan(one && bodyOf(one).data.id)
    },
  )

  it('given no success after the last retry, then the delivery is parked, and a replay sends it again', async () => {
    const { harness, receiver, create, states, facts } = await open({ retries: [] })
    const { data } = await create()
    receiver.setAnswer((response) => void response.writeHead(503).end())
    await facts()
    const [parked] = await states(data.id, 'PARKED')
    receiver.setAnswer((response) => void response.writeHead(204).end())
    const path = `/notification-channels/${data.id}/deliveries/${parked?.id}/replay`
    expect((await harness.ask('POST', path)).body.data).toMatchObject({ id: parked?.id, status: 'PENDING' })
    const [sent] = await states(data.id, 'DELIVERED')
    expect(sent?.attempts.map(({ status }) => status)).toEqual([503, 204])
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body)
    expect((await harness.ask('POST', path, { user: 'bob' })).status).toBe(404)
  })

  it('given a mute of CHANNEL_PAUSED, when a channel is paused, then its owner finds the notification among the held ones', async () => {
    const { harness, receiver, create, states, facts } = await open()
    await harness.ask('POST', '/notification-mutes', {}, { kind: 'CHANNEL_PAUSED', until: '2099-01-01' })
    receiver.setAnswer((response) => void response.writeHead(410).end())
    const { data } = await create()
    await facts()
    await states(data.id, 'PARKED')
    const listed = async (query: string) =>
      (await harness.ask('GET', `/notifications?kind=CHANNEL_PAUSED${query}`)).body.data
    expect(
      await eventually(
        () => listed('&held=true'),
        ({ length }) => length === 1,
      ),
    ).toMatchObject([{ title: "Channel 'data team' was unsubscribed by its receiver", heldBy: 'MUTE' }])
    expect(await listed('')).toEqual([])
  })

  it('given failures in a row, then the channel is paused, its owner is notified, and resuming sends the parked deliveries', async () => {
    const { harness, receiver, create, states, facts, channel, change } = await open({
      retries: [2, 2, 2],
      pauseAfter: 2,
    })
    const { data } = await create({ url: receiver.url }, { kinds: ['ASSET_CHANGED'] })
    receiver.setAnswer((response) => void response.writeHead(500).end())
    await facts()
    await states(data.id, 'RETRYING')
    await facts()
    harness.clock.time += 2_400
    const parked = await states(data.id, 'PARKED', 'PARKED')
    expect(await channel(data.id)).toMatchObject({ state: 'PAUSED', stateReason: 'The receiver answered 500.' })
    for (const { id, attempts } of parked) {
      expect(attempts.at(-1)?.error).toBe(
        'Not sent, because the channel is PAUSED. It is sent when the channel is enabled.',
      )
      const replayed = await harness.ask('POST', `/notification-channels/${data.id}/deliveries/${id}/replay`)
      expect([replayed.status, replayed.text.includes('This channel is PAUSED')]).toEqual([422, true])
    }
    const answered = await eventually(
      async () => (await harness.ask('GET', '/notifications')).body.data,
      (rows: { kind: string }[]) => rows.some(({ kind }) => kind === 'CHANNEL_PAUSED'),
    )
    expect(answered).toContainEqual(
      expect.objectContaining({ kind: 'CHANNEL_PAUSED', title: "Channel 'data team' was paused", assetId: null }),
    )
    await facts(21)
    await states(data.id, 'PARKED', 'PARKED', 'PARKED')
    receiver.setAnswer((response) => void response.writeHead(204).end())
    await change(data.id, { enabled: true })
    await states(data.id, 'DELIVERED', 'DELIVERED', 'DELIVERED')
    expect((await channel(data.id)).state).toBe('ACTIVE')
    const page = await harness.deps.metrics.text()
    const attempts = (outcome: string) =>
      Number(
        new RegExp(`^assay_channel_attempts_total\\{channel="WEBHOOK",outcome="${outcome}"\\} (\\d+)$`, 'm').exec(
          page,
        )?.[1],
      )
    // One of each message after it was resumed; the others failed.
    expect(attempts('delivered')).toBe(3)
    expect(attempts('failed')).toBeGreaterThan(0)
    expect(page).toContain('assay_channel_attempt_duration_seconds_count{channel="WEBHOOK"}')
    expect(page).toMatch(/^assay_channel_parked_total\{reason="channel"\} [1-9]/m)
  })

  it('given 410, then the channel is unsubscribed', async () => {
    const { receiver, create, states, facts, channel } = await open()
    const { data } = await create()
    receiver.setAnswer((response) => void response.writeHead(410).end())
    await facts()
    await eventually(
      () => channel(data.id),
      ({ state }) => state === 'UNSUBSCRIBED',
    )
    const [parked] = await states(data.id, 'PARKED', 'PARKED')
    expect(parked?.attempts.map(({ status }) => status)).toEqual([410, null])
  })

  it('given Retry-After, then the whole channel waits that long, and says until when', async () => {
    const { harness, receiver, create, states, facts, channel } = await open()
    const { data } = await create()
    receiver.setAnswer((response) => void response.writeHead(429, { 'retry-after': '30' }).end())
    await facts()
    await states(data.id, 'RETRYING')
    await eventually(
      () => channel(data.id),
      ({ heldUntil }) => heldUntil === '2026-11-20T10:00:30.000Z',
    )
    receiver.setAnswer((response) => void response.writeHead(204).end())
    await facts(21)
    harness.clock.time += 5_000
    await states(data.id, 'RETRYING', 'PENDING')
    harness.clock.time += 25_000
    await states(data.id, 'DELIVERED', 'DELIVERED')
    expect(await channel(data.id)).toMatchObject({ state: 'ACTIVE', heldUntil: null })
  })

  it('given a receiver that limits its rate, then its refusals are no failures, and one message goes first after each wait', async () => {
    const { harness, receiver, create, states, facts, channel } = await open({ pauseAfter: 2 })
    const { data } = await create()
    const waitsUntil = (time: string) =>
      eventually(
        () => channel(data.id),
        ({ heldUntil }) => heldUntil === `2026-11-20T${time}.000Z`,
      )
    receiver.setAnswer((response) => void response.writeHead(429, { 'retry-after': '30' }).end())
    await facts()
    await waitsUntil('10:00:30')
    await facts(21)
    await states(data.id, 'RETRYING', 'PENDING')
    for (const time of ['10:01:00', '10:01:30', '10:02:00']) {
      harness.clock.time += 30_000
      await waitsUntil(time)
    }
    const [refused] = await states(data.id, 'RETRYING', 'PENDING')
    expect(refused?.attempts.map(({ at, status }) => [at.slice(11, 19), status])).toEqual([
      ['10:00:00', 429],
      ['10:00:30', 429],
      ['10:01:00', 429],
      ['10:01:30', 429],
    ])
    expect(await channel(data.id)).toMatchObject({ state: 'ACTIVE' })
    receiver.setAnswer((response) => void response.writeHead(204).end())
    harness.clock.time += 30_000
    await states(data.id, 'DELIVERED', 'DELIVERED')
  })

  it('given a receiver that only asks to wait, when all retries would be over, then the refusals are failures again', async () => {
    const { harness, receiver, create, states, facts, channel } = await open({ retries: [20, 20], pauseAfter: 2 })
    const { data } = await create({ url: receiver.url }, { kinds: ['ASSET_CHANGED'] })
    receiver.setAnswer((response) => void response.writeHead(503, { 'retry-after': '30' }).end())
    await facts()
    for (const attempts of [1, 2]) {
      await eventually(
        () => states(data.id, 'RETRYING'),
        ([waiting]) => waiting?.attempts.length === attempts,
      )
      harness.clock.time += 30_000
    }
    await states(data.id, 'PARKED')
    expect(await channel(data.id)).toMatchObject({ state: 'ACTIVE' })
    await facts(21)
    await states(data.id, 'PARKED', 'PENDING')
    harness.clock.time += 30_000
    await eventually(
      () => channel(data.id),
      ({ state }) => state === 'PAUSED',
    )
    await states(data.id, 'PARKED', 'PARKED')
  })

  it('given a channel that waits for its Retry-After, when it is enabled, then it is tried again now', async () => {
    const { harness, receiver, create, change, states, facts } = await open()
    const { data } = await create()
    receiver.setAnswer((response) => void response.writeHead(503, { 'retry-after': '3600' }).end())
    await facts()
    const [waiting] = await states(data.id, 'RETRYING')
    expect(waiting?.nextAttemptAt).toBe('2026-11-20T11:00:00.000Z')
    receiver.setAnswer((response) => void response.writeHead(204).end())
    harness.clock.time += 5_000
    expect((await change(data.id, { name: 'other' })).status).toBe(200)
    await states(data.id, 'RETRYING')
    expect((await change(data.id, { enabled: true })).status).toBe(200)
    await states(data.id, 'DELIVERED')
  })

  it('given a connection that ends in the body, then the status counts; if it ends before, it is retried', async () => {
    const { receiver, create, states, facts } = await open()
    const { data } = await create()
    receiver.setAnswer((response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('half', () => response.destroy())
    })
    await facts()
    await states(data.id, 'DELIVERED')
    receiver.setAnswer((response) => void response.destroy())
    await facts(21)
    const [, ended] = await states(data.id, 'DELIVERED', 'RETRYING')
    expect(ended?.attempts[0]?.error).toBe('The receiver closed the connection without an answer.')
  })

  it('given a receiver that never answers, then others get theirs meanwhile', async () => {
    const { receiver, create, states, facts } = await open()
    const slow = await openReceiver({ answer: () => undefined })
    opened.unshift(slow)
    const { data } = await create({ url: slow.url })
    const quick = await create({ url: receiver.url })
    await facts()
    await slow.until(1)
    await facts()
    await states(quick.data.id, 'DELIVERED', 'DELIVERED')
    await states(data.id, 'PENDING', 'PENDING')
  })
})
