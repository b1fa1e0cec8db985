import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HttpClient } from './client.ts'
import { policyBody, policyKinds, policyNameOf } from './policy-bodies.ts'
import type { Target } from './target.ts'

const api = '/catalog-server/api'

/** Ids and names of the things in a tenant, by fixture name, as paths need them. */
export type Fixtures = Readonly<Record<string, string>> & { readonly uniqueName: string; readonly folder: string }

/** A new text for each call. */
export function newUniqueName(): string {
  return `only${crypto.randomUUID().slice(0, 8)}`
}

/** Crawls a folder with `people.csv` (three rows, one without a name) as the assembly `uniqueName`. */
export async function makeAssembly(
  client: HttpClient,
  sharedFolder: string,
  uniqueName: string,
  more: Record<string, string> = {},
) {
  const folder = join(sharedFolder, uniqueName)
  await mkdir(folder, { recursive: true })
  const files = { 'people.csv': 'id,name,age\n1,Ada,36\n2,Bob,\n3,,210\n', ...more }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const { data } = await client.good('POST', `${api}/assemblies`, {
    name: uniqueName,
    sourceType: 'FILE',
    configuration: { path: folder },
  })
  const crawls = await client.until(
    `${api}/assemblies/${data.id}/crawls`,
    ({ status, json }) => status === 200 && json.data[0] !== undefined && json.data[0].status !== 'RUNNING',
  )
  return { folder, assemblyId: Number(data.id), crawlId: Number(crawls.json.data[0].id) }
}

/** Runs a policy of that kind to its end and returns the id of the execution. */
async function run(client: HttpClient, kind: string, policyId: number): Promise<number> {
  const policies = `${api}/rules/${kind}`
  // Another service starts the run and may not know the new policy yet.
  const { execution } = await client.eventually(() => client.good('POST', `${policies}/${policyId}/executions`, {}))
  await client.until(
    `${policies}/executions/${execution.id}/result`,
    ({ status, json }) => status === 200 && json.execution.executionStatus !== 'RUNNING',
  )
  return execution.id
}

/** Profiles an asset to the end and returns the id of the profile. */
async function profile(client: HttpClient, assetId: number): Promise<number> {
  const path = `${api}/assets/${assetId}/profile`
  const { data } = await client.eventually(() => client.good('POST', path, { data: { profilingType: 'FULL' } }))
  await client.until(
    `${path}/${data.id}`,
    ({ status, json }) => status === 200 && json.profileRequest.status !== 'IN_PROGRESS',
  )
  return data.id
}

/** A mute that holds nothing that the tests wait for. */
export const muteOfTests = { kind: 'FEEDBACK_GIVEN', until: '2099-01-01T00:00:00Z' }

/** The definition of a view of `people.csv`, without name and assembly. */
export const viewOfPeople = {
  details: { query: 'SELECT name FROM "people.csv"', description: 'Names.', queryType: 'SQL_QUERY' },
  schema: [{ name: 'name', type: 'VARCHAR', nullable: true }],
}

/** A webhook whose host does not exist. */
export const webhookOfNobody = {
  name: 'nobody',
  type: 'WEBHOOK',
  configuration: { url: 'https://hooks.example.invalid/assay' },
}

/** A rule that sends nothing: no event has this kind. */
export const ruleTo = (sharedChannelId = '0') => ({
  ...{ name: newUniqueName(), when: { tags: ['a tag of nothing'] }, channelIds: [Number(sharedChannelId)] },
})

/** A shared channel and a rule; neither without TENANT_MODIFY. */
async function makeRule(client: HttpClient): Promise<Record<string, string>> {
  const sent = { ...webhookOfNobody, name: newUniqueName(), shared: true }
  const { status, json } = await client.call('POST', `${api}/notification-channels`, sent)
  if (status === 403) return {}
  const sharedChannelId = String(json.data.id)
  const { data: rule } = await client.good('POST', `${api}/notification-rules`, ruleTo(sharedChannelId))
  return { sharedChannelId, notificationRuleId: String(rule.id) }
}

/** One of each kind of thing, created over HTTP. */
export async function makeFixtures(client: HttpClient, sharedFolder: string): Promise<Fixtures> {
  const uniqueName = newUniqueName()
  const { folder, assemblyId, crawlId } = await makeAssembly(client, sharedFolder, uniqueName)
  const assetUid = `${uniqueName}.people.csv`
  const { data: asset } = await client.good('GET', `${api}/assets/byUid/${assetUid}`)
  await client.eventually(() => client.good('POST', `${api}/assets/${asset.id}/watch`))
  const { data: watch } = await client.good('POST', `${api}/watches`, { assetId: asset.id })
  const { data: channel } = await client.good('POST', `${api}/notification-channels`, webhookOfNobody)
  const routing = await makeRule(client)
  const { data: mute } = await client.good('POST', `${api}/notification-mutes`, muteOfTests)
  const ids: Record<string, string> = {}
  for (const kind of policyKinds) {
    const body = policyBody(kind, { uniqueName, assetId: String(asset.id) })
    const { rule } = await client.eventually(() => client.good('POST', `${api}/rules/${kind}`, body))
    ids[`${kind}Id`] = String(rule.id)
    ids[`${kind}Name`] = encodeURIComponent(policyNameOf(kind, uniqueName))
  }
  const executionId = await run(client, 'data-quality', Number(ids['data-qualityId']))
  // Otherwise it would run by itself half a minute later, while suites expect that nothing changes.
  await run(client, 'data-freshness', Number(ids['data-freshnessId']))
  const profileId = await profile(client, asset.id)
  const { requestId } = await client.eventually(() => client.good('POST', `${api}/assets/${asset.id}/sample/async`, {}))
  const notifications = await client.until(
    `${api}/notifications`,
    ({ status, json }) => status === 200 && json.meta.count > 0,
  )
  const deliveries = await client.until(
    `${api}/notification-channels/${channel.id}/deliveries`,
    ({ status, json }) => status === 200 && json.meta.count > 0,
  )
  // Otherwise its retries would change what is read, and pause it.
  await client.good('PUT', `${api}/notification-channels/${channel.id}`, { enabled: false })
  const { json: serviceUser } = await client.call('POST', '/admin/api/v1/service-users', { username: uniqueName })
  await client.good('PUT', `/admin/api/v1/service-users/${serviceUser.id}/add-roles`, {
    clientId: uniqueName,
    roles: [1],
  })
  const { accessKey } = await client.good('POST', `/admin/api/v1/service-users/${serviceUser.id}/api-key`, {
    displayName: uniqueName,
    validTill: '2099-01-01T00:00:00Z',
  })
  const comment = await client.good('POST', `${api}/assets/${asset.id}/comments`, { comment: uniqueName })
  const tag = await client.good('POST', `${api}/assets/${asset.id}/tag`, { name: uniqueName })
  const { key } = await client.good('POST', '/api/tags/v1', { key: uniqueName, values: ['open'] })
  const variable = await client.good('POST', `${api}/assets/${asset.id}/udf-variables`, { key: uniqueName, value: '1' })
  const template = await client.good('POST', `${api}/udf/template`, {
    name: uniqueName,
    code: 'age > 30',
    language: 'EXPRESSION',
    udfType: 'FILTER',
    udfDataType: 'BOOLEAN',
  })
  const validation = await client.good('POST', `${api}/udf/template/${template.id}/validate/async`, {
    assetId: asset.id,
    analyticsPipelineId: 1,
  })
  const rows = { suffixTemplate: `${uniqueName}/{{REQUEST_ID}}/{{RECORD_TYPE}}` }
  const storage = await client.good('POST', `${api}/persistence/configs`, {
    name: uniqueName,
    categoriesConfig: { good: rows, bad: rows, metadata: rows },
  })
  const view = await client.good('POST', `${api}/custom-assets/sql-view`, {
    data: { asset: { name: uniqueName, assemblyId }, ...viewOfPeople },
  })
  const reference = `${api}/assets/byUid/${assetUid}/config/reference-configuration`
  const { assetConfiguration } = await client.good('PUT', reference, { validateNow: true })
  return {
    ...ids,
    variableId: String(variable.id),
    storageId: String(storage.id),
    category: 'bad',
    version: '1',
    templateId: String(template.id),
    validationId: validation.requestId,
    viewId: String(view.data.customAsset.id),
    jobId: String(assetConfiguration.assetReferenceValidationJob.id),
    uniqueName,
    folder,
    assemblyId: String(assemblyId),
    crawlId: String(crawlId),
    assetId: String(asset.id),
    assetUid,
    assemblyName: uniqueName,
    commentId: String(comment.id),
    tagId: String(tag.tagId),
    tagKeyId: key.id,
    // An unknown name is used here, because the only data plane belongs to all tenants.
    noPipeline: uniqueName,
    executionId: String(executionId),
    // The run of this policy fails, so there is an incident. Its id is the id of the run that opened it.
    incidentId: String(executionId),
    profileId: String(profileId),
    requestId,
    watchId: String(watch.id),
    muteId: String(mute.id),
    notificationId: String(notifications.json.data[0].id),
    channelId: String(channel.id),
    ...routing,
    deliveryId: deliveries.json.data[0].id,
    accessKey,
    userName: uniqueName,
    serviceUserId: serviceUser.id,
  }
}

const made = new Map<string, Promise<Fixtures>>()

/**
 * Fixtures that suites share, because creating them takes seconds. No suite may remove them, and the suite that expects
 * them unchanged runs first.
 */
export function sharedFixtures(client: HttpClient, { baseUrl, sharedFolder }: Target): Promise<Fixtures> {
  const fixtures = made.get(baseUrl) ?? makeFixtures(client, sharedFolder)
  made.set(baseUrl, fixtures)
  return fixtures
}
