import { z } from 'zod'

export const notificationKind = z.enum([
  'ASSET_CREATED',
  'ASSET_CHANGED',
  'ASSET_DELETED',
  'ASSET_RETURNED',
  'SCHEMA_CHANGED',
  'TAGS_CHANGED',
  'LABELS_CHANGED',
  'COMMENT_ADDED',
  'MENTIONED',
  'POLICY_CREATED',
  'POLICY_CHANGED',
  'POLICY_ARCHIVED',
  'EXECUTION_WARNING',
  'EXECUTION_ERRORED',
  'EXECUTION_FAILED',
  'EXECUTION_RECOVERED',
  'INCIDENT_OPENED',
  'INCIDENT_WORSENED',
  'INCIDENT_RECOVERED',
  'FEEDBACK_GIVEN',
  'CRAWL_FAILED',
  'CHANNEL_PAUSED',
  'DIGEST',
  'TEST',
])
export type NotificationKind = z.infer<typeof notificationKind>

/** A filter in a request. An empty one would let nothing pass. */
export const kindsInput = z.array(notificationKind).min(1, 'must not be empty: send null for all kinds').max(100)

/** From the lowest to the highest severity. */
export const notificationSeverity = z.enum(['INFO', 'WARNING', 'ERROR', 'CRITICAL'])
export type NotificationSeverity = z.infer<typeof notificationSeverity>

/** The kinds of incidents. They go to rules, to channels that alert, and only to watches that name them. */
export const incidentKinds: ReadonlySet<NotificationKind> = new Set([
  'INCIDENT_OPENED',
  'INCIDENT_WORSENED',
  'INCIDENT_RECOVERED',
])

const personalKinds: ReadonlySet<NotificationKind> = new Set(['MENTIONED', 'CHANNEL_PAUSED', 'DIGEST', 'TEST'])

/** Whether a kind concerns one user, so that neither watches nor rules send it. Pure. */
export const isPersonal = (kind: NotificationKind): boolean => personalKinds.has(kind)

/** From 0, the least severe. */
export const severityRank = (severity: NotificationSeverity): number => notificationSeverity.options.indexOf(severity)

/**
 * The severity of a kind. The severity of an incident follows from its verdict. CRITICAL comes only from the settings
 * of a policy.
 */
export function severityOfKind(kind: NotificationKind): NotificationSeverity {
  switch (kind) {
    case 'EXECUTION_WARNING':
    case 'SCHEMA_CHANGED':
    case 'ASSET_DELETED':
      return 'WARNING'
    case 'EXECUTION_ERRORED':
    case 'EXECUTION_FAILED':
    case 'CRAWL_FAILED':
    case 'CHANNEL_PAUSED':
      return 'ERROR'
    default:
      return 'INFO'
  }
}
