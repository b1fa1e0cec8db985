import { policyKinds } from '../http-suite/policy-bodies.ts'
import { type Caller, idOf } from './caller.ts'

/** Crawls both sources and records their assets. */
export async function crawl({ eventually, poll, facts }: Caller): Promise<void> {
  await eventually('testAssembly')
  facts.assemblyName = 'samples'
  facts.assemblyId = String((await eventually('createAssembly')).data.id)
  facts.warehouseId = String(
    (await eventually('createAssembly', { assemblyName: 'warehouse', samples: `${facts.warehouse}` })).data.id,
  )
  const assetOf = async (uid: string) =>
    String((await poll('getAssetByUid', { uid }, ({ data }) => data !== undefined)).data.id)
  facts.assetUid = 'samples.movies.json'
  facts.assetId = await assetOf(facts.assetUid)
  facts.weatherId = await assetOf('samples.seattle-weather.csv')
  facts.flightsId = await assetOf('samples.flights-3m.parquet')
  await assetOf('warehouse.seattle-weather.csv')
  const { data } = await poll('listCrawls', { id: facts.assemblyId }, (crawls) => crawls.data[0]?.status !== 'RUNNING')
  facts.crawlId = String(data[0].id)
}

/** Annotations and settings of an asset, its profile and sample. */
export async function annotate({ recorder, call, eventually, poll, facts }: Caller): Promise<void> {
  await eventually('watchAsset')
  facts.channelId = String((await call('createNotificationChannel')).data.id)
  const onCall = {
    name: 'on call',
    type: 'PAGERDUTY',
    configuration: { routingKey: 'R03B5' },
    enabled: false,
    shared: true,
  }
  const { data: shared } = await recorder.call('createNotificationChannel', { body: onCall })
  facts.sharedChannelId = String(shared.id)
  facts.notificationRuleId = String((await call('createNotificationRule')).data.id)
  facts.commentId = String((await call('addAssetComment')).id)
  facts.intoTagId = facts.tagId = String((await call('addAssetTag')).tagId)
  facts.watchId = String((await eventually('createWatch')).data.id)
  facts.muteId = String((await call('createNotificationMute')).data.id)
  const { key, values } = await call('createTagKey')
  facts.tagKeyId = key.id
  facts.tagValueId = values[0].keyValueId
  facts.variableId = String((await call('createAssetUdfVariable')).id)
  facts.templateId = String((await call('createUdfTemplate')).id)
  facts.validationId = (await eventually('validateUdfTemplateAsync')).requestId
  facts.storageId = String((await call('createPersistenceConfig')).id)
  facts.viewId = String((await call('createSqlView')).data.customAsset.id)
  facts.requestId = (await eventually('requestAssetSampleAsync')).requestId
  for (const assetId of [`${facts.assetId}`, `${facts.weatherId}`]) {
    const { data } = await eventually('startProfile', { assetId })
    facts.profileId ??= String(data.id)
    const params = { id: assetId, profileId: String(data.id) }
    await poll('getProfile', params, ({ profileRequest }) => profileRequest.status !== 'IN_PROGRESS')
  }
  const suggestions = await call('listSuggestions')
  facts.suggestionIds = JSON.stringify(suggestions.slice(0, 2).map(({ id }: { id: string }) => id))
  await eventually('acceptSuggestions')
  const { assetConfiguration } = await eventually('updateReferenceConfigurationByUid')
  facts.jobId = String(assetConfiguration.assetReferenceValidationJob.id)
}

/** A policy of each kind, run three times: drift and anomalies need a history. */
export async function runPolicies({ call, eventually, poll, facts }: Caller): Promise<void> {
  const ended = (kind: string, id: string) =>
    poll(
      idOf('GET', `/rules/${kind}/executions/{id}/result`),
      { id },
      ({ execution }) => execution.executionStatus !== 'RUNNING',
    )
  const event = call('streamEvents')
  for (const kind of policyKinds) {
    const { rule } = await eventually(idOf('POST', `/rules/${kind}`))
    facts[`${kind}Id`] = String(rule.id)
    facts[`${kind}Name`] = rule.name
    for (const path of ['{id}', 'byName/{name}', '{id}']) {
      const started = await eventually(idOf('POST', `/rules/${kind}/${path}/executions`))
      if (!started) continue
      facts[`${kind}ExecutionId`] = String(started.execution.id)
      await ended(kind, String(started.execution.id))
    }
  }
  await ended('data-quality', String((await eventually('startByWebhook')).execution.id))
  await event
  facts.executionId = `${facts['data-qualityExecutionId']}`
  const incidents = await poll('listIncidents', {}, ({ meta }) => meta.count > 0)
  facts.incidentId = String(incidents.data.at(-1).id)
  const { data } = await poll('listNotifications', {}, ({ meta }) => meta.count > 0)
  facts.notificationId = String(data[0].id)
  await call('listNotifications')
  const { data: sent } = await poll(
    'listNotificationDeliveries',
    { id: `${facts.channelId}` },
    ({ meta }) => meta.count > 0,
  )
  facts.deliveryId = sent[0].id
}

/** Keys, and a service user. */
export async function createKeys({ call, facts }: Caller): Promise<void> {
  facts.userName = 'nightly-loader'
  facts.serviceUserId = (await call('createServiceUser')).id
  await call('addServiceUserRoles')
  facts.accessKey = (await call('createServiceUserKey')).accessKey
  const { accessKey } = await call('createApiKey')
  await call('rotateApiKey', { accessKey })
  facts.dashboardKey = accessKey
}
