import { internalTopics } from '@assay/contracts'
import { documentPut } from '@assay/documents'
import { createCommandHandler } from '@assay/event-store'
import { eventually } from '@assay/hosting/testing'
import { openReceiver } from '@assay/testkit/receiver'
import { afterEach, describe, expect, it } from 'vitest'
import { notificationPolicies } from '../copies/targets.ts'
import { notifications } from '../notification/aggregate.ts'
import { createRetention } from '../retention/retention.ts'
import { openHarness } from '../testing/harness.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
})

async function open() {
  const receiver = await openReceiver({ answer: (response) => void response.writeHead(202).end() })
  opened.push(receiver)
  const harness = await openHarness()
  opened.push(harness)
  const post = (path: string, body?: object) => harness.ask('POST', path, {}, body)
  const create = async (type: string, configuration: object, more: object = {}) =>
    (await post('/notification-channels', { name: 'on-call', type, configuration, ...more })).body.data
  const incident = (type: string, changes: object = {}, subject = 'orders.csv') =>
    harness.event(`execution.Incident${type}`, {
      ...{ incidentId: 8, policyId: 7, policyName: 'orders are clean', assetId: 11, assetUid: subject },
      ...{ verdict: 'ERRORED', executionId: 9, count: 1, ...changes },
    })
  return { harness, receiver, create, incident, post }
}

describe('channels that alert', () => {
  it('given PagerDuty, when an incident opens, worsens and recovers, then its alert is triggered and resolved by one key', async () => {
    const { receiver, create, incident, harness } = await open()
    const url = receiver.url
    const made = await create('PAGERDUTY', { routingKey: 'R0123', url }, { minSeverity: 'WARNING' })
    expect(made.configuration).toEqual({ routingKey: '***', url })
    await harness.event('catalog.AssetTagAdded', { assetId: 11, uid: 'orders.csv', tagId: 5, tagName: 'pii' })
    await incident('Opened', { verdict: 'WARNING' })
    await receiver.until(1)
    await incident('Worsened', { count: 2 })
    await receiver.until(2)
    await incident('Recovered', { count: 2 })
    await receiver.until(3)
    const [trigger, worse, resolve] = receiver.received.map(({ body }) => JSON.parse(body))
    expect(trigger).toEqual({
      routing_key: 'R0123',
      event_action: 'trigger',
      dedup_key: 'assay-default-8',
      payload: {
        ...{ summary: 'Incident 8 of orders are clean on orders.csv opened', source: 'assay', severity: 'warning' },
        timestamp: '2026-11-20T10:00:00.000Z',
        custom_details: { text: expect.any(String), assetId: 11, policyId: 7, executionId: 9 },
      },
      links: [{ href: 'https://assay.test/catalog-server/api/incidents/8', text: 'Open in Assay' }],
    })
    expect(worse).toMatchObject({ dedup_key: 'assay-default-8', payload: { severity: 'error' } })
    expect(resolve).toEqual({ routing_key: 'R0123', event_action: 'resolve', dedup_key: 'assay-default-8' })
    const sent = await eventually(
      () => harness.ask('GET', `/notification-channels/${made.id}/deliveries?status=DELIVERED`),
      ({ body }) => body.meta.count === 3,
    )
    expect(sent.body.data[0]).toMatchObject({ kind: 'INCIDENT_RECOVERED', notificationId: null })
    // The list has what is watched only.
    expect((await harness.ask('GET', '/notifications')).body.data).toEqual([])
  })

  it('given Opsgenie, when an incident opens and somebody closes it, then its alert is created and closed by its alias', async () => {
    const { receiver, create, incident, post } = await open()
    const made = await create('OPSGENIE', { apiKey: 'k-1', url: `http://127.0.0.1:${receiver.port}` })
    await incident('Opened')
    await receiver.until(1)
    await incident('Closed', {})
    await receiver.until(2)
    const [opening, closing] = receiver.received
    expect(opening).toMatchObject({ path: '/v2/alerts', headers: { authorization: 'GenieKey k-1' } })
    expect(JSON.parse(opening?.body ?? '')).toEqual({
      ...{ message: 'Incident 8 of orders are clean on orders.csv opened', alias: 'assay-default-8' },
      ...{ description: expect.stringContaining('/incidents/8'), priority: 'P2', source: 'assay' },
    })
    expect(closing?.path).toBe('/v2/alerts/assay-default-8/close?identifierType=alias')
    const test = await post(`/notification-channels/${made.id}/test`)
    expect(test.body.data).toMatchObject({ delivered: true, status: 202 })
    await receiver.until(4)
    expect(receiver.received.slice(2).map(({ path }) => path)).toEqual([
      '/v2/alerts',
      '/v2/alerts/assay-test/close?identifierType=alias',
    ])
  })

  it('given filters and mutes of the owner, then alerts that they hold are not sent, but their end is', async () => {
    const { harness, receiver, create, incident, post } = await open()
    await create('PAGERDUTY', { routingKey: 'severe', url: receiver.url }, { minSeverity: 'ERROR' })
    await incident('Opened', { verdict: 'WARNING' })
    await incident('Recovered', { verdict: 'WARNING' })
    await incident('Opened', { incidentId: 20 })
    await receiver.until(1)
    await post('/notification-mutes', { kind: 'INCIDENT_OPENED', until: '2099-01-01' })
    await incident('Opened', { incidentId: 21 })
    await harness.event('execution.IncidentAcknowledged', {})
    await incident('Recovered', { incidentId: 20 })
    await receiver.until(2)
    expect(receiver.received.map(({ body }) => JSON.parse(body)).map((of) => [of.event_action, of.dedup_key])).toEqual([
      ['trigger', 'assay-default-20'],
      ['resolve', 'assay-default-20'],
    ])
  })

  it('given alerts by severity, rules and settings, when these change before the incidents end, then each alert is resolved, and no other', async () => {
    const { harness, receiver, create, incident, post } = await open()
    const url = receiver.url
    const put = (path: string, body: object) => harness.ask('PUT', path, {}, body)
    const setPolicy = (revision: number, notificationChannels: Record<string, unknown>) => {
      const policy = {
        policyId: 7,
        name: 'orders are clean',
        assetId: 11,
        tags: [],
        passes: null,
        rightAssetId: null,
        position: '0',
        notificationChannels,
      }
      const source = { revision, position: `${revision}` }
      return harness.documents.put([documentPut(notificationPolicies, 'default', 7, policy, source)])
    }
    const own = await create('PAGERDUTY', { routingKey: 'own', url }, { minSeverity: 'CRITICAL' })
    const [ruled, fed] = [
      await create('PAGERDUTY', { routingKey: 'ruled', url }, { shared: true }),
      await create('PAGERDUTY', { routingKey: 'fed', url }, { shared: true }),
    ]
    await create('PAGERDUTY', { routingKey: 'none', url }, { shared: true })
    const rule = await post('/notification-rules', {
      ...{ name: 'r', when: { minSeverity: 'CRITICAL' }, channelIds: [ruled.id] },
    })
    const actions = () =>
      receiver.received.map(({ body }) => JSON.parse(body)).map((of) => `${of.routing_key} ${of.event_action}`)
    const fedOnly = { configuredNotificationGroupIds: [fed.id], notifyOn: ['WARNING'] }
    await setPolicy(0, { configuredNotificationGroupIds: [fed.id], severity: 'CRITICAL' })
    await incident('Opened')
    await receiver.until(3)
    await incident('Recovered')
    await receiver.until(6)
    expect(actions().slice(3).toSorted()).toEqual(['fed resolve', 'own resolve', 'ruled resolve'])
    await incident('Opened', { incidentId: 20 })
    await receiver.until(9)
    // It would not go to any of them any more.
    await setPolicy(1, fedOnly)
    await put(`/notification-channels/${own.id}`, { kinds: ['TEST'] })
    await put(`/notification-rules/${rule.body.data.id}`, { enabled: false })
    await incident('Closed', { incidentId: 20 })
    await receiver.until(12)
    expect(actions().slice(9).toSorted()).toEqual(['fed resolve', 'own resolve', 'ruled resolve'])
    await incident('Opened', { incidentId: 21, verdict: 'WARNING' })
    await receiver.until(13)
    await incident('Worsened', { incidentId: 21 })
    await put(`/notification-channels/${fed.id}`, { enabled: false })
    await incident('Recovered', { incidentId: 21 })
    await eventually(
      () => harness.ask('GET', `/notification-channels/${fed.id}/deliveries?status=PARKED`),
      ({ body }) => body.meta.count === 1,
    )
    await put(`/notification-channels/${fed.id}`, { enabled: true })
    await receiver.until(14)
    expect(actions().slice(12)).toEqual(['fed trigger', 'fed resolve'])
  })

  it('given alerts, when the verdict comes to depend on protected columns, then the end resolves them, and reaches nobody else', async () => {
    const { harness, receiver, create, incident, post } = await open()
    const url = receiver.url
    await create('PAGERDUTY', { routingKey: 'own', url })
    const hook = await create('WEBHOOK', { url }, { shared: true })
    await incident('Opened')
    await receiver.until(1)
    await post('/notification-rules', { name: 'r', when: {}, channelIds: [hook.id] })
    await create('PAGERDUTY', { routingKey: 'later', url })
    await post('/notification-mutes', { kind: 'INCIDENT_OPENED', until: '2099-01-01' })
    await incident('Opened', { incidentId: 20, policyId: 17 })
    await receiver.until(2)
    const end = (incidentId: number) =>
      harness.publish(internalTopics.incidentEnds, { incidentId, policyId: 7, assetId: 11 })
    await end(20)
    await end(99)
    await end(8)
    await receiver.until(3)
    await incident('Opened', { incidentId: 21, assetUid: 'last.csv' })
    await receiver.until(4)
    const bodies = receiver.received.map(({ body }) => JSON.parse(body))
    expect(
      bodies.map((of) => (of.routing_key ? `${of.routing_key} ${of.event_action} ${of.dedup_key}` : of.type)),
    ).toEqual(['own trigger assay-default-8', 'INCIDENT_OPENED', 'own resolve assay-default-8', 'INCIDENT_OPENED'])
  })

  it('given that the end of an incident arrives before its beginning, then each alert is resolved after it was sent', async () => {
    const { harness, receiver, create, incident } = await open()
    await create('PAGERDUTY', { routingKey: 'own', url: receiver.url })
    await harness.publish(internalTopics.incidentEnds, { incidentId: 8, policyId: 7, assetId: 11 })
    await incident('Opened')
    await receiver.until(2)
    await incident('Worsened')
    await receiver.until(4)
    const actions = receiver.received.map(({ body }) => JSON.parse(body)).map((of) => [of.event_action, of.dedup_key])
    const alert = ['trigger', 'assay-default-8']
    const end = ['resolve', 'assay-default-8']
    expect(actions).toEqual([alert, end, alert, end])
  })

  it('given an incident that is open for longer than notifications are kept, when it ends, then its alert is resolved', async () => {
    const { harness, receiver, create, incident } = await open()
    await create('PAGERDUTY', { routingKey: 'own', url: receiver.url })
    const commands = createCommandHandler(harness.deps)
    const retention = createRetention({ ...harness.deps, commands })
    const rows = async () => (await harness.documents.find(notifications, 'default', { size: 0 })).count
    const days = (count: number) => count * 24 * 3_600_000
    await incident('Opened')
    await receiver.until(1)
    harness.clock.time += days(91)
    await harness.key({ revision: 1 })
    await retention.once()
    await incident('Closed')
    await receiver.until(2)
    expect(JSON.parse(receiver.received[1]?.body ?? '')).toMatchObject({ event_action: 'resolve' })
    await retention.once()
    expect(await rows()).toBe(1)
    harness.clock.time += days(91)
    await retention.once()
    expect(await rows()).toBe(0)
  })
})
