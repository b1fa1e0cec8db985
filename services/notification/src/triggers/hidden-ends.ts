import { type Documents, defineCollection, documentPut } from '@assay/documents'
import { uuidV5 } from '@assay/service-kit'
import { z } from 'zod'
import { linkOfIncident } from './links.ts'
import type { NotificationTrigger, WatchedContent } from './trigger.ts'

/** The end of an incident, from a message on its own topic. `eventId`: of the event that ended it. */
const hiddenEnd = z.object({
  eventId: z.string(),
  incidentId: z.int(),
  policyId: z.int(),
  assetId: z.int(),
  /** ISO 8601 UTC. */
  at: z.string(),
})
export type HiddenEnd = z.infer<typeof hiddenEnd>

/**
 * Ends of incidents whose verdict depended on protected columns by then. They arrive on another topic than the beginning,
 * so an end can arrive first. A rebuild keeps them, because the bus does not deliver them again.
 */
export const hiddenEnds = defineCollection<HiddenEnd>({
  name: 'notification_hidden_ends',
  version: 1,
  idType: 'integer',
  schema: hiddenEnd,
  fields: { at: { type: 'text', of: ({ at }) => at, required: true } },
})

/** Throws a ZodError if the data does not match. Pure. */
export const hiddenEndOf = (eventId: string, data: unknown, at: string): HiddenEnd =>
  hiddenEnd.parse({ ...z.looseObject({}).parse(data), eventId, at })

/** Stores an end before it is handled, so that a beginning which is handled at the same time finds it. Idempotent. */
export function storeHiddenEnd(documents: Pick<Documents, 'put'>, tenant: string, end: HiddenEnd): Promise<void> {
  return documents.put([documentPut(hiddenEnds, tenant, end.incidentId, end, { revision: 0, position: '' })])
}

/** Resolves alerts, and notifies nobody else. Pure. */
export function triggerOfHiddenEnd({ eventId, incidentId, assetId, policyId, at }: HiddenEnd): NotificationTrigger {
  const content: WatchedContent = {
    ...{ assetId, policyId, executionId: null, link: linkOfIncident(incidentId), at },
    incident: { id: incidentId, severity: 'ERROR', isClosed: true },
    kind: 'INCIDENT_RECOVERED',
    title: `Incident ${incidentId} ended`,
    text: 'Its verdict depends on protected columns.',
  }
  return { eventId, contents: [content] }
}

/**
 * The end of the incident that the event is about, if it arrived before the event, whose alerts it did not resolve. It
 * has an id of its own, because the end may already have reached the channels that got an earlier alert.
 */
export async function lateEndOf(
  documents: Pick<Documents, 'get'>,
  tenant: string,
  { eventId, contents }: NotificationTrigger,
): Promise<NotificationTrigger | undefined> {
  const alert = contents.find(({ kind, incident }) => incident?.id !== undefined && kind !== 'INCIDENT_RECOVERED')
  if (alert?.incident?.id === undefined) return undefined
  const end = (await documents.get(hiddenEnds, tenant, alert.incident.id))?.document
  return end && triggerOfHiddenEnd({ ...end, eventId: uuidV5('late-end', end.eventId, eventId) })
}
