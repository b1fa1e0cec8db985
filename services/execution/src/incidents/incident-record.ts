import type { IncidentHint, IncidentRecord } from '@assay/contracts'
import type { StoredIncident } from './incident.documents.ts'
import { statusOf } from './incident.ts'

/** The record of an incident. Pure. */
export function incidentRecordOf({ policyId, incident }: StoredIncident, hints: IncidentHint[]): IncidentRecord {
  const { id, policyName, assets, verdict, openedAt, lastAt, count, executions, snoozedUntil, assignee } = incident
  const { acknowledged, recovered, closed } = incident
  return {
    ...{
      id,
      policyId,
      policyName,
      assetId: assets[0]?.id ?? 0,
      assetUid: assets[0]?.uid ?? '',
      status: statusOf(incident),
      verdict,
    },
    ...{ openedAt, lastAt, count, executions },
    acknowledgedBy: acknowledged?.by ?? null,
    acknowledgedAt: acknowledged?.at ?? null,
    ...{ snoozedUntil, assignee },
    recoveredAt: recovered?.at ?? null,
    closedBy: closed?.by ?? null,
    closedAt: closed?.at ?? null,
    cause: closed?.cause ?? null,
    hints,
  }
}
