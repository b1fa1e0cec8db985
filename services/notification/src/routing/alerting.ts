import { type ChannelType, incidentKinds, type NotificationKind, type NotificationSeverity } from '@assay/contracts'
import type { Incident } from '../triggers/trigger.ts'

const types: ReadonlySet<ChannelType> = new Set(['PAGERDUTY', 'OPSGENIE'])

/** Whether channels of this type send alerts: incidents only, each opened and resolved by one key. Pure. */
export const isAlerting = (type: ChannelType): boolean => types.has(type)

/** A kind and a severity that filters are applied to. */
export interface Filtered {
  kind: NotificationKind
  severity: NotificationSeverity
}

/**
 * What the filters on the way to a channel see of a content: it passes if any of these does. The end of an incident
 * passes to an alerting channel wherever its beginning does, because the alert would otherwise never be resolved. Empty
 * if channels of this type do not send such contents. Pure.
 */
export function filteredFor(
  type: ChannelType,
  { kind, severity }: Filtered,
  incident: Incident | undefined,
): Filtered[] {
  if (!isAlerting(type)) return incident?.isClosed ? [] : [{ kind, severity }]
  if (incident === undefined) return []
  if (kind !== 'INCIDENT_RECOVERED') return [{ kind, severity }]
  return [...incidentKinds].map((each) => ({ kind: each, severity: incident.severity }))
}
