import { type DocumentPut, defineCollection, documentPut, type Source } from '@assay/documents'
import { duePut } from '@assay/work'
import { z } from 'zod'
import { type Incident, incident, statusOf } from './incident.ts'

const storedIncident = z.object({ policyId: z.int(), incident })
export type StoredIncident = z.infer<typeof storedIncident>

/** One document per incident. Lists filter and sort by the fields. Times are epoch milliseconds. */
export const incidents = defineCollection<StoredIncident>({
  name: 'execution_incidents',
  version: 1,
  idType: 'integer',
  schema: storedIncident,
  fields: {
    policyId: { type: 'integer', of: ({ policyId }) => policyId },
    status: { type: 'text', of: ({ incident }) => statusOf(incident) },
    assetId: { type: 'integer', of: ({ incident }) => incident.assets[0]?.id ?? null },
    /** For a policy that compares two tables. */
    otherAssetId: { type: 'integer', of: ({ incident }) => incident.assets[1]?.id ?? null },
    openedAt: { type: 'integer', of: ({ incident }) => Date.parse(incident.openedAt), required: true },
    lastAt: { type: 'integer', of: ({ incident }) => Date.parse(incident.lastAt), required: true },
  },
})

/** The `kind` of policies with a snoozed incident in the due book. */
export const snoozeDue = 'snoozed incident'

/** The documents of an event with the incident after it: the incident, and when its snooze ends. */
export function incidentDocuments(
  incident: Incident,
  { tenant, id }: { tenant: string; id: string },
  source: Source,
): DocumentPut[] {
  const policyId = Number(id)
  return [
    documentPut(incidents, tenant, incident.id, { policyId, incident }, source),
    duePut({ kind: snoozeDue, tenant, id: policyId }, incident.snoozedUntil, source),
  ]
}
