import { type NotificationKind, type NotificationSeverity, notificationPayload, severityRank } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { Channel } from '../channel/channel.ts'
import { notificationAssetSettings } from '../copies/asset-settings.ts'
import { notificationPolicies } from '../copies/targets.ts'
import { type Filtered, isAlerting } from './alerting.ts'

const errors: ReadonlySet<NotificationKind> = new Set(['EXECUTION_ERRORED', 'EXECUTION_FAILED'])
const incidents: ReadonlySet<NotificationKind> = new Set(['INCIDENT_OPENED', 'INCIDENT_WORSENED'])

/** `notificationChannels` of a policy or an asset as a rule. */
export interface PayloadRule {
  channelIds: readonly number[]
  /** Whether a content goes to a channel of this type: runs, or incidents to channels that alert. */
  fits(type: Channel['type'], of: Filtered): boolean
}

/** The rule that a stored value is; `undefined` if it sends nothing. Pure. */
export function payloadRule(value: unknown): PayloadRule | undefined {
  const payload = notificationPayload.safeParse(value).data
  const channelIds = payload?.configuredNotificationGroupIds ?? []
  if (payload === undefined || payload.alertsEnabled === false || channelIds.length === 0) return undefined
  const { notifyOn, notifyOnSuccess, notifyOnWarning } = payload
  const wanted = new Set(notifyOn?.length ? notifyOn : ['ERROR'])
  const has = (name: 'WARNING' | 'SUCCESS') => wanted.has('ALL') || wanted.has(name)
  const onError = wanted.has('ALL') || wanted.has('ERROR') || wanted.has('FAILURE')
  const onWarning = has('WARNING') || notifyOnWarning === true
  const onSuccess = has('SUCCESS') || notifyOnSuccess === true
  const isError = (severity: NotificationSeverity) => severityRank(severity) >= severityRank('ERROR')
  return {
    channelIds,
    fits(type, { kind, severity }) {
      if (isAlerting(type)) return incidents.has(kind) && (isError(severity) ? onError : onWarning)
      if (kind === 'EXECUTION_RECOVERED') return onSuccess
      return errors.has(kind) ? onError : kind === 'EXECUTION_WARNING' && onWarning
    },
  }
}

/** The rules of the policy and of the assets that a content is about. `severity`: CRITICAL if the policy says so. */
export async function payloadsFor(
  documents: Pick<Documents, 'find' | 'get'>,
  tenant: string,
  { policyId, assetIds }: { policyId: number | null; assetIds: readonly number[] },
): Promise<PayloadRule[]> {
  if (policyId === null) return []
  const [policy, settings] = await Promise.all([
    documents.get(notificationPolicies, tenant, policyId),
    documents.find(notificationAssetSettings, tenant, { where: [{ field: 'id', in: assetIds }], size: 200 }),
  ])
  const values = [policy?.document, ...settings.documents].map((each) => each?.notificationChannels)
  return values.flatMap((value) => payloadRule(value) ?? [])
}

/** The severity of a content about a policy: its errors are CRITICAL if its `notificationChannels` say so. */
export async function severityFor(
  documents: Pick<Documents, 'get'>,
  tenant: string,
  { policyId, kind, severity }: Filtered & { policyId: number | null },
): Promise<NotificationSeverity> {
  if (policyId === null || severity !== 'ERROR' || !(errors.has(kind) || incidents.has(kind))) return severity
  const policy = await documents.get(notificationPolicies, tenant, policyId)
  const payload = notificationPayload.safeParse(policy?.document.notificationChannels).data
  return payload?.severity === 'CRITICAL' ? 'CRITICAL' : severity
}
