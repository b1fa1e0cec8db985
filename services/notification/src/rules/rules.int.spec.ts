import {
  internalTopics,
  notificationRuleOperations as operations,
  type Permission,
  permissions,
} from '@assay/contracts'
import { documentPut } from '@assay/documents'
import { answerOf, eventually } from '@assay/hosting/testing'
import { openReceiver } from '@assay/testkit/receiver'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { notificationPolicies } from '../copies/targets.ts'
import { type Harness, openHarness, tableFixture, type Who } from '../testing/harness.ts'

let harness: Harness
let receiver: Awaited<ReturnType<typeof openReceiver>>
beforeEach(async () => {
  receiver = await openReceiver()
  harness = await openHarness()
  await harness.table(tableFixture({ assemblyId: 3, path: ['sales', 'orders.csv'] }))
})
afterEach(async () => {
  await harness.close()
  await receiver.close()
})

const post = (path: string, body: object, who?: Who) => harness.ask('POST', path, who, body)
const channel = async (name: string, more: object = { shared: true }, who?: Who) => {
  const sent = { name, type: 'WEBHOOK', configuration: { url: `${receiver.url}/${name}` }, ...more }
  const { status, body } = await post('/notification-channels', sent, who)
  expect(status, JSON.stringify(body)).toBe(200)
  return Number(body.data.id)
}
const rule = async (body: object) => {
  const { status, body: answer } = await post('/notification-rules', { name: 'a rule', ...body })
  expect(status, JSON.stringify(answer)).toBe(200)
  return answerOf(operations.createNotificationRule, answer).data
}
const dryRun = async (body: object) => {
  const { status, body: answer } = await post('/notification-rules/dry-run', body)
  expect(status, JSON.stringify(answer)).toBe(200)
  return answerOf(operations.dryRunNotificationRules, answer)
}
const run = (resultStatus: string, executionId: number) =>
  harness.event('execution.ExecutionFinished', {
    ...{ executionId, policyId: 7, policyName: 'orders are clean', policyType: 'DATA_QUALITY' },
    ...{ assetId: 11, assetUid: 'orders.csv', resultStatus, error: null },
  })
/** Paths and kinds that arrived. */
const arrived = () => receiver.received.map(({ path, body }) => `${path.split('/').at(-1)} ${JSON.parse(body).type}`)

describe('rules', () => {
  it('given rules that agree, then each shared channel gets a matching event once, and no list has it', async () => {
    const [errors, all] = [await channel('errors'), await channel('all')]
    await rule({ when: { minSeverity: 'ERROR', assemblyIds: [3] }, channelIds: [errors, all] })
    await rule({ when: { kinds: ['EXECUTION_ERRORED'] }, channelIds: [errors] })
    await rule({ when: { assemblyIds: [4] }, channelIds: [errors] })
    await rule({ enabled: false, when: {}, channelIds: [errors] })
    await rule({ when: {}, channelIds: [all] })
    await run('WARNING', 1)
    await run('ERRORED', 2)
    await receiver.until(3)
    expect(arrived().toSorted()).toEqual(['all EXECUTION_ERRORED', 'all EXECUTION_WARNING', 'errors EXECUTION_ERRORED'])
    expect(JSON.parse(receiver.received[0]?.body ?? '').data).toMatchObject({ id: null, policyId: 7, assetId: 11 })
    expect((await harness.ask('GET', '/notifications')).body.data).toEqual([])
    const { body } = await harness.ask('GET', `/notification-channels/${errors}/deliveries`)
    expect(body.data).toMatchObject([{ notificationId: null, kind: 'EXECUTION_ERRORED' }])
  })

  it('given tags and owners, then events of assets with one of them match, and others do not', async () => {
    await harness.publish(internalTopics.tags, {
      ...{ kind: 'tag', revision: 0, tagId: 5, name: 'pii', protected: false, mergedIntoId: null },
    })
    const association = { kind: 'association', revision: 0, associationId: 9, tagId: 5, assetId: 11, tableId: 11 }
    await harness.publish(internalTopics.tags, { ...association, present: true })
    const settings = { revision: 0, assetId: 11, timeZone: null, freshnessColumn: null, referenceAssetId: null }
    await harness.publish(internalTopics.assetSettings, { ...settings, owners: ['ann', 'bob'] })
    const id = await channel('some')
    const [tagged, owned] = [
      await rule({ when: { tags: ['pii', 'other'] }, channelIds: [id] }),
      await rule({ when: { owners: ['bob'], minSeverity: 'ERROR' }, channelIds: [id] }),
    ]
    await rule({ when: { tags: ['other'], owners: ['bob'] }, channelIds: [id] })
    const because = async (rules: object[], kind = 'EXECUTION_ERRORED') =>
      (await dryRun({ kind, assetId: 11, rules })).map((each) => each.because.ruleId)
    expect(await because([tagged])).toEqual([tagged.id])
    expect(await because([owned])).toEqual([owned.id])
    expect(await because([owned], 'ASSET_CHANGED')).toEqual([])
    expect(await because([{ when: { tags: ['other'], owners: ['bob'] }, channelIds: [id] }])).toEqual([])
    expect(await dryRun({ kind: 'CRAWL_FAILED', rules: [tagged] })).toEqual([])
  })

  it('given a rule of a tag, when an asset is tagged and the tag is not in the local read model, then the rule sends it', async () => {
    await rule({ when: { tags: ['rust'] }, channelIds: [await channel('rusty')] })
    await harness.event('catalog.AssetTagAdded', { assetId: 11, uid: 'orders.csv', tagId: 5, tagName: 'rust' })
    await receiver.until(1)
    expect(arrived()).toEqual(['rusty TAGS_CHANGED'])
  })

  it('given notificationChannels of a policy or an asset, then runs and incidents go to its groups, errors as CRITICAL', async () => {
    const [errors, warnings] = [await channel('errors'), await channel('warnings')]
    const configuration = { routingKey: 'R0', url: `${receiver.url}/pager` }
    const pager = await channel('pager', { shared: true, type: 'PAGERDUTY', configuration })
    const copied = (configuredNotificationGroupIds: number[], more: object) => ({
      configuredNotificationGroupIds,
      ...more,
    })
    const source = { revision: 0, position: '0' }
    const notificationChannels = copied([errors, pager], { notifyOn: ['ERROR'], severity: 'CRITICAL' })
    const policy = {
      policyId: 7,
      name: 'orders are clean',
      assetId: 11,
      tags: ['sales'],
      passes: null,
      rightAssetId: null,
      position: '0',
      notificationChannels,
    }
    await harness.documents.put([documentPut(notificationPolicies, 'default', 7, policy, source)])
    const ofAsset = { revision: 0, assetId: 11, timeZone: null, freshnessColumn: null, referenceAssetId: null }
    const channels = copied([warnings], { notifyOn: ['WARNING', 'SUCCESS'] })
    await harness.publish(internalTopics.assetSettings, { ...ofAsset, notificationChannels: channels })
    await run('WARNING', 1)
    await run('ERRORED', 2)
    await harness.event('execution.IncidentOpened', {
      ...{ incidentId: 1, policyId: 7, policyName: 'orders are clean', assetId: 11, assetUid: 'orders.csv' },
      ...{ verdict: 'ERRORED', executionId: 1, count: 1 },
    })
    harness.clock.time += 1
    await run('SUCCESSFUL', 3)
    await receiver.until(4)
    const got = receiver.received.map(({ path, body }) => [path.split('/').at(-1), JSON.parse(body)])
    const of = (name: string) => got.filter(([to]) => to === name).map(([, body]) => body)
    expect(of('errors')).toMatchObject([{ type: 'EXECUTION_ERRORED', data: { severity: 'CRITICAL' } }])
    expect(of('warnings').map(({ type }) => type)).toEqual(['EXECUTION_WARNING', 'EXECUTION_RECOVERED'])
    expect(of('pager')).toMatchObject([{ event_action: 'trigger', payload: { severity: 'critical' } }])
    const tagged = { when: { tags: ['sales'], minSeverity: 'CRITICAL' }, channelIds: [errors] }
    const routes = await dryRun({ kind: 'EXECUTION_ERRORED', policyId: 7, rules: [tagged] })
    expect(routes).toMatchObject([{ channelId: errors, because: { type: 'RULE' } }])
  })

  it('given one crawl that changes many assets, then a rule sends one message with the count', async () => {
    await rule({ when: {}, channelIds: [await channel('all')] })
    for (const assetId of [11, 21])
      await harness.event('catalog.AssetFactsObserved', { assetId, uid: `t${assetId}`, crawlId: 4 })
    await harness.event('catalog.CrawlFinished', { crawlId: 4, assemblyId: 3 })
    harness.clock.time += 1_001
    await receiver.until(1)
    expect(JSON.parse(receiver.received[0]?.body ?? '').data).toMatchObject({ count: 2, kind: 'ASSET_CHANGED' })
  })

  it('given a watch, rules and mutes, then a dry run answers what would be sent, why, and what holds it', async () => {
    await harness.key({ user: 'bob' })
    await harness.ask('POST', '/assets/11/watch', { user: 'bob' })
    const own = await channel('bobs', {}, { user: 'bob' })
    await channel('bobs deletions', { kinds: ['ASSET_DELETED'] }, { user: 'bob' })
    const id = await channel('team')
    const { id: ruleId } = await rule({ when: { minSeverity: 'ERROR' }, channelIds: [id] })
    const { data } = (await harness.ask('GET', '/watches', { user: 'bob' })).body
    const watch = {
      recipient: 'bob',
      channelId: null,
      channelName: null,
      because: { type: 'WATCH', watchId: data[0].id },
    }
    const team = {
      recipient: null,
      channelId: id,
      channelName: 'team',
      because: { type: 'RULE', ruleId },
      heldBy: null,
    }
    const about = { kind: 'EXECUTION_ERRORED', assetId: 11 }
    expect(await dryRun(about)).toEqual([{ ...watch, heldBy: null }, team])
    const shownToBob = { ...watch, channelId: own, channelName: 'bobs', heldBy: null }
    expect((await post('/notification-rules/dry-run', about, { user: 'bob' })).body).toEqual([shownToBob, team])
    await post('/notification-mutes', { assetId: 11, until: '2099-01-01' }, { user: 'bob' })
    expect(await dryRun(about)).toEqual([{ ...watch, heldBy: 'MUTE' }, team])
    expect(await dryRun({ ...about, severity: 'WARNING' })).toEqual([{ ...watch, heldBy: 'MUTE' }])
    expect(await dryRun({ ...about, rules: [] })).toHaveLength(1)
    expect(await dryRun({ kind: 'MENTIONED', assetId: 11 })).toEqual([])
    expect(receiver.received).toEqual([])
    expect((await post('/notification-rules/dry-run', { ...about, assetId: 999 })).status).toBe(404)
  })

  it('given a channel that is disabled and one that parks, then a dry run leaves out the one and says it of the other', async () => {
    await harness.ask('POST', '/assets/11/watch')
    const own = await channel('own', {})
    const id = await channel('team')
    await rule({ channelIds: [id] })
    await harness.ask('PUT', `/notification-channels/${own}`, {}, { enabled: false })
    receiver.setAnswer((response) => void response.writeHead(410).end())
    await run('ERRORED', 1)
    await receiver.until(1)
    const routes = await eventually(
      () => dryRun({ kind: 'EXECUTION_ERRORED', assetId: 11 }),
      ([first]) => first?.heldBy !== null,
    )
    expect(routes).toMatchObject([{ channelId: id, heldBy: 'UNSUBSCRIBED' }])
  })

  it('given owners of channels without a key that may read it, then a dry run leaves their channels out', async () => {
    await harness.ask('POST', '/assets/11/watch', { user: 'bob' })
    await channel('bobs', {}, { user: 'bob' })
    const configuration = { apiKey: 'k', url: receiver.url }
    await channel('alerts', { type: 'OPSGENIE', configuration }, { user: 'bob' })
    const recipients = async (kind: string) =>
      (await dryRun({ kind, assetId: 11 })).map(({ recipient, because }) => [recipient, because.type])
    await harness.key({ user: 'bob', permissions: ['NOTIFICATION_VIEW', 'POLICY_VIEW'] })
    expect([await recipients('ASSET_CHANGED'), await recipients('INCIDENT_OPENED')]).toEqual([[], []])
    await harness.key({ user: 'bob', revision: 1, permissions: ['NOTIFICATION_VIEW', 'ASSET_VIEW'] })
    expect(await recipients('ASSET_CHANGED')).toEqual([['bob', 'WATCH']])
    expect(await recipients('INCIDENT_OPENED')).toEqual([['bob', 'INCIDENT']])
  })

  it('given keys that may not read assets or policies, then they neither try nor write rules about them', async () => {
    const id = await channel('team')
    const { id: ruleId } = await rule({ channelIds: [id] })
    const dryRunAs = async (body: object, ...more: Permission[]) => {
      const who = { permissions: ['TENANT_MODIFY' as const, ...more] }
      return (await post('/notification-rules/dry-run', { kind: 'ASSET_CHANGED', ...body }, who)).status
    }
    for (const each of [11, 999]) {
      expect(await dryRunAs({ assetId: each }, 'POLICY_VIEW')).toBe(403)
      expect(await dryRunAs({ policyId: each }, 'ASSET_VIEW')).toBe(403)
      expect(await dryRunAs({ policyId: each }, 'POLICY_VIEW')).toBe(403)
    }
    expect([await dryRunAs({}), await dryRunAs({ assetId: 11 }, 'ASSET_VIEW')]).toEqual([200, 200])
    for (const lacking of ['ASSET_VIEW', 'POLICY_VIEW']) {
      const who = { permissions: permissions.filter((each) => each !== lacking) }
      expect((await post('/notification-rules', { name: 'x', channelIds: [id] }, who)).status).toBe(403)
      expect((await harness.ask('PUT', `/notification-rules/${ruleId}`, who, { name: 'x' })).status).toBe(403)
      expect((await harness.ask('GET', `/notification-rules/${ruleId}`, who)).status).toBe(200)
    }
  })

  it('given a rule whose channels are deleted or no longer shared, then it lists them, and cannot be sent with them', async () => {
    const [stays, ends, hides] = [await channel('stays'), await channel('ends'), await channel('hides')]
    const { id, missingChannelIds } = await rule({ channelIds: [stays, ends, hides] })
    expect(missingChannelIds).toEqual([])
    await harness.ask('DELETE', `/notification-channels/${ends}`)
    await harness.ask('PUT', `/notification-channels/${hides}`, {}, { shared: false })
    const path = `/notification-rules/${id}`
    const { body } = await harness.ask('GET', path)
    expect(body.data).toMatchObject({ channelIds: [stays, ends, hides], missingChannelIds: [ends, hides] })
    expect((await harness.ask('GET', '/notification-rules')).body.data).toEqual([body.data])
    expect((await harness.ask('PUT', path, {}, body.data)).status).toBe(422)
    const changed = await harness.ask('PUT', path, {}, { ...body.data, channelIds: [stays] })
    expect(changed.body.data).toMatchObject({ channelIds: [stays], missingChannelIds: [] })
  })

  it('given the life of a rule, then it is listed, merged and deleted, and only with TENANT_MODIFY', async () => {
    const id = await channel('team')
    const made = await rule({ name: 'first', when: { kinds: ['CRAWL_FAILED'] }, channelIds: [id] })
    const path = `/notification-rules/${made.id}`
    const { body } = await harness.ask('PUT', path, {}, { enabled: false })
    expect(body.data).toEqual({ ...made, enabled: false })
    harness.clock.time += 1
    expect((await harness.ask('PUT', path, {}, body.data)).body).toEqual(body)
    expect((await harness.ask('GET', '/notification-rules')).body).toMatchObject({
      data: [body.data],
      meta: { count: 1 },
    })
    const who = { permissions: ['NOTIFICATION_VIEW' as const, 'NOTIFICATION_MODIFY' as const] }
    expect((await harness.ask('GET', path, who)).status).toBe(200)
    expect((await harness.ask('DELETE', path, who)).status).toBe(403)
    expect((await harness.ask('GET', path, { tenant: 'other' })).status).toBe(404)
    expect((await harness.ask('DELETE', path)).status).toBe(204)
    expect((await harness.ask('GET', path)).status).toBe(404)
    const notShared = await channel('own', {})
    for (const channelIds of [[notShared], [999]]) {
      const created = await post('/notification-rules', { name: 'x', channelIds })
      const tried = await post('/notification-rules/dry-run', { kind: 'CRAWL_FAILED', rules: [{ channelIds }] })
      expect([created.status, tried.status, tried.text]).toEqual([422, 422, created.text])
    }
    for (const bad of [
      { channelIds: [] },
      { channelIds: [id], when: { kind: 'X' } },
      { channelIds: [id], when: { kinds: ['X'] } },
      { channelIds: [id], wehn: { kinds: ['CRAWL_FAILED'] } },
      { channelIds: [id], note: 'x' },
      { channelIds: [id, id] },
      { channelIds: [id], name: ' ' },
      ...['DIGEST', 'MENTIONED', 'TEST', 'CHANNEL_PAUSED'].map((kind) => ({
        channelIds: [id],
        when: { kinds: [kind] },
      })),
    ]) {
      const sent = { name: 'x', ...bad }
      const tried = { kind: 'CRAWL_FAILED', rules: [sent] }
      const answers = [
        await post('/notification-rules', sent),
        await harness.ask('PUT', path, {}, bad),
        await post('/notification-rules/dry-run', tried),
      ]
      expect([bad, ...answers.map(({ status }) => status)]).toEqual([bad, 400, 400, 400])
    }
    const personal = await post('/notification-rules', { name: 'x', channelIds: [id], when: { kinds: ['DIGEST'] } })
    expect(personal.text).toContain('is not sent by rules')
  })

  it('given a shared channel, then only rules feed it, whoever created it, and its creation needs TENANT_MODIFY', async () => {
    await harness.ask('POST', '/assets/11/watch')
    const id = await channel('team')
    await harness.key({ revision: 1, isActive: false })
    await run('ERRORED', 1)
    await rule({ when: {}, channelIds: [id] })
    await run('WARNING', 2)
    await receiver.until(1)
    expect(arrived()).toEqual(['team EXECUTION_WARNING'])
    await eventually(
      () => harness.ask('GET', `/notification-channels/${id}/deliveries`),
      ({ body }) => body.data[0]?.status === 'DELIVERED',
    )
    const bob = { user: 'bob', permissions: ['NOTIFICATION_MODIFY' as const, 'NOTIFICATION_VIEW' as const] }
    const sent = { name: 'x', type: 'WEBHOOK', configuration: { url: receiver.url }, shared: true }
    expect((await post('/notification-channels', sent, bob)).status).toBe(403)
    expect((await harness.ask('GET', `/notification-channels/${id}`, bob)).status).toBe(404)
  })

  it('given a failed crawl, then a dry run takes its assembly, and neither an asset nor a policy', async () => {
    const assembly = { revision: 0, assemblyId: 3, name: 'sales', autoAnomaly: false, isDeleted: false }
    await harness.publish(internalTopics.assemblies, assembly)
    await channel('own', { shared: false })
    const watched = await post('/watches', { assemblyId: 3 })
    await post('/assets/11/watch', {})
    expect(await dryRun({ kind: 'CRAWL_FAILED', assemblyId: 3 })).toMatchObject([
      { recipient: 'ann', because: { type: 'WATCH', watchId: watched.body.data.id } },
    ])
    const status = async (body: object, who?: Who) => (await post('/notification-rules/dry-run', body, who)).status
    expect(await status({ kind: 'CRAWL_FAILED', assetId: 11 })).toBe(400)
    expect(await status({ kind: 'ASSET_CHANGED', assemblyId: 3 })).toBe(400)
    expect(await status({ kind: 'CRAWL_FAILED', assemblyId: 99 })).toBe(404)
  })
})
