import { policyKinds } from '../http-suite/policy-bodies.ts'
import { idOf, type Stage } from './stage.ts'

/** Crawls both sources and records their assets. */
export async function crawl({ does, awaits, facts }: Stage): Promise<void> {
  await does('testAssembly')
  facts.assemblyName = 'samples'
  facts.assemblyId = String((await does('createAssembly')).data.id)
  facts.warehouseId = String(
    (await does('createAssembly', { assemblyName: 'warehouse', samples: `${facts.warehouse}` })).data.id,
  )
  const assetOf = async (uid: string) =>
    String((await awaits('getAssetByUid', { uid }, ({ data }) => data !== undefined)).data.id)
  facts.assetUid = 'samples.movies.json'
  facts.assetId = await assetOf(facts.assetUid)
  facts.weatherId = await assetOf('samples.seattle-weather.csv')
  facts.flightsId = await assetOf('samples.flights-3m.parquet')
  await assetOf('warehouse.seattle-weather.csv')
  const { data } = await awaits(
    'listCrawls',
    { id: facts.assemblyId },
    (crawls) => crawls.data[0]?.status !== 'RUNNING',
  )
  facts.crawlId = String(data[0].id)
}

/** Annotations and settings of an asset, its profile and sample. */
export async function annotate({ does, made, awaits, facts }: Stage): Promise<void> {
  await made('watchAsset')
  facts.commentId = String((await does('addAssetComment')).id)
  facts.intoTagId = facts.tagId = String((await does('addAssetTag')).tagId)
  const { key, values } = await does('createTagKey')
  facts.tagKeyId = key.id
  facts.tagValueId = values[0].keyValueId
  facts.variableId = String((await does('createAssetUdfVariable')).id)
  facts.templateId = String((await does('createUdfTemplate')).id)
  facts.validationId = (await made('validateUdfTemplateAsync')).requestId
  facts.storageId = String((await does('createPersistenceConfig')).id)
  facts.viewId = String((await does('createSqlView')).data.customAsset.id)
  facts.requestId = (await made('requestAssetSampleAsync')).requestId
  for (const assetId of [`${facts.assetId}`, `${facts.weatherId}`]) {
    const { data } = await made('startProfile', { assetId })
    facts.profileId ??= String(data.id)
    const params = { id: assetId, profileId: String(data.id) }
    await awaits('getProfile', params, ({ profileRequest }) => profileRequest.status !== 'IN_PROGRESS')
  }
  const { assetConfiguration } = await made('updateReferenceConfigurationByUid')
  facts.jobId = String(assetConfiguration.assetReferenceValidationJob.id)
}

/** A policy of each kind, run three times: drift and anomalies need a history. */
export async function decide({ does, made, awaits, facts }: Stage): Promise<void> {
  const ended = (kind: string, id: string) =>
    awaits(
      idOf('GET', `/rules/${kind}/executions/{id}/result`),
      { id },
      ({ execution }) => execution.executionStatus !== 'RUNNING',
    )
  const event = does('streamEvents')
  for (const kind of policyKinds) {
    const { rule } = await made(idOf('POST', `/rules/${kind}`))
    facts[`${kind}Id`] = String(rule.id)
    facts[`${kind}Name`] = rule.name
    for (const path of ['{id}', 'byName/{name}', '{id}']) {
      const started = await made(idOf('POST', `/rules/${kind}/${path}/executions`))
      if (!started) continue
      facts[`${kind}ExecutionId`] = String(started.execution.id)
      await ended(kind, String(started.execution.id))
    }
  }
  await ended('data-quality', String((await made('startByWebhook')).execution.id))
  await event
  facts.executionId = `${facts['data-qualityExecutionId']}`
  const { data } = await awaits('listNotifications', {}, ({ meta }) => meta.count > 0)
  facts.notificationId = String(data[0].id)
  await does('listNotifications')
}

/** Keys, and a service user. */
export async function admit({ does, facts }: Stage): Promise<void> {
  facts.userName = 'nightly-loader'
  facts.serviceUserId = (await does('createServiceUser')).id
  await does('addServiceUserRoles')
  facts.accessKey = (await does('createServiceUserKey')).accessKey
  const { accessKey } = await does('createApiKey')
  await does('rotateApiKey', { accessKey })
  facts.dashboardKey = accessKey
}
