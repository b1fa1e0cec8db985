import { cutText, type NotificationSeverity } from '@assay/contracts'
import { z } from 'zod'
import { isAbsolute } from './absolute-link.ts'
import type { Outgoing } from './message.ts'

const pagerdutySeverity: Readonly<Record<NotificationSeverity, string>> = {
  INFO: 'info',
  WARNING: 'warning',
  ERROR: 'error',
  CRITICAL: 'critical',
}
const opsgeniePriority: Readonly<Record<NotificationSeverity, string>> = {
  INFO: 'P5',
  WARNING: 'P3',
  ERROR: 'P2',
  CRITICAL: 'P1',
}

/** An Opsgenie request, as it is stored. */
export const opsgenieRequest = z.object({ path: z.string(), payload: z.record(z.string(), z.json()) })

/** The key and the kind of an incident or a test; `undefined` for all else. */
function alertOf({ message, incident, isOver = false }: Outgoing): { key: string; isOver: boolean } | undefined {
  if (message.type === 'TEST') return { key: 'assay-test', isOver }
  if (incident === undefined || !message.type.startsWith('INCIDENT_')) return undefined
  return { key: incident, isOver: message.type === 'INCIDENT_RECOVERED' }
}

/** An event of PagerDuty's Events API v2, without the routing key. Only of incidents. Pure. */
export function pagerdutyOf(outgoing: Outgoing): object | undefined {
  const alert = alertOf(outgoing)
  if (alert === undefined) return undefined
  const { data, timestamp } = outgoing.message
  const { title, text, severity, link, assetId, policyId, executionId } = data
  if (alert.isOver) return { event_action: 'resolve', dedup_key: alert.key }
  return {
    event_action: 'trigger',
    dedup_key: alert.key,
    payload: {
      summary: cutText(title, 1_024),
      source: 'assay',
      severity: pagerdutySeverity[severity],
      timestamp,
      custom_details: { text, assetId, policyId, executionId },
    },
    ...(isAbsolute(link) ? { links: [{ href: link, text: 'Open in Assay' }] } : {}),
  }
}

/** A request to Opsgenie's Alert API. Only of incidents. Pure. */
export function opsgenieOf(outgoing: Outgoing): z.infer<typeof opsgenieRequest> | undefined {
  const alert = alertOf(outgoing)
  if (alert === undefined) return undefined
  const { title, text, severity, link } = outgoing.message.data
  if (alert.isOver) {
    const path = `/v2/alerts/${encodeURIComponent(alert.key)}/close?identifierType=alias`
    return { path, payload: { source: 'assay', note: title } }
  }
  const description = isAbsolute(link) ? `${text}\n\n${link}` : text
  const priority = opsgeniePriority[severity]
  return {
    path: '/v2/alerts',
    payload: { message: cutText(title, 130), alias: alert.key, description, priority, source: 'assay' },
  }
}
