import type { HttpClient } from './client.ts'
import { type Fixtures, makeAssembly, muteOfTests, newUniqueName, ruleTo, webhookOfNobody } from './fixtures.ts'

const api = '/catalog-server/api'
const users = '/admin/api/v1/service-users'

export interface Tools {
  admin: HttpClient
  /** The client with the key that writes. */
  own: HttpClient
  /** The user of that key. */
  user: string
  fixtures: Fixtures
  sharedFolder: string
}

export const tagNamed = async (client: HttpClient) =>
  String((await client.good('POST', `${api}/tags`, { name: newUniqueName() })).id)
export const storage = () => {
  const rows = { suffixTemplate: `${newUniqueName()}/{{REQUEST_ID}}/{{RECORD_TYPE}}` }
  return { name: newUniqueName(), categoriesConfig: { good: rows, bad: rows, metadata: rows } }
}
export const template = () => ({
  name: newUniqueName(),
  code: 'age > 30',
  language: 'EXPRESSION',
  udfType: 'FILTER',
  udfDataType: 'BOOLEAN',
})
export const prefix = () => ({ persistenceFolderPrefix: newUniqueName() })
export const key = () => ({ displayName: newUniqueName(), validTill: '2099-01-01T00:00:00Z' })
export const schedule = () => ({ scheduled: true, cronExpression: '0 6 * * *', timeZone: 'Europe/Berlin' })
export const description = () => ({ description: newUniqueName() })
export async function ownAssembly({ admin, sharedFolder }: Tools) {
  const uniqueName = newUniqueName()
  const { folder, assemblyId } = await makeAssembly(admin, sharedFolder, uniqueName)
  return { uniqueName, folder, assemblyId: String(assemblyId), assemblyName: uniqueName }
}

/** An assembly whose table the policy service knows. */
export async function knownAssembly(tools: Tools) {
  const made = await ownAssembly(tools)
  const backingAsset = { tableAssetUid: `${made.uniqueName}.people.csv` }
  const body = { rule: { name: newUniqueName(), backingAsset } }
  await tools.admin.eventually(() => tools.admin.good('POST', `${api}/rules/profile-anomaly`, body))
  return made
}

export async function ownAsset(tools: Tools) {
  const { uniqueName } = await ownAssembly(tools)
  return { assetUid: `${uniqueName}.people.csv` }
}

export async function serviceKey({ admin, fixtures }: Tools) {
  const { accessKey } = await admin.good('POST', `${users}/${fixtures.serviceUserId}/api-key`, key())
  return { accessKey }
}

/** A run whose end gives the administrator an unread notification. */
export async function unread({ admin, fixtures }: Tools) {
  await admin.good('PUT', `${api}/rules/${fixtures['data-qualityId']}/enable`, { enable: false })
  await admin.good('PUT', `${api}/rules/${fixtures['data-qualityId']}/enable`, { enable: true })
  await admin.eventually(() =>
    admin.good('POST', `${api}/rules/data-quality/${fixtures['data-qualityId']}/executions`, {}),
  )
  const path = `${api}/notifications?unread=true`
  const { json } = await admin.until(path, (answer) => answer.status === 200 && answer.json.meta.count > 0)
  return { notificationId: String(json.data[0].id) }
}

/** A notification that the administrator has read. */
export async function alreadyRead(tools: Tools) {
  const { notificationId } = await unread(tools)
  await tools.admin.call('PUT', `${api}/notifications/${notificationId}/read`)
  return { notificationId }
}

export async function ownMute({ own }: Tools) {
  const { data } = await own.good('POST', `${api}/notification-mutes`, muteOfTests)
  return { muteId: String(data.id) }
}

export async function ownRule({ own, fixtures: { sharedChannelId } }: Tools) {
  const { data } = await own.good('POST', `${api}/notification-rules`, ruleTo(sharedChannelId))
  return { notificationRuleId: String(data.id) }
}

export async function watched({ own, fixtures: { assetId } }: Tools) {
  const { data } = await own.good('POST', `${api}/assets/${assetId}/watch`)
  return { watchId: String(data.id) }
}

export async function ownChannel({ admin }: Tools) {
  const { data } = await admin.good('POST', `${api}/notification-channels`, webhookOfNobody)
  return { channelId: String(data.id) }
}

/** A delivery that was parked when its channel was disabled. */
export async function parked({ admin, fixtures: { channelId } }: Tools) {
  const path = `${api}/notification-channels/${channelId}/deliveries?status=PARKED`
  const { json } = await admin.until(path, ({ status, json: found }) => status === 200 && found.meta.count > 0)
  return { deliveryId: json.data[0].id }
}
